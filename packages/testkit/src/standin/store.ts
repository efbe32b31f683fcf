import { canonicalJson, deepFreeze, keyOfObject } from '@isthmus/machinery';
import type { Stored } from './served-type.ts';

/** One write: the object before and after it. Neither is never the case. */
export interface StoredChange {
  readonly resourceVersion: number;
  readonly storageKey: string;
  readonly key: string;
  readonly before?: Stored | undefined;
  /** With the new resourceVersion. */
  readonly after?: Stored | undefined;
}

/** Objects, the one counter of the server, and the history that watches and paged lists read. */
export class Store {
  readonly #objects = new Map<string, Map<string, Stored>>();
  /** What {@link Store.list} returned, until the next write of the kind. */
  readonly #lists = new Map<string, readonly Stored[]>();
  readonly #listeners = new Set<(change: StoredChange) => void>();
  #history: StoredChange[] = [];
  #resourceVersion = 0;
  #compactedTo = 0;

  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  /** Changes up to this one are forgotten. */
  get compactedTo(): number {
    return this.#compactedTo;
  }

  get(storageKey: string, key: string): Stored | undefined {
    return this.#objects.get(storageKey)?.get(key);
  }

  /** Every object of a kind in the order of etcd: bytewise by key. */
  list(storageKey: string): readonly Stored[] {
    let list = this.#lists.get(storageKey);
    if (list === undefined) this.#lists.set(storageKey, (list = inOrder(this.#objects.get(storageKey) ?? new Map())));
    return list;
  }

  /** {@link list} as it was at a resourceVersion that is not compacted. */
  listAt(storageKey: string, resourceVersion: number): readonly Stored[] {
    const objects = new Map(this.#objects.get(storageKey));
    for (const change of this.#history.toReversed()) {
      if (change.resourceVersion <= resourceVersion) break;
      if (change.storageKey !== storageKey) continue;
      if (change.before === undefined) objects.delete(change.key);
      else objects.set(change.key, change.before);
    }
    return inOrder(objects);
  }

  /** All kinds, for cascades. */
  *all(): Iterable<readonly [storageKey: string, object: Stored]> {
    for (const [storageKey, objects] of this.#objects)
      for (const object of objects.values()) yield [storageKey, object];
  }

  /** Writes an object as the next resourceVersion and tells the listeners. */
  put(storageKey: string, object: Stored): Stored {
    const key = keyOfObject(object);
    const before = this.get(storageKey, key);
    const resourceVersion = ++this.#resourceVersion;
    const after = deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(resourceVersion) } });
    let objects = this.#objects.get(storageKey);
    if (objects === undefined) this.#objects.set(storageKey, (objects = new Map()));
    objects.set(key, after);
    this.#record({ resourceVersion, storageKey, key, before, after });
    return after;
  }

  /** Removes an object, and returns it as it was with the resourceVersion of its removal. */
  remove(storageKey: string, object: Stored): Stored {
    const key = keyOfObject(object);
    const resourceVersion = ++this.#resourceVersion;
    const before = this.get(storageKey, key);
    this.#objects.get(storageKey)?.delete(key);
    this.#record({ resourceVersion, storageKey, key, before });
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(resourceVersion) } };
  }

  /** The changes of a kind after a resourceVersion. */
  since(storageKey: string, resourceVersion: number): readonly StoredChange[] {
    return this.#history.filter(
      (change) => change.storageKey === storageKey && change.resourceVersion > resourceVersion,
    );
  }

  onChange(listener: (change: StoredChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the history, as etcd does after some minutes: older resourceVersions answer 410. */
  compact(): void {
    this.#history = [];
    this.#compactedTo = this.#resourceVersion;
  }

  /** The whole state as one text, for comparisons. */
  snapshot(): string {
    return canonicalJson([...this.#objects.keys()].toSorted().map((storageKey) => [storageKey, this.list(storageKey)]));
  }

  #record(change: StoredChange): void {
    this.#history.push(change);
    this.#lists.delete(change.storageKey);
    for (const listener of this.#listeners) listener(change);
  }
}

function inOrder(objects: ReadonlyMap<string, Stored>): readonly Stored[] {
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}
