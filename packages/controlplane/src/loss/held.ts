import type { Clock } from '@isthmus/machinery';

/**
 * What a controller keeps although its source is missing, and since when. Only a matter of patience: lost with the process, which holds it anew for
 * what is left of the time that is recorded (`held-record.ts`).
 */
export interface Held {
  /** Notes that it is held from now on, where it was not; `beforeMs`: for how long it has been held by earlier processes. */
  hold(thing: HeldThing, beforeMs?: number): void;
  release(thing: HeldThing): void;
  /** Forgets all of one exchange: its controllers start anew. */
  clear(exchange: string): void;
  /** For how many milliseconds it has been held; undefined: it is not. */
  forMs(thing: HeldThing): number | undefined;
  keys(exchange: string): readonly string[];
  /** The exchanges of which anything is held, in the order in which that began. */
  readonly exchanges: readonly string[];
  /** How many different things are held, whichever of their clusters are missing. */
  readonly size: number;
  /** Calls `listener` at most twice a second after the number has changed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** What one cluster has a part in; an empty cluster ID where it is not known which. */
export interface HeldThing {
  readonly exchange: string;
  readonly key: string;
  readonly clusterID: string;
}

/** Many are held and released within moments of each other. */
const reportMs = 500;

export function createHeld(clock: Clock): Held {
  const held = new Map<string, { readonly thing: HeldThing; readonly sinceMs: number }>();
  const listeners = new Set<() => void>();
  let reporting = false;
  const idOf = ({ exchange, key, clusterID }: HeldThing) => JSON.stringify([exchange, key, clusterID]);
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
