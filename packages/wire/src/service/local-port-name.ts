/**
 * The merge may put an unnamed port beside named ones (docs/spec/merge.md §3), but a Service with
 * several ports must name each. The derived Service and its slices name the unnamed port after its
 * protocol and number; everywhere else it stays unnamed.
 */
export function localPortName(
  ports: readonly {
    readonly name?: string | undefined;
    readonly protocol?: string | undefined;
    readonly port: number;
  }[],
): (name: string | undefined) => string | undefined {
  const unnamed = ports.find((port) => (port.name ?? '') === '');
  if (unnamed === undefined || ports.length < 2) return (name) => (name === '' ? undefined : name);
  const taken = new Set(ports.map((port) => port.name));
  let local = `${(unnamed.protocol ?? 'TCP').toLowerCase()}-${unnamed.port}`;
  while (taken.has(local)) local = `${local}-x`;
  return (name) => ((name ?? '') === '' ? local : name);
}
