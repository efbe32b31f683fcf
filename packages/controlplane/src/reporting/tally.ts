/** Facts, each with the things of which it is true: for conditions that name a fact once, however many objects it is about. */
export interface Tally {
  /** From now on this fact, and no other, is true of the thing; undefined: none is. */
  note(thing: string, fact: string | undefined): void;
  /** Those that are true of anything, sorted. */
  facts(): readonly string[];
  /** Calls `listener` when the facts have changed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Facts may be any text that somebody writes: so many have room in a message. */
const most = 10;

export function createTally(): Tally {
  const byThing = new Map<string, string>();
  const counts = new Map<string, number>();
  const listeners = new Set<() => void>();
  const count = (fact: string, by: 1 | -1) => {
    const things = (counts.get(fact) ?? 0) + by;
    if (things === 0) counts.delete(fact);
    else counts.set(fact, things);
    return (by === 1 && things === 1) || things === 0;
  };
  return {
    note(thing, fact) {
      const before = byThing.get(thing);
      if (before === fact) return;
      if (fact === undefined) byThing.delete(thing);
      else byThing.set(thing, fact);
      const changes = [before === undefined ? false : count(before, -1), fact === undefined ? false : count(fact, 1)];
      if (changes.includes(true)) listeners.forEach((listener) => listener());
    },
    facts: () => [...counts.keys()].toSorted().slice(0, most),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
