import type { KubernetesObject, ObjectRef } from '@isthmus/machinery';
import { compareResourceVersions, isAtMost, keyOf, keyOfObject, deepFreeze } from '@isthmus/machinery';
import type { Change, Indexes } from './cache.ts';
import { isReduced } from './limited-cache.ts';
import { ObjectStore } from './object-store.ts';

/** Uids of deleted objects that are remembered; far more than can be in flight at once. */
const MOST_TOMBSTONES = 10_000;

/**
 * The contents of a cache, and the rules that combine lists, watch events and our own writes. Every
 * method returns what changed. Objects that come in are well formed.
 *
 * Guarantees: an object never goes back to an older resourceVersion. The exception is a list, which
 * is read at quorum: if it has an older version, the server itself went back (restored from a
 * backup). An equal resourceVersion changes nothing. After the watch has reported everything up to
 * the last write, the cache equals the server.
 *
 * Assumes: resourceVersions of one kind are decimal numbers that grow with each write (KEP-5504).
 * If they are not, the later arrival wins, and a write of ours that the watch never confirms stays
 * until the next list.
 */
export class CacheContents<T extends KubernetesObject> {
  #store: ObjectStore<T>;
  readonly #indexes: Indexes<T>;
  /** The objects that an empty cache will hold when the present list is complete. */
  #prepared: ObjectStore<T>;
  readonly #onIndexError: (index: string, error: unknown) => void;
  /** The last list or the watch has reported everything up to this resourceVersion. */
  #toldUntil: string | undefined;
  /**
   * Key → resourceVersion of our own write that neither list nor watch has reached. Until they
   * reach it our write is newer, even if we have deleted the object since.
   */
  readonly #unconfirmed = new Map<string, string>();
  readonly #deletedUids = new Set<string>();
  /**
   * The keys and uids of both that were recorded before the present list began: the list is newer.
   */
  #writtenBeforeList: ReadonlyMap<string, string> = new Map();
  #deletedBeforeList: readonly string[] = [];

  constructor(indexes: Indexes<T>, onIndexError: (index: string, error: unknown) => void) {
    this.#indexes = indexes;
    this.#store = new ObjectStore(indexes);
    this.#prepared = new ObjectStore(indexes);
    this.#onIndexError = onIndexError;
  }

  get store(): ObjectStore<T> {
    return this.#store;
  }

  /**
   * A list is about to be read, at quorum, so it contains every write that was answered before. If
   * it does not, the server went back in time, and the writes and deletions before it do not count
   * any more.
   */
  beginList(): void {
    this.#writtenBeforeList = new Map(this.#unconfirmed);
    this.#deletedBeforeList = [...this.#deletedUids];
    this.#prepared = new ObjectStore(this.#indexes);
  }

