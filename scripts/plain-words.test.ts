import { describe, expect, it } from 'vitest';
import { wordsInComments, wordsInCoverage, wordsInPage, wordsInSource, wordsInTitles } from './plain-words.ts';

const messages = (findings: readonly { readonly line: number; readonly message: string }[]) =>
  findings.map(({ line, message }) => `${line} ${message.split(':')[0] ?? ''}`);

describe('the plain words', () => {
  it.each([
    ["const a = 'this is no YAML';", 'is no'],
    ["const a = 'both are told';", 'told'],
    ['const a = `${name} is no ${kind}`;', 'is no'],
    ["const a = 'nobody vouches for it';", 'vouch'],
    ["const a = 'make the plan anew';", 'anew'],
    ["const a = 'the step says why';", 'says'],
    ["const a = 'where another file stands';", 'stands'],
    ["const a = 'until it is mended';", 'mended'],
    ["const a = 'manifests are held against their digests';", 'held against'],
    ["const a = 'a call ends after its time-out';", 'time-out'],
    ["const a = 'two mistakes in one file';", 'mistakes'],
    ["const a = 'the API server refuses the CRD';", 'refuses'],
    ["const a = 'a beat that nobody has heard';", 'heard'],
    ["const a = 'until somebody acts';", 'somebody'],
    ["const a = 'exported labels travel';", 'travel'],
    ["const a = 'as when a Node is gone';", 'as when'],
    ["const a = 'the same but a port';", 'the same but'],
    ["const a = 'the way back to Antrea';", 'the way back'],
  ])('are missing in %s', (text, word) => {
    expect(messages(wordsInSource('packages/kube/src/x.ts', `\n${text}`))).toEqual([`2 "${word}"`]);
  });

  it.each([
    ["const a = 'there is no Service';"],
    ["const a = 'it is no longer served';"],
    ["const a = 'the dots stand for lines left out';"],
    ["const a = 'the API server refused the connection';"],
    ["const a = 'it is seen by all but not by us';"],
    ['// both are told'],
    ["import { told } from './told.ts';"],
    ['const told = 1;'],
  ])('are kept by %s', (text) => {
    expect(wordsInSource('packages/kube/src/x.ts', text)).toEqual([]);
  });

  it.each([
    ['// it says why', '2 "says" in a comment'],
    ['/** Both are told apart. */', '2 "told" in a comment'],
    ['/**\n * What nobody reads.\n */', '3 "nobody" in a comment'],
    ['// somebody', '2 "somebody" in a comment'],
    ['// where it stands', '2 "stands" in a comment'],
    ['// the standing slices', '2 "standing" in a comment'],
    ['// whoever wrote it', '2 "whoever" in a comment'],
    ['// made anew', '2 "anew" in a comment'],
    ['/**\n * The name is\n * none.\n */', '3 "is none" in a comment'],
    ['/** Of the token: its name. */', '2 "Of" in a comment'],
    ['/**\n * Of the token: its name.\n */', '2 "Of" in a comment'],
    ['// first\n// Nobody', '3 "Nobody" in a comment'],
    ['// a stranger', '2 "stranger" in a comment'],
    ['// akin to it', '2 "akin" in a comment'],
    ['// it vouches for it', '2 "vouches" in a comment'],
    ['// the list at hand', '2 "at hand" in a comment'],
    ['// text for people', '2 "for people" in a comment'],
    ['// until it is mended', '2 "mended" in a comment'],
    ['// it is let go', '2 "let go" in a comment'],
    ['const a = 1; // Of two', '2 "Of" in a comment'],
  ])('are missing in the comment %j', (text, finding) => {
    expect(messages(wordsInComments('packages/kube/src/x.ts', `\n${text}`))).toEqual([finding]);
  });

  it.each([
    ["const a = 'it says why';"],
    ['// the standard of stand-ins, a standing-order, and what they stand for'],
    ['// the field `told` and the list `a\n// stands`'],
    ['/** See {@link standing}. */'],
    ['// a list\n// Of rows'],
    ['// empty if there\n// is none'],
    ['const told = `// nobody`;'],
  ])('are not found in the comments of %j', (text) => {
    expect(wordsInComments('packages/kube/src/x.ts', text)).toEqual([]);
  });

  it('are asked of the prose of a page, not of its code', () => {
    const page = 'It is told.\n\n```\ntold\n```\n\n    told\n\nThe field `told` is new.\n';
    expect(messages(wordsInPage('README.md', page))).toEqual(['1 "told"']);
  });

  it('are asked of the titles of tests and groups, not of what the tests do', () => {
    const tests =
      "describe('a step', () => {\n  it.each(rows)('says %s', () => {\n    expect('it says why').toBe(1);\n  });\n});";
    expect(messages(wordsInTitles('a.test.ts', tests))).toEqual(['2 "says"']);
  });

  it('are fewer in titles, which only contributors read', () => {
    expect(wordsInTitles('a.test.ts', "it('refuses a mistake after a time-out', () => {});")).toEqual([]);
  });

  it('are asked of the rows of a coverage file, not of the titles of tests', () => {
    const rows = '- what: Removals are told\n  tests:\n    - a.test.ts › is told\n  reason: nobody is told\n';
    expect(messages(wordsInCoverage('docs/coverage/a.yaml', rows))).toEqual(['1 "told"', '4 "told"']);
  });
});
