import type { Clock, Random } from '@isthmus/machinery';
import type { FieldSets } from '../ownership/field-sets.ts';
import type { Authorizer } from '../request/authorizer.ts';
import type { Conversion } from './conversion.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Store } from '../store/store.ts';
import type { Stored } from '../store/stored.ts';
import type { WriteTarget } from './target.ts';
import type { StrategyContext } from '../strategy/strategy.ts';

/** The shared state and services of all handlers. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly context: StrategyContext;
  readonly authorizer: Authorizer;
  readonly guard: Guard;
  readonly admission: Admission;
  readonly conversion: Conversion;
  readonly fieldSets: FieldSets;
}

/** Looks at a write before anything else does. Throws a Refusal. */
export type Guard = (core: Core, target: WriteTarget, object: Stored, before: Stored | undefined) => void;

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A write on its way into the store. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly target: WriteTarget;
  /** Absent for DELETE. */
  readonly object?: Stored | undefined;
  /** Absent for CREATE. */
  readonly before?: Stored | undefined;
  /**
   * The resource of `object` and `before`, if it is not the resource itself: a Scale, a Binding.
   */
  readonly body?: ServedResource | undefined;
  /**
   * The options of the request, as JSON of `CreateOptions`, `UpdateOptions`, `PatchOptions` or
   * `DeleteOptions`.
   */
  readonly options: object;
}

/**
 * The admission of a decoded object: `mutate` runs before its validation, `validate` after it. Both
 * throw a Refusal.
 */
export interface Admission {
  /** The object as the mutating plugins and webhooks leave it. */
  mutate(core: Core, request: AdmissionRequest): Promise<Stored | undefined>;
  validate(core: Core, request: AdmissionRequest): Promise<void>;
}
