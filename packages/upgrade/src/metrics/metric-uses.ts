import type { MetricFamily } from './metrics-text.ts';

/** A file of dashboards or rules. */
export interface SearchedFile {
  readonly source: string;
  readonly text: string;
}

/**
 * The places, as `file:line`, where a metric or one of its parts is named as a whole word; in the
 * order of the files.
 */
export function metricUses({ name, type }: MetricFamily, files: readonly SearchedFile[]): readonly string[] {
  const parts = type === 'histogram' || type === 'summary' ? '(?:_bucket|_sum|_count)?' : '';
  const word = new RegExp(`(?<![a-zA-Z0-9_:])${name}${parts}(?![a-zA-Z0-9_:])`);
  return files.flatMap(({ source, text }) =>
    text.includes(name) ? text.split('\n').flatMap((line, at) => (word.test(line) ? [`${source}:${at + 1}`] : [])) : [],
  );
}
