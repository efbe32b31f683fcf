import { forgottenAfterMs } from '@isthmus/wire';

/** The CRD of a kind in the own cluster, in its current form. */
export type DefinitionLook =
  | { readonly kind: 'served'; readonly createdMs: number }
  /** It is gone, or being deleted. */
  | { readonly kind: 'lost' }
  /** The manifests of an older release do not allow the member to read it. */
  | { readonly kind: 'unknown' };

export interface DefinitionLossInput {
  readonly definition: DefinitionLook;
  /** A user allowed the removal. */
  readonly allowed: boolean;
  /**
   * When the missing object was created or, if that is not remembered, its export. Undefined: not
   * known.
   */
  readonly madeMs: number | undefined;
  readonly nowMs: number;
}

/**
 * Fail static (docs/spec/membership.md §7): decides if the export of a missing object is to stay.
 * Objects that were deleted with their CRD were lost, not withdrawn.
 *
 * If the CRD is younger than the object, no user need have deleted the object: the CRD came back
 * without it. The object may come back too. That is expected for a day, the time for which a silent
 * member is remembered.
 */
export function isLostWithDefinition({ definition, allowed, madeMs, nowMs }: DefinitionLossInput): boolean {
  if (allowed || definition.kind === 'unknown') return false;
  if (definition.kind === 'lost') return true;
  const isYounger = madeMs !== undefined && madeMs < definition.createdMs;
  return isYounger && nowMs - definition.createdMs < forgottenAfterMs;
}
