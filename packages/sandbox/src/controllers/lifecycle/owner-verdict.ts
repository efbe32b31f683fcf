import type { ObjectMeta, OwnerReference } from '@isthmus/machinery';

/**
 * The state of an owner, by an owner reference. `unknown`: its kind is not served, so its existence
 * cannot be checked.
 */
export type OwnerState = 'there' | 'waits-for-dependents' | 'absent' | 'unknown';

/** The finalizers by which a deletion decides the fate of dependents. */
export const Propagation = { foreground: 'foregroundDeletion', orphan: 'orphan' } as const;

export type OwnerVerdict =
  | { readonly kind: 'keep' }
  /** Some owners exist, and these do not: the references to them are removed. */
  | { readonly kind: 'drop-references'; readonly uids: readonly string[] }
  | { readonly kind: 'delete'; readonly policy: 'Background' | 'Foreground' | 'Orphan' };

export interface OwnedObject {
  readonly metadata: ObjectMeta;
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
  /** Whether something depends on the object itself. */
  readonly hasDependents: boolean;
}

/**
 * Decides the fate of an object with owners (kubernetes.io/docs, "Garbage collection"). It is
 * deleted when no owner exists any more. It is deleted in the foreground if an owner waits for its
 * dependents and the object has dependents of its own. Otherwise a finalizer of the object that
 * names a policy decides.
 */
export function decideOwned({ metadata, owners, hasDependents }: OwnedObject): OwnerVerdict {
  if (metadata.deletionTimestamp !== undefined || owners.length === 0) return { kind: 'keep' };
  const inState = (state: OwnerState) => owners.filter((owner) => owner.state === state);
  const lost = [...inState('absent'), ...inState('waits-for-dependents')];
  if (inState('unknown').length > 0 || lost.length === 0) return { kind: 'keep' };
  if (inState('there').length > 0) {
    return { kind: 'drop-references', uids: lost.map(({ reference }) => reference.uid) };
  }
  const finalizers = metadata.finalizers ?? [];
  if (inState('waits-for-dependents').length > 0 && hasDependents) return { kind: 'delete', policy: 'Foreground' };
  if (finalizers.includes(Propagation.orphan)) return { kind: 'delete', policy: 'Orphan' };
  return { kind: 'delete', policy: finalizers.includes(Propagation.foreground) ? 'Foreground' : 'Background' };
}
