import { fnv1aOfText } from '@isthmus/machinery';

/**
 * Gives each name an ID of its own. It depends only on the name, so next hops keep their IDs when
 * others come and go. If two names would get the same ID, the later name in order gets the next
 * free ID.
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

/** Far from the small numbers that users and other programs choose. */
const base = 0x4000_0000;
const span = 0x2000_0000;
