import { Annotation, marked } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { rfc3339 } from '@isthmus/machinery';

type Marked = Pick<KubernetesObject, 'metadata'>;

/** Whether its owner has withdrawn the object, so that it only remains to be deleted. */
export function isWithdrawn({ metadata }: Marked): boolean {
  return metadata.annotations?.[Annotation.withdrawn] !== undefined;
}

/**
 * Whether the owner of the object declares that it marks what it withdraws. An object of this owner
 * that is deleted without a mark was lost.
 */
export function marksWithdrawals({ metadata }: Marked): boolean {
  return metadata.annotations?.[Annotation.withdrawals] === marked;
}

/** The annotation by which an owner declares that it marks what it withdraws. */
export const marksItsWithdrawals = { [Annotation.withdrawals]: marked };

/**
 * The facts about its leader that an imported object records, for the case that the leader loses
 * the import: whether the leader marks what it withdraws, and its Common Area. `others` without
 * their earlier values of these annotations.
 */
export function leaderAnnotations(
  others: Readonly<Record<string, string>>,
  remote: Marked,
  area: string,
): Readonly<Record<string, string>> {
  const { [Annotation.withdrawals]: _marks, [Annotation.importedFrom]: _from, ...rest } = others;
  return marksWithdrawals(remote) ? { ...rest, ...marksItsWithdrawals, [Annotation.importedFrom]: area } : rest;
}

/** The Common Area that an imported object came from; undefined if it is not recorded. */
export function importedFrom({ metadata }: Marked): string | undefined {
  return metadata.annotations?.[Annotation.importedFrom];
}

/**
 * The annotation to write before the object is deleted; `nowMs`: wall clock, epoch milliseconds.
 */
export function withdrawnMark(nowMs: number): Readonly<Record<string, string>> {
  return { [Annotation.withdrawn]: rfc3339(nowMs) };
}

/** The annotations of the lost export, as far as its import contains them. */
export function substituteAnnotations({ annotations }: KubernetesObject['metadata']): Readonly<Record<string, string>> {
  return annotations?.[Annotation.sourceWithdrawals] === marked ? marksItsWithdrawals : {};
}
