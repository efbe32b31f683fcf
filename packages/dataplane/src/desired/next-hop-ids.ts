import { fnv1aOfText } from '@isthmus/machinery';

/**
 * Gives each name an ID of its own that depends on the name alone, so that next hops keep their IDs whatever comes and goes beside them. Where two names
 * would have the same one, the one that sorts later gets the next that is free.
 */
export function nextHopIDs(names: Iterable<string>): ReadonlyMap<string, number> {
  const ids = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of [...new Set(names)].toSorted()) {
    let id = base + (fnv1aOfText(name) % span);
    while (taken.has(id)) id = base + ((id + 1 - base) % span);
    taken.add(id);
    ids.set(name, id);
  }
  return ids;
}

/** Far from the small numbers that people and other programs use. */
const base = 0x4000_0000;
const span = 0x2000_0000;
