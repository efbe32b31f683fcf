/**
 * A circle in a directed graph, as its names from one to the same again: `a, b, a`; undefined where
 * there is none. Of several the one is reported that is found from the bytewise first name on. No
 * recursion: long chains are fine.
 */
export function cycleIn(edges: Iterable<readonly [string, string]>): readonly string[] | undefined {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const after = (name: string) => [...(next.get(name) ?? [])].toSorted();
  const done = new Set<string>();
  for (const start of [...next.keys()].toSorted()) {
    const path: string[] = [start];
    const onPath = new Set(path);
    const open = [after(start)];
    while (path.length > 0) {
      const name = open.at(-1)?.shift();
      const last = path.at(-1) ?? start;
      if (name === undefined) {
        done.add(last);
        onPath.delete(last);
        path.pop();
        open.pop();
      } else if (onPath.has(name)) return [...path.slice(path.indexOf(name)), name];
      else if (!done.has(name)) {
        path.push(name);
        onPath.add(name);
        open.push(after(name));
      }
    }
  }
  return undefined;
}
