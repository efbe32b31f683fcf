import type { SwapResult } from './run-swaps.ts';

/** The swaps as a table of Markdown, and one line that sums them up. */
export function swapsTable(what: string, sets: number, results: readonly SwapResult[]): string {
  const rows = results.map(
    ({ round, cluster, to, definitions, handover, restarts, loses, empty, stale, rightAfterS }) =>
      [
        round,
        `${cluster} to ${to}`,
        definitions,
        handover ? 'yes' : 'no',
        restarts ? 'yes' : 'no',
        loses ? 'yes' : 'no',
        empty.length,
        stale.length,
        rightAfterS === undefined ? 'over 60' : rightAfterS.toFixed(1),
      ].join(' | '),
  );
  const sum = (of: (result: SwapResult) => readonly string[]) => results.flatMap(of).length;
  return [
    `${what}; ${sets} sets of endpoints`,
    '',
    '| round | swap | definitions | handover | others restart | exports lost | empty | stale | right after, s |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
    `${results.length} swaps: ${sum(({ empty }) => empty)} sets empty at some moment, ${sum(({ stale }) => stale)} wrong 60 s after Ready`,
    '',
  ].join('\n');
}
