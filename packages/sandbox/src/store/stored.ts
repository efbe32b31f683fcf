import type { KubernetesObject } from '@isthmus/machinery';

/**
 * An object as it is stored: whole, in its storage version, with its resourceVersion. Frozen to the
 * bottom.
 */
export interface Stored extends KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** One write: the object before and after it; at least one is present. */
export interface StoredChange {
  readonly resourceVersion: number;
  /** `group/plural`: all versions of a resource share their objects. */
  readonly storageKey: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  readonly before?: Stored | undefined;
  /** The object with its new resourceVersion. */
  readonly after?: Stored | undefined;
}

/** A {@link StoredChange} as the store reports it. */
export interface RecordedChange extends StoredChange {
  /**
   * The object before the change with the resourceVersion of the change, as who does not see it any
   * more hears of it: one object for all of them.
   */
  gone(): Stored | undefined;
}
