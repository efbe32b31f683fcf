import type { ObjectRef } from '@isthmus/machinery';

/**
 * The action for a field that cannot change (docs/spec/upgrades.md §2.6):
 *
 * - `recreate-foreground`: delete, wait until all dependents are deleted, create.
 * - `recreate-orphan`: delete but leave its Pods, create, and remove the old ReplicaSet when the
 *   new Pods are ready. The gap is short: for controllers with leader election whose old Pods
 *   answer no webhook.
 * - `block`: the object holds data, a user has to decide.
 */
export const immutableActions = ['recreate-foreground', 'recreate-orphan', 'block'] as const;
export type ImmutableAction = (typeof immutableActions)[number];

/** Which fields of a kind cannot change, as data. */
export interface ImmutableRule {
  readonly group: string;
  readonly kind: string;
  /** The fields, as `spec.selector`; an object or list counts as a whole. */
  readonly fields: readonly string[];
  /** Instead: all fields below this one but {@link fields} (StatefulSet `spec`). */
  readonly allBelow?: string | undefined;
  /**
   * Only where this holds of the live object: `immutable: true` of ConfigMap and Secret; a request
   * that grows is not a change (PVC).
   */
  readonly when?: 'is-marked-immutable' | 'does-not-only-grow' | 'shrinks' | undefined;
  readonly action: ImmutableAction;
  readonly why: string;
}

/** An object of a manifest that the API server would refuse to change. */
export interface ImmutableFinding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly ref: ObjectRef;
  /** Each field that differs, with both values as JSON text; those of Secrets are left out. */
  readonly changes: readonly {
    readonly field: string;
    readonly live?: string | undefined;
    readonly target?: string | undefined;
  }[];
  readonly action: ImmutableAction;
  /** One sentence, with the error that the API server would return. */
  readonly why: string;
}
