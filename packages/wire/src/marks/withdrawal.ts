import { Annotation, marked } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { rfc3339 } from '@isthmus/machinery';

type Marked = Pick<KubernetesObject, 'metadata'>;

/** Whether nobody has asked the API server to delete the object. */
export function isLive({ metadata }: Marked): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** Whether its owner withdrew the object: what is left is to delete it. */
export function isWithdrawn({ metadata }: Marked): boolean {
  return metadata.annotations?.[Annotation.withdrawn] !== undefined;
}

/** Whether the owner of the object says of itself that it marks what it withdraws, so that an object that is gone without a mark was lost. */
export function marksWithdrawals({ metadata }: Marked): boolean {
  return metadata.annotations?.[Annotation.withdrawals] === marked;
}

/** The annotation by which an owner says that it marks what it withdraws. */
export const marksItsWithdrawals = { [Annotation.withdrawals]: marked };

/**
 * What an imported object says of its leader, so that it is known when the leader has lost the import: whether it marks what it withdraws, and of
 * which Common Area it is; `others` without what they said of that before.
 */
export function leaderAnnotations(
  others: Readonly<Record<string, string>>,
  remote: Marked,
  area: string,
): Readonly<Record<string, string>> {
  const { [Annotation.withdrawals]: _marks, [Annotation.importedFrom]: _from, ...rest } = others;
  return marksWithdrawals(remote) ? { ...rest, ...marksItsWithdrawals, [Annotation.importedFrom]: area } : rest;
}

/** The Common Area that an imported object came from; undefined where it does not say. */
export function importedFrom({ metadata }: Marked): string | undefined {
  return metadata.annotations?.[Annotation.importedFrom];
}

/** The annotation to write before the object is deleted; `nowMs`: wall clock, epoch milliseconds. */
export function withdrawnMark(nowMs: number): Readonly<Record<string, string>> {
  return { [Annotation.withdrawn]: rfc3339(nowMs) };
}

/** What the export said of itself, by the import that was made of it. */
export function standInAnnotations({ annotations }: KubernetesObject['metadata']): Readonly<Record<string, string>> {
  return annotations?.[Annotation.sourceWithdrawals] === marked ? marksItsWithdrawals : {};
}
