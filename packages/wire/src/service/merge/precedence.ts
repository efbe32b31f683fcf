import { parseRfc3339 } from '@isthmus/machinery';

/** The cluster of an export, and the age of the export. */
export interface Exporter {
  readonly clusterID: string;
  /** Milliseconds since the epoch; infinite if the export has no valid time. */
  readonly firstExportedMs: number;
}

/**
 * The moment of `text` (RFC 3339) in milliseconds since the epoch. A text that is not a time is
 * later than every time: an export of unknown age never wins against one of known age.
 */
export function firstExportedMs(text: unknown): number {
  return (typeof text === 'string' ? parseRfc3339(text) : undefined) ?? Infinity;
}

/**
 * The order of precedence: the older export first, and of equally old ones the lower cluster ID,
 * bytewise (docs/spec/merge.md §2: creation times have whole seconds). A total order over clusters.
 */
export function byPrecedence(a: Exporter, b: Exporter): number {
  if (a.firstExportedMs !== b.firstExportedMs) return a.firstExportedMs < b.firstExportedMs ? -1 : 1;
  return bytewise(a.clusterID, b.clusterID);
}

/** Code unit order, which for the ASCII of names and addresses is byte order. */
export function bytewise(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
