import type { KubernetesObject } from '@isthmus/machinery';
import { keyOfObject } from '@isthmus/machinery';
import { jsonLength } from './json-length.ts';
import type { Moved, OwnerLimits, OwnerUsage } from './owner-limits.ts';
import { LimitedOwners } from './owner-limits.ts';
import type { ListedObjects } from './reflector.ts';

/** How much a cache holds of objects that others write as large and as many as they like. */
export interface CacheLimits<T> extends OwnerLimits {
  /** Total. */
  readonly ownerOf: (object: T) => string;
  /** Reduces an object that is over the limits; the result must be small for every object. */
  readonly reduce: (object: T) => T;
}

/** Marks an object that is held reduced, with the limits that it exceeds. Not part of its JSON. */
const reducedMark = Symbol('reduced');

/** Whether a cache holds only what {@link CacheLimits.reduce} left of the object. */
export function isReduced(object: object): boolean {
  return exceededLimits(object) !== undefined;
}

/** The limits of the cache that holds the object reduced; undefined for an object that is whole. */
export function exceededLimits(object: object): OwnerLimits | undefined {
  const { [reducedMark]: limits }: { readonly [reducedMark]?: OwnerLimits } = object;
  return limits;
}

/** The object as a cache holds it where it is over the limits. */
export function reducedBy<T extends KubernetesObject>(limits: CacheLimits<T>, object: T): T {
  return isReduced(object) ? object : { ...limits.reduce(object), [reducedMark]: limits };
}

/** Which objects of a cache are over the limits. */
export interface LimitedObjects<T extends KubernetesObject> {
  /**
   * Takes note of what the cache holds now. Returns the keys of objects that are to be reduced, and
   * whether others could be held whole again.
   */
  put(object: T): { readonly reduce: readonly string[]; readonly roomFor: number };
  remove(key: string): { readonly reduce: readonly string[]; readonly roomFor: number };
  /** A list begins; after `listed`, its objects count. */
  listing(): ListedObjects<T>;
  listed(): void;
  over(): readonly OwnerUsage[];
}

export function limitObjects<T extends KubernetesObject>(limits: CacheLimits<T>): LimitedObjects<T> {
  let owners = new LimitedOwners(limits);
  let next = owners;
  const answer = ({ out, in: back }: Moved, own: readonly string[]) => ({
    reduce: [...own, ...out],
    roomFor: back.length,
  });
  return {
    put(object) {
      // A reduced object was measured when it was whole.
      if (isReduced(object)) return { reduce: [], roomFor: 0 };
      const key = keyOfObject(object);
      const moved = owners.put(key, sizeOf(limits, object));
      return answer(moved, owners.isWithin(key) ? [] : [key]);
    },
    remove: (key) => answer(owners.remove(key), []),
    listing() {
      const found = new Map<string, T>();
      next = new LimitedOwners(limits);
      const reduce = (key: string) => {
        const object = found.get(key);
        if (object !== undefined) found.set(key, reducedBy(limits, object));
      };
      return {
        isLimited: true,
        add(object) {
          const key = keyOfObject(object);
          const { out } = next.put(key, sizeOf(limits, object));
          found.set(key, object);
          if (!next.isWithin(key)) reduce(key);
          out.forEach(reduce);
        },
        clear() {
          found.clear();
          next = new LimitedOwners(limits);
        },
        all: () => [...found.values()],
      };
    },
    listed: () => void (owners = next),
    over: () => owners.over(),
  };
}

function sizeOf<T extends KubernetesObject>({ ownerOf }: CacheLimits<T>, object: T) {
  const { managedFields: _, creationTimestamp = '', ...metadata } = object.metadata;
  return { owner: ownerOf(object), age: creationTimestamp, bytes: jsonLength({ ...object, metadata }) };
}
