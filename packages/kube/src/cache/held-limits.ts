import type { Clock, KubernetesObject } from '@isthmus/machinery';
import { createPostponed } from '../waiting/postponed.ts';
import type { CacheContents } from './cache-contents.ts';
import type { Change } from './cache.ts';
import type { CacheLimits } from './limited-cache.ts';
import { limitObjects, reducedBy } from './limited-cache.ts';
import { createListeners } from './listeners.ts';
import type { OwnerUsage } from './owner-limits.ts';
import type { ListedObjects } from './reflector.ts';

/**
 * The time from room becoming free until everything is listed again, for objects that are held
 * reduced and are within the limits now.
 */
const roomMs = 30_000;
/** How often listeners learn that more or less is over the limits. */
const overMs = 2_000;

/** Keeps the contents of a cache within its limits, and notifies of the owners that exceed them. */
export interface HeldLimits<T extends KubernetesObject> {
  /** The changes, and those of objects that are held reduced from now on. */
  applied(changes: readonly Change<T>[]): readonly Change<T>[];
  /** A list begins; its objects count from `listed` on. */
  listing(): ListedObjects<T>;
  listed(): void;
  over(): readonly OwnerUsage[];
  /**
   * Calls the listener after what `over` returns has changed, once in two seconds at most. Returns
   * the unsubscriber.
   */
  onOver(listener: () => void): () => void;
  /** Nothing that waits happens any more. */
  stop(): void;
}

export interface HeldLimitsOptions<T extends KubernetesObject> {
  readonly limits: CacheLimits<T>;
  readonly clock: Clock;
  readonly contents: CacheContents<T>;
  /** Objects that are held reduced fit again: everything must be listed. */
  readonly onRoom: () => void;
  readonly onListenerError: (error: unknown) => void;
}

export function holdWithinLimits<T extends KubernetesObject>(options: HeldLimitsOptions<T>): HeldLimits<T> {
  const { limits, clock, contents, onRoom, onListenerError } = options;
  const limited = limitObjects(limits);
  const listeners = createListeners<void>(onListenerError);
  let shownOver = '[]';
  const room = createPostponed(clock, roomMs, onRoom);
  const notice = createPostponed(clock, overMs, () => {
    shownOver = JSON.stringify(limited.over());
    listeners.notify([undefined]);
  });
  const checkOver = (): void => {
    if (!notice.isWaiting && JSON.stringify(limited.over()) !== shownOver) notice.request();
  };
  return {
    applied(changes) {
      const all = [...changes];
      for (const { key, after } of changes) {
        const { reduce, roomFor } = after === undefined ? limited.remove(key) : limited.put(after);
        for (const one of reduce) {
          const whole = contents.store.get(one);
          if (whole !== undefined) all.push(contents.hold(one, whole, reducedBy(limits, whole)));
        }
        if (roomFor > 0) room.request();
      }
      checkOver();
      return all;
    },
    listing: () => limited.listing(),
    listed() {
      limited.listed();
      checkOver();
    },
    over: () => limited.over(),
    onOver: (listener) => listeners.subscribe(listener),
    stop() {
      room.cancel();
      notice.cancel();
    },
  };
}

/** The same for a cache that holds every object whole. */
export function holdEverything<T extends KubernetesObject>(): HeldLimits<T> {
  return {
    applied: (changes) => changes,
    listing: wholeList,
    listed() {},
    over: () => [],
    onOver: () => () => {},
    stop() {},
  };
}

function wholeList<T>(): ListedObjects<T> {
  const items: T[] = [];
  return {
    isLimited: false,
    add: (item) => void items.push(item),
    clear: () => void (items.length = 0),
    all: () => items,
  };
}
