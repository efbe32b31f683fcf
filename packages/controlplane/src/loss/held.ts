import type { Clock } from '@isthmus/machinery';

/**
 * The objects that a controller keeps although their source is missing, and since when. After a
 * restart, it holds them again for the rest of the recorded time (`held-record.ts`).
 */
export interface Held {
  /**
   * Records that it is held from now on, if it was not. `beforeMs`: for how long earlier processes
   * held it.
   */
  hold(thing: HeldThing, beforeMs?: number): void;
  release(thing: HeldThing): void;
  /** Forgets everything of one exchange, because its controllers start again. */
  clear(exchange: string): void;
  /** For how many milliseconds it has been held; undefined: it is not held. */
  forMs(thing: HeldThing): number | undefined;
  keys(exchange: string): readonly string[];
  /** The exchanges with held objects, in the order in which that began. */
  readonly exchanges: readonly string[];
  /** The number of different held objects, independent of which of their clusters are missing. */
  readonly size: number;
  /**
   * Calls `listener` after a change of the number, at most twice a second. Returns the
   * unsubscriber.
   */
  readonly onChange: (listener: () => void) => () => void;
}

/**
 * An object in which one cluster has a part. The cluster ID is empty if the cluster is not known.
 */
export interface HeldThing {
  readonly exchange: string;
  readonly key: string;
  readonly clusterID: string;
  /** The object, if several are under the key. */
  readonly of?: string | undefined;
}

/** Many objects are held and released at nearly the same time. */
const reportMs = 500;

export function createHeld(clock: Clock): Held {
  const held = new Map<string, { readonly thing: HeldThing; readonly sinceMs: number }>();
  const listeners = new Set<() => void>();
  let reporting = false;
  const idOf = ({ exchange, key, clusterID, of }: HeldThing) => JSON.stringify([exchange, key, clusterID, of]);
  const changed = () => {
    if (reporting) return;
    reporting = true;
    clock.after(reportMs, () => {
      reporting = false;
      listeners.forEach((listener) => listener());
    });
  };
  return {
    hold(thing, beforeMs = 0) {
      if (held.has(idOf(thing))) return;
      held.set(idOf(thing), { thing, sinceMs: clock.monotonic() - beforeMs });
      changed();
    },
    release(thing) {
      if (held.delete(idOf(thing))) changed();
    },
    clear(exchange) {
      for (const [id, { thing }] of held) if (thing.exchange === exchange && held.delete(id)) changed();
    },
    forMs(thing) {
      const found = held.get(idOf(thing));
      return found === undefined ? undefined : clock.monotonic() - found.sinceMs;
    },
    keys: (exchange) => [
      ...new Set([...held.values()].flatMap(({ thing }) => (thing.exchange === exchange ? [thing.key] : []))),
    ],
    get exchanges() {
      return [...new Set([...held.values()].map(({ thing }) => thing.exchange))];
    },
    get size() {
      return new Set([...held.values()].map(({ thing }) => JSON.stringify([thing.exchange, thing.key]))).size;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
