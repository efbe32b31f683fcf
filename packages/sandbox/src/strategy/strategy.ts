import type { FieldError } from '@isthmus/schema';
import type { TrackOptions } from '../ownership/track-update.ts';
import type { Stored } from '../store/stored.ts';

/**
 * The rules for writes of a resource, as far as they differ between resources. All are pure: facts
 * about the cluster come from {@link StrategyContext}.
 */
export interface Strategy {
  /** The errors of a name; `prefix`: it is a `generateName`. */
  readonly nameProblems: (name: string, prefix: boolean) => readonly string[];
  /** `metadata.generation`: not kept, or which changes count. */
  readonly generation?: GenerationRule | undefined;
  /** Whether PUT may do without a resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** Whether PUT and apply create a missing object. Apply always does. */
  readonly createOnUpdate: boolean;
  /** Whether DELETE answers with the object instead of a Status. */
  readonly deleteReturnsObject: boolean;
  /** Fills in the defaults of the version, right after decoding, before admission. */
  readonly defaults?: ((object: Stored) => Stored) | undefined;
  /** Drops the fields that a client may not set, and sets the server's fields. */
  readonly prepareForCreate?: ((object: Stored, context: StrategyContext) => Stored) | undefined;
  readonly prepareForUpdate?: ((object: Stored, before: Stored, context: StrategyContext) => Stored) | undefined;
  readonly prepareForStatusUpdate?: ((object: Stored, before: Stored) => Stored) | undefined;
  readonly validate?: ((object: Stored, context: StrategyContext) => readonly FieldError[]) | undefined;
  readonly validateUpdate?:
    | ((object: Stored, before: Stored, context: StrategyContext) => readonly FieldError[])
    | undefined;
  readonly validateStatusUpdate?:
    | ((object: Stored, before: Stored, context: StrategyContext) => readonly FieldError[])
    | undefined;
  /** Sets the server's fields after a new object has passed validation. */
  readonly canonicalize?: ((object: Stored) => Stored) | undefined;
  /** `Warning` texts for an object that is accepted. */
  readonly warnings?: ((object: Stored, before: Stored | undefined) => readonly string[]) | undefined;
  /** How a subresource other than `status` changes an object (`finalize` of a Namespace). */
  readonly subresourceUpdates?: Readonly<Record<string, SubresourceUpdate>> | undefined;
  /**
   * Allocates values that must be unique in the cluster (addresses, ports), before validation and
   * again when the object is written. For an object that names all its values, it only checks them.
   * Errors are those of the object. A call reserves nothing: allocated values are read from the
   * stored objects.
   */
  readonly allocate?:
    | ((object: Stored, before: Stored | undefined, context: AllocationContext) => Allocation)
    | undefined;
  /**
   * Which fields a write of this subresource (undefined: of the object) never owns, because it does
   * not change them.
   */
  readonly resetFields?: ((subresource: string | undefined) => Pick<TrackOptions, 'resetFields'>) | undefined;
  /**
   * How the first DELETE leaves an object that something of the server holds, in place of the usual
   * marks.
   */
  readonly beginDeletion?: ((object: Stored, context: StrategyContext) => Stored) | undefined;
  /**
   * The grace period in seconds of objects that are deleted with a delay (Pods), if the request
   * names none.
   */
  readonly gracePeriodSeconds?: ((object: Stored) => number) | undefined;
}

export type GenerationRule =
  | 'spec'
  | 'spec-and-annotations'
  | 'spec-and-labels'
  | 'all-but-metadata'
  | 'all-but-metadata-and-status';

export interface SubresourceUpdate {
  readonly prepare: (object: Stored, before: Stored) => Stored;
  readonly validate: (object: Stored, before: Stored) => readonly FieldError[];
}

export interface AllocationContext extends StrategyContext {
  /** Nothing is written in the end: the real server looks less closely then. */
  readonly dryRun: boolean;
}

export interface Allocation {
  readonly object: Stored;
  readonly errors: readonly FieldError[];
  /** A failure that is not the error of a field; the request fails with 500 for this reason. */
  readonly failure?: string | undefined;
}

/**
 * Values that only one Service may have (ClusterIPs as text and node ports as numbers), each with
 * the key of its Service.
 */
export type ServiceClaims = ReadonlyMap<string | number, string>;

/** The facts about the cluster for the rules of a resource. */
export interface StrategyContext {
  /** Every stored object of a resource, by `group/plural`. */
  list(storageKey: string): readonly Stored[];
  get(storageKey: string, key: string): Stored | undefined;
  /** The current time, RFC 3339. */
  readonly now: string;
  /** Ranges of ClusterIPs, the default family first. */
  readonly serviceCIDRs: readonly string[];
  readonly serviceClaims: ServiceClaims;
  /** Whether updates of custom resources may keep existing invalid values unchanged. */
  readonly isRatcheting: boolean;
  /** Uniform in [0, 1). */
  random(): number;
}
