import type { Block } from './blocks.ts';
import { blocksOf } from './blocks.ts';
import type { Entry } from './printed-blocks.ts';
import { testsOf } from './printed-blocks.ts';

export interface PagesAndTests {
  /** Texts by path. */
  readonly pages: ReadonlyMap<string, string>;
  readonly entries: Readonly<Record<string, Readonly<Record<string, readonly Entry[]>>>>;
  /** The source of a test; undefined: there is no such file. */
  testText(path: string): string | undefined;
}

/**
 * Everything in which the pages and the list of their blocks differ, as sentences that name the
 * page and the heading.
 */
export function problemsOfPages({ pages, entries, testText }: PagesAndTests): readonly string[] {
  const problems: string[] = [];
  for (const [page, text] of pages) {
    const blocks = blocksOf(text);
    for (const block of blocks) {
      const entry = entries[page]?.[block.heading]?.[block.number - 1];
      if (isEmpty(entry)) problems.push(withoutTest(page, block));
    }
    for (const [heading, listed] of Object.entries(entries[page] ?? {}))
      for (const index of listed.keys())
        if (!blocks.some((block) => block.heading === heading && block.number === index + 1))
          problems.push(
            `${page} has no block ${index + 1} below "${heading}": remove it from scripts/pages/printed-blocks.ts`,
          );
  }
  for (const [page, headings] of Object.entries(entries)) {
    if (!pages.has(page)) problems.push(`${page}, in scripts/pages/printed-blocks.ts, does not exist`);
    for (const test of new Set(
      Object.values(headings)
        .flat()
        .flatMap((entry) => testsOf(entry)),
    )) {
      const source = testText(test);
      if (source === undefined) problems.push(`${test}, in scripts/pages/printed-blocks.ts, does not exist`);
      else if (!source.includes('startStory(import.meta.url') || !source.includes(`'${page}'`))
        problems.push(`${test} runs no block of ${page}: it must run them with startStory(import.meta.url, '${page}')`);
    }
  }
  return problems;
}

const isEmpty = (entry: Entry | undefined) =>
  entry === undefined ||
  ('why' in Object(entry) ? (entry as { readonly why: string }).why === '' : testsOf(entry).length === 0);

const withoutTest = (page: string, { heading, number, text }: Block) =>
  `${page}, "${heading}", block ${number} (${text.split('\n')[0]}): no test runs it. Run it as printed in a test, with startStory of scripts/pages/testing/story.ts, ` +
  'and name this test in scripts/pages/printed-blocks.ts, or the reason why it cannot be run';
