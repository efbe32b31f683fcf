/**
 * Gives each name an ID of its own that depends on the name alone, so that next hops keep their IDs whatever comes and goes beside them. Where two names
 * would have the same one, the one that sorts later gets the next that is free.
 */
export function nextHopIDs(names: Iterable<string>): ReadonlyMap<string, number> {
  const ids = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of [...new Set(names)].toSorted()) {
    let id = base + hash(name);
    while (taken.has(id)) id = base + ((id + 1 - base) % span);
    taken.add(id);
    ids.set(name, id);
  }
  return ids;
}

/** Far from the small numbers that people and other programs use. */
const base = 0x4000_0000;
const span = 0x2000_0000;

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value % span;
}
