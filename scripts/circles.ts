/** The groups of more than one that reach each other, in the order of their names. Pure. */
export function circlesOf(neighbours: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const reach = new Map([...neighbours.keys()].map((name) => [name, reachedFrom(name, neighbours)]));
  const groups = [...reach].flatMap(([name, reached]) =>
    reached.has(name) ? [[...reached].filter((other) => reach.get(other)?.has(name) === true).toSorted()] : [],
  );
  return [...new Map(groups.map((group) => [group.join(' '), group])).values()].toSorted(([a = ''], [b = '']) =>
    a < b ? -1 : 1,
  );
}

function reachedFrom(name: string, neighbours: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>(neighbours.get(name));
  for (const next of reached) for (const further of neighbours.get(next) ?? []) reached.add(further);
  return reached;
}
