import { canonicalJson, deepFreeze, keyOfObject } from '@isthmus/machinery';
import type { Clock } from '@isthmus/machinery';
import { History } from './history.ts';
import type { RecordedChange, Stored, StoredChange } from './stored.ts';

/**
 * Objects by resource and key, the counter of resourceVersions, and the recent history, which
 * watches and continued lists read. As in etcd, changes older than five to ten minutes are dropped.
 */
export class Store {
  readonly #objects = new Map<string, Map<string, Stored>>();
  /** Results of {@link Store.list}, until the next write of the resource. */
  readonly #lists = new Map<string, readonly Stored[]>();
  readonly #listeners = new Map<string, Set<(change: RecordedChange) => void>>();
  readonly #history: History<RecordedChange>;
  #resourceVersion = 1;

  constructor(clock: Clock, compactEveryMs = 300_000) {
    this.#history = new History(clock, compactEveryMs);
  }

  get resourceVersion(): number {
    return this.#resourceVersion;
  }

  /** The state at this resourceVersion can be read, not that before. */
  get compactedTo(): number {
    return this.#history.compactedTo;
  }

  get(storageKey: string, key: string): Stored | undefined {
    return this.#objects.get(storageKey)?.get(key);
  }

  /** Every object of a resource in the order of etcd: bytewise by key. */
  list(storageKey: string): readonly Stored[] {
    let list = this.#lists.get(storageKey);
    if (list === undefined) this.#lists.set(storageKey, (list = inOrder(this.#objects.get(storageKey) ?? new Map())));
    return list;
  }

  /** {@link list} as it was at a resourceVersion that is not compacted. */
  listAt(storageKey: string, resourceVersion: number): readonly Stored[] {
    const objects = new Map(this.#objects.get(storageKey));
    for (const change of this.#history.since(storageKey, resourceVersion).toReversed()) {
      if (change.before === undefined) objects.delete(change.key);
      else objects.set(change.key, change.before);
    }
    return inOrder(objects);
  }

  /** The resources that have objects, bytewise. */
  storageKeys(): readonly string[] {
    return [...this.#objects.keys()].filter((each) => (this.#objects.get(each)?.size ?? 0) > 0).toSorted();
  }

  /** Writes an object with the next resourceVersion and notifies the listeners. */
  put(storageKey: string, object: Stored): Stored {
    const key = keyOfObject(object);
    const before = this.get(storageKey, key);
    const resourceVersion = ++this.#resourceVersion;
    const after = withVersion(object, resourceVersion);
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
    return withVersion(object, resourceVersion);
  }

  /** The changes of a resource after a resourceVersion that is not compacted, oldest first. */
  since(storageKey: string, resourceVersion: number): readonly RecordedChange[] {
    return this.#history.since(storageKey, resourceVersion);
  }

  /** Reports each change of a resource, within the write. Returns the unsubscriber. */
  onChange(storageKey: string, listener: (change: RecordedChange) => void): () => void {
    let listeners = this.#listeners.get(storageKey);
    if (listeners === undefined) this.#listeners.set(storageKey, (listeners = new Set()));
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Reports each change of every resource, as {@link onChange} does. */
  onAnyChange(listener: (change: RecordedChange) => void): () => void {
    return this.onChange(anyResource, listener);
  }

  /** Forgets the past: older resourceVersions answer 410. */
  compact(): void {
    this.#history.compact(this.#resourceVersion);
  }

  /** The whole state as one text, for comparisons. */
  snapshot(): string {
    return canonicalJson(this.storageKeys().map((storageKey) => [storageKey, this.list(storageKey)]));
  }

  #record(made: StoredChange): void {
    let gone: Stored | undefined;
    const change: RecordedChange = {
      ...made,
      gone: () => (gone ??= made.before === undefined ? undefined : withVersion(made.before, made.resourceVersion)),
    };
    this.#history.add(change);
    this.#lists.delete(change.storageKey);
    for (const listener of this.#listeners.get(change.storageKey) ?? []) listener(change);
    for (const listener of this.#listeners.get(anyResource) ?? []) listener(change);
  }
}

function withVersion(object: Stored, resourceVersion: number): Stored {
  return deepFreeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(resourceVersion) } });
}

/** No resource has this storage key. */
const anyResource = '*';

function inOrder(objects: ReadonlyMap<string, Stored>): readonly Stored[] {
  return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}
