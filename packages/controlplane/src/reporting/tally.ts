/**
 * Facts, each with the things to which it applies. They are for conditions that name a fact once,
 * independent of the number of objects.
 */
export interface Tally {
  /** From now on, only this fact applies to the thing; undefined: no fact applies. */
  note(thing: string, fact: string | undefined): void;
  /** The facts that apply to any thing, sorted. */
  facts(): readonly string[];
  /** Calls `listener` when the facts have changed. Returns the unsubscriber. */
  readonly onChange: (listener: () => void) => () => void;
}

/** The limit on facts in a message: a fact may be any text that another client writes. */
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

/** Returns a function that replaces the facts of all things that it has noted before. */
export function createNotes(tally: Pick<Tally, 'note'>): (facts: ReadonlyMap<string, string>) => void {
  let noted: ReadonlyMap<string, string> = new Map();
  return (facts) => {
    for (const thing of noted.keys()) if (!facts.has(thing)) tally.note(thing, undefined);
    for (const [thing, fact] of facts) tally.note(thing, fact);
    noted = facts;
  };
}
