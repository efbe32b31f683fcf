import type { KubernetesObject } from '@isthmus/machinery';
import { keyOfObject } from '@isthmus/machinery';
import type { Indexes } from './cache.ts';
import { SortedObjects } from './sorted-objects.ts';

/**
 * The objects of a cache with their indexes: by Namespace, and those declared up front. Knows
 * nothing of versions or servers.
 *
 * Cost: a change touches only the buckets of the object before and after it.
 */
export class ObjectStore<T extends KubernetesObject> {
  readonly #all = new SortedObjects<T>();
  readonly #namespaces: Buckets<T> = new Map();
  readonly #indexes: ReadonlyMap<string, Index<T>>;

  constructor(indexes: Indexes<T>) {
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, valuesOf]) => [name, { valuesOf, standing: new Map(), buckets: new Map() }]),
    );
  }

  get size(): number {
    return this.#all.size;
  }

  get(key: string): T | undefined {
    return this.#all.get(key);
  }

  list(namespace?: string): readonly T[] {
    return namespace === undefined ? this.#all.values() : valuesIn(this.#namespaces.get(namespace));
  }

  /** Errors: an index that was not declared is a mistake of the caller and throws. */
  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      const known = [...this.#indexes.keys()].join(', ') || 'none';
      throw new Error(
        `cannot read the cache: there is no index "${name}"; declare it when the cache is created (declared: ${known})`,
      );
    }
    return valuesIn(index.buckets.get(value));
  }

  /**
   * Replaces the object under `key`, which is the key of `object`. An index function that throws is
   * reported and yields no values.
   */
  put(key: string, object: T, onIndexError: (index: string, error: unknown) => void): void {
    const namespace = object.metadata.namespace;
    this.#all.put(key, object);
    if (namespace !== undefined) add(this.#namespaces, namespace, key, object);
    for (const [name, index] of this.#indexes) {
      const values = valuesOf(index, object, (error) => onIndexError(name, error));
      for (const value of index.standing.get(key) ?? NONE) if (!values.includes(value)) drop(index.buckets, value, key);
      for (const value of values) add(index.buckets, value, key, object);
      if (values.length > 0) index.standing.set(key, values);
      else index.standing.delete(key);
    }
  }

  remove(key: string): void {
    const before = this.#all.get(key);
    if (before === undefined) return;
    const namespace = before.metadata.namespace;
    this.#all.remove(key);
    if (namespace !== undefined) drop(this.#namespaces, namespace, key);
    for (const index of this.#indexes.values()) {
      for (const value of index.standing.get(key) ?? NONE) drop(index.buckets, value, key);
      index.standing.delete(key);
    }
  }
}

/**
 * Most values of an index have one object, and there are as many values as objects: alone it needs
 * a quarter of the room.
 */
type Bucket<T> = readonly [T] | SortedObjects<T>;
type Buckets<T> = Map<string, Bucket<T>>;

interface Index<T> {
  readonly valuesOf: (object: T) => readonly string[];
  /**
   * Key → the values under which the object is indexed. So removing them does not depend on the
   * function, which might return other values the second time.
   */
  readonly standing: Map<string, readonly string[]>;
  readonly buckets: Buckets<T>;
}

const NONE: readonly never[] = Object.freeze([]);

function valuesOf<T>(index: Index<T>, object: T, onError: (error: unknown) => void): readonly string[] {
  try {
    const values = index.valuesOf(object);
    return values.length < 2 ? values : [...new Set(values)];
  } catch (error) {
    onError(error);
    return NONE;
  }
}

function valuesIn<T>(bucket: Bucket<T> | undefined): readonly T[] {
  return bucket instanceof SortedObjects ? bucket.values() : (bucket ?? NONE);
}

function add<T extends KubernetesObject>(buckets: Buckets<T>, value: string, key: string, object: T): void {
  const bucket = buckets.get(value);
  if (bucket instanceof SortedObjects) {
    bucket.put(key, object);
  } else if (bucket === undefined || keyOfObject(bucket[0]) === key) {
    buckets.set(value, Object.freeze([object] as const));
  } else {
    const several = new SortedObjects<T>();
    several.put(keyOfObject(bucket[0]), bucket[0]);
    several.put(key, object);
    buckets.set(value, several);
  }
}

function drop<T extends KubernetesObject>(buckets: Buckets<T>, value: string, key: string): void {
  const bucket = buckets.get(value);
  if (bucket === undefined) return;
  if (bucket instanceof SortedObjects) {
    bucket.remove(key);
    if (bucket.size === 0) buckets.delete(value);
  } else if (keyOfObject(bucket[0]) === key) {
    buckets.delete(value);
  }
}
