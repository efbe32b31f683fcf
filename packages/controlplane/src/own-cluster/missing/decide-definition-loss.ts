import { forgottenAfterMs } from '@isthmus/wire';

/** The CustomResourceDefinition of a kind in the own cluster, as its API server has it now. */
export type DefinitionLook =
  | { readonly kind: 'served'; readonly createdMs: number }
  /** It is gone, or being deleted. */
  | { readonly kind: 'lost' }
  /** The manifests of an older release do not let the member ask. */
  | { readonly kind: 'unknown' };

export interface DefinitionLossInput {
  readonly definition: DefinitionLook;
  /** A person allowed the removal. */
  readonly allowed: boolean;
  /** When the object that is missing was made, or, where nobody remembers it, what was exported of it; undefined: not known. */
  readonly madeMs: number | undefined;
  readonly nowMs: number;
}

/**
 * Fail static (docs/spec/membership.md §7). Whether what was exported of an object that is missing is to stay: objects that went with their
 * definition were lost, not withdrawn.
 *
 * A definition that is younger than the object does not show that a person deleted the object: it came back without it. For a day, which is how
 * long a silent member is remembered as well, the object may come back, too.
 */
export function isLostWithDefinition({ definition, allowed, madeMs, nowMs }: DefinitionLossInput): boolean {
  if (allowed || definition.kind === 'unknown') return false;
  if (definition.kind === 'lost') return true;
  const isYounger = madeMs !== undefined && madeMs < definition.createdMs;
  return isYounger && nowMs - definition.createdMs < forgottenAfterMs;
}