  /**
   * Prepares an object of a page of the present list. Work per object is done here, before the list
   * takes effect all at once. Returns the object to pass to `replace`: the held object if it is the
   * same.
   */
  listed(item: T): T {
    const key = keyOfObject(item);
    const held = this.#store.get(key);
    if (held !== undefined && versionOf(held) === versionOf(item) && !isReduced(held)) return held;
    const object = frozenForCache(item);
    if (this.#store.size === 0) this.#prepared.put(key, object, this.#onIndexError);
    return object;
  }

  /**
   * Takes a complete list read at `resourceVersion`. Keeps what we wrote later than that; without
   * one, nothing.
   */
  replace(items: readonly T[], resourceVersion: string | undefined): readonly Change<T>[] {
    for (const [key, written] of this.#writtenBeforeList)
      if (this.#unconfirmed.get(key) === written) this.#unconfirmed.delete(key);
    for (const uid of this.#deletedBeforeList) this.#deletedUids.delete(uid);
    this.#writtenBeforeList = new Map();
    this.#deletedBeforeList = [];
    for (const [key, written] of this.#unconfirmed)
      if (!isAfter(written, resourceVersion)) this.#unconfirmed.delete(key);
    const listed = new Map<string, T>();
    for (const item of items) if (!this.#isDeleted(item)) listed.set(keyOfObject(item), item);
    const origin = this.#isFromBefore(listed, resourceVersion) ? ({ byList: true, wentBack: true } as const) : byList;
    this.#toldUntil = resourceVersion;
    if (this.#isPrepared(listed)) {
      this.#store = this.#prepared;
      this.#prepared = new ObjectStore(this.#indexes);
      return Array.from(listed, ([key, after]) => ({ key, after, ...origin }));
    }
    this.#prepared = new ObjectStore(this.#indexes);
    const changes: Change<T>[] = [];
    for (const before of this.#store.list()) {
      const key = keyOfObject(before);
      if (!listed.has(key) && !this.#unconfirmed.has(key)) changes.push(this.#remove(key, before));
    }
    for (const [key, item] of listed) {
      if (this.#unconfirmed.has(key)) continue;
      const before = this.#store.get(key);
      const isSame =
        before !== undefined && versionOf(before) === versionOf(item) && isReduced(before) === isReduced(item);
      if (!isSame) changes.push(this.#put(key, before, item));
    }
    return changes.map((change) => ({ ...change, ...origin }));
  }

  /** Takes one line of the watch. */
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): readonly Change<T>[] {
    const key = keyOfObject(object);
    const version = versionOf(object);
    const before = this.#store.get(key);
    if (!isAtMost(version, this.#toldUntil)) this.#toldUntil = version;
    const written = this.#unconfirmed.get(key);
    if (isAtMost(written, version)) this.#unconfirmed.delete(key);
    if (type === 'DELETED') {
      // An older deletion concerns the object's predecessor, or a selection that the object has
      // entered again.
      return before === undefined || isAfter(versionOf(before), version) ? NOTHING : [this.#remove(key, before)];
    }
    if (this.#isDeleted(object) || !isNews(object, before)) return NOTHING;
    // A predecessor of what we wrote and deleted.
    if (before === undefined && isAtMost(version, written)) return NOTHING;
    return [this.#put(key, before, object)];
  }

  /** Takes a bookmark: the watch has reported everything up to `resourceVersion`. */
  bookmark(resourceVersion: string): readonly Change<T>[] {
    if (!isAtMost(resourceVersion, this.#toldUntil)) this.#toldUntil = resourceVersion;
    const changes: Change<T>[] = [];
    for (const [key, written] of this.#unconfirmed) {
      if (!isAtMost(written, resourceVersion)) continue;
      // The watch passed our write without reporting it: the object is not selected by this cache.
      this.#unconfirmed.delete(key);
      const before = this.#store.get(key);
      if (before !== undefined) changes.push(this.#remove(key, before));
    }
    return changes;
  }

  /** Takes the server's answer to a write of ours. */
  wrote(object: T): readonly Change<T>[] {
    if (isGone(object)) return this.deleted(object.metadata, object.metadata.uid);
    const key = keyOfObject(object);
    const version = versionOf(object);
    const before = this.#store.get(key);
    if (this.#isDeleted(object) || !isNews(object, before)) return NOTHING;
    const passed = isAtMost(version, this.#toldUntil);
    // The watch, or a later write of ours, is past this write: an object that it did not report no
    // longer exists, or is not selected.
    if (before === undefined && (passed || isAtMost(version, this.#unconfirmed.get(key)))) return NOTHING;
    if (!passed && version !== undefined) this.#unconfirmed.set(key, version);
    return [this.#put(key, before, object)];
  }

  /** Takes note that we deleted the object with this uid; without a uid, the one that is held. */
  deleted(ref: ObjectRef, uid: string | undefined): readonly Change<T>[] {
    const key = keyOf(ref);
    const before = this.#store.get(key);
    const gone = uid ?? before?.metadata.uid;
    if (gone !== undefined) this.#remember(gone);
    if (before === undefined || (uid !== undefined && before.metadata.uid !== uid)) return NOTHING;
    return [this.#remove(key, before)];
  }

  /**
   * Records that the object with this uid does not exist, although no deletion was seen; without a
   * uid, the held object.
   */
  missing(ref: ObjectRef, uid: string | undefined): readonly Change<T>[] {
    const key = keyOf(ref);
    const before = this.#store.get(key);
    if (before === undefined || (uid !== undefined && before.metadata.uid !== uid)) return NOTHING;
    this.#unconfirmed.delete(key);
    return [this.#remove(key, before)];
  }

  /** Holds `object` in the place of `before`, of which it is another form. */
  hold(key: string, before: T, object: T): Change<T> {
    return this.#put(key, before, object);
  }

  /**
   * Whether the list is older than the watch, or contains an older version of an object. The
   * revision of a restored server may be raised, but the resourceVersions of its objects are not.
   */
  #isFromBefore(listed: ReadonlyMap<string, T>, resourceVersion: string | undefined): boolean {
    if (isAfter(this.#toldUntil, resourceVersion)) return true;
    return listed.entries().some(([key, item]) => {
      const held = this.#unconfirmed.has(key) ? undefined : this.#store.get(key);
      return (
        held?.metadata.uid === item.metadata.uid &&
        isAfter(held === undefined ? undefined : versionOf(held), versionOf(item))
      );
    });
  }

  /** Whether what was prepared is these objects, and nothing else is held. */
  #isPrepared(listed: ReadonlyMap<string, T>): boolean {
    if (this.#store.size > 0 || this.#unconfirmed.size > 0 || this.#prepared.size !== listed.size) return false;
    for (const [key, item] of listed) if (this.#prepared.get(key) !== item) return false;
    return true;
  }

  #put(key: string, before: T | undefined, object: T): Change<T> {
    const after = frozenForCache(object);
    this.#store.put(key, after, this.#onIndexError);
    return before === undefined ? { key, after } : { key, before, after };
  }

  #remove(key: string, before: T): Change<T> {
    this.#store.remove(key);
    return { key, before };
  }

  #isDeleted(object: T): boolean {
    const { uid } = object.metadata;
    return uid !== undefined && this.#deletedUids.has(uid);
  }

  #remember(uid: string): void {
    this.#deletedUids.add(uid);
    for (const oldest of this.#deletedUids) {
      if (this.#deletedUids.size <= MOST_TOMBSTONES) break;
      this.#deletedUids.delete(oldest);
    }
  }
}

const NOTHING: readonly never[] = Object.freeze([]);
const byList = { byList: true } as const;

function versionOf(object: KubernetesObject): string | undefined {
  return object.metadata.resourceVersion;
}

/** Whether `a` is known to be later than `b`. */
function isAfter(a: string | undefined, b: string | undefined): boolean {
  return (compareResourceVersions(a, b) ?? 0) > 0;
}

function isNews(object: KubernetesObject, held: KubernetesObject | undefined): boolean {
  if (held === undefined) return true;
  const order = compareResourceVersions(versionOf(object), versionOf(held));
  return order === undefined ? versionOf(object) !== versionOf(held) : order > 0;
}

/**
 * The answer to a write that took away the last finalizer of an object under deletion: the server
 * has removed it. Namespaces have finalizers of their own in their spec, Pods a grace period.
 */
function isGone(object: KubernetesObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0)
    return false;
  const spec = (object as { readonly spec?: { readonly finalizers?: readonly unknown[] } | null }).spec;
  return (spec?.finalizers?.length ?? 0) === 0;
}

/**
 * The object as caches share it: without `managedFields` and frozen throughout. Values below and
 * beside `metadata` are not copied: they become frozen in the argument too. An object in this form
 * is returned unchanged.
 */
function frozenForCache<T extends KubernetesObject>(object: T): T {
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields === undefined && Object.isFrozen(object) && Object.isFrozen(object.metadata)) return object;
  return deepFreeze({ ...object, metadata });
}
