/**
 * Citations of pages in code, tests and docs, and what is wrong with them: a reason that a comment
 * leaves to a page is lost where that page, or the section of it, is not in the repository. Pure:
 * texts in, sentences out; `check.ts` and `citations.test.ts` read the files.
 *
 * What is cited. `docs/spec/wire.md §5` is a section of a specification; more sections follow as
 * `, §6.1`. Any other `….md` in a comment or a text is a page of the repository, by its name at
 * least, or one of the named pages of other projects.
 */

/** A file of the repository, by its path from the root. */
export interface CitingFile {
  readonly path: string;
  readonly text: string;
}

export interface Repository {
  /** Texts of `docs/spec/*.md` by path. */
  readonly specifications: ReadonlyMap<string, string>;
  /** The paths of all pages (`*.md`). */
  readonly pages: ReadonlySet<string>;
}

const sectionNumber = String.raw`§[\d]+(?:\.[\d]+)*`;
const specification = new RegExp(
  String.raw`docs/spec/([\w-]+\.md)((?:(?:,| and|;)? (?:and )?${sectionNumber}(?:(?:–| to )${sectionNumber})?)*)`,
  'g',
);
const page = /(?<![\w/.*<>{}$~-])(?:\.{1,2}\/|[\w-]+\/)*[\w-]+\.md\b(?!\.)/g;

/**
 * The numbers of the headings of a specification: `## 5. Derived names` is 5, `### 8.1 Exports` is
 * 8.1.
 */
export function sectionsOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/^#{2,4} (\d+(?:\.\d+)*)\.? /gm)].map((match) => match[1] ?? ''));
}

/** Pages of other projects, as their repositories have them: sources of rules. */
const ofOthers: readonly string[] = [
  'docs/api.md',
  'docs/feature-gates.md',
  'docs/multicluster/installation.md',
  'docs/multicluster/upgrade.md',
  'docs/multicluster/user-guide.md',
  'docs/network-flow-visibility.md',
  'docs/versioning.md',
  'designs/component-upgrades.md',
];

/**
 * A page outside of the repository, in a comment of the code; an address in backticks is a value
 * and no reason.
 */
const outside = /^\s*(?:\/\/|\/?\*\*?)(?:[^`]|`[^`]*`)*?(?<![`\w])(https?:\/\/(?!127\.0\.0\.1|localhost)[^\s`]+)/;

/**
 * The number of a case or section at the head of a title, as `75 · blocks`, `B7: …`, `case 12: …`.
 */
const numberedTitle = /(?:^\s*|\(\s*)['"`](?:cases? \d|B\d+[a-z]?[:,] |\d+[a-z]? · |§\d)/;

/** Everything that is wrong with the citations of a file, as sentences with its path and line. */
export function citationProblems({ path, text }: CitingFile, { specifications, pages }: Repository): readonly string[] {
  const names = new Set([...pages].map((one) => one.split('/').at(-1)));
  return text.split('\n').flatMap((line, index) => {
    const problems: string[] = [];
    for (const [, name = '', sections = ''] of line.matchAll(specification)) {
      const known = specifications.get(`docs/spec/${name}`);
      if (known === undefined) problems.push(`docs/spec/${name} does not exist`);
      else {
        const numbers = sectionsOf(known);
        for (const [, number = ''] of sections.matchAll(/§([\d.]*\d)/g))
          if (!numbers.has(number)) problems.push(`docs/spec/${name} has no section ${number}`);
      }
    }
    for (const [cited] of line.matchAll(page)) {
      if (cited.startsWith('docs/spec/') || ofOthers.includes(cited)) continue;
      if (!names.has(cited.split('/').at(-1))) problems.push(`the page ${cited} is not in the repository`);
    }
    const [, link] = (path.endsWith('.ts') && outside.exec(line)) || [];
    if (link !== undefined)
      problems.push(`${link} can change or go: put the reason in docs/spec, with this source, and cite that`);
    if (path.endsWith('.test.ts') && numberedTitle.test(line))
      problems.push('a title is a sentence: the case that it shows is named in docs/coverage');
    return problems.map((problem) => `${path}:${index + 1}: ${problem}`);
  });
}
