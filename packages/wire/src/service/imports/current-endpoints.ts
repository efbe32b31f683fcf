import type { EndpointPort, EndpointSlicePayload, EndpointSubset } from '@isthmus/api';
import { compareResourceVersions } from '@isthmus/machinery';
import { isReady } from '../readiness.ts';

/** The endpoints of one cluster, as its import has them. */
export interface ClusterPart {
  readonly resourceVersion: string | undefined;
  readonly slices: readonly EndpointSlicePayload[];
}

/** The endpoints of all clusters, as the merged import has them. */
export interface MergedPart {
  readonly resourceVersion: string | undefined;
  readonly subsets: readonly EndpointSubset[];
}

/**
 * What the merged import says of the imports of the single clusters. `current`: they are what the leader of today published. `stale`: somebody else
 * has written the merged one since. `incomplete`: it lists more than they do. `arriving`: so it does, but some of them are younger: either they are
 * on their way into it, or a leader of ours has only begun to publish them where one of Antrea was.
 *
 * A leader of ours writes them first and the merged import last, with their ready IPv4 addresses; only what it withdraws is gone from them a moment
 * earlier. An Antrea leader that took its place writes the merged one alone: the others stay as they were, whatever their labels say, and its
 * list is younger and differs. What cannot be compared counts as current.
 */
export function judgeParts(
  parts: readonly ClusterPart[],
  merged: MergedPart,
): 'current' | 'stale' | 'incomplete' | 'arriving' {
  if (parts.length === 0) return 'stale';
  const portSetOf = internedPortSets();
  const slicesOf = (some: readonly ClusterPart[]) =>
    servedBy(
      some.flatMap(({ slices }) => slices.flatMap(readyGroup)),
      portSetOf,
    );
  const listed = servedBy(
    merged.subsets.map(({ addresses = [], ports = [] }) => ({ addresses: addresses.map(({ ip }) => ip), ports })),
    portSetOf,
  );
  const older = parts.filter(
    ({ resourceVersion }) => (compareResourceVersions(resourceVersion, merged.resourceVersion) ?? 0) < 0,
  );
  if (!isWithin(slicesOf(older), listed)) return 'stale';
  if (isWithin(listed, slicesOf(parts))) return 'current';
  return older.length < parts.length ? 'arriving' : 'incomplete';
}

/** Of a port what both forms have of it. */
type JudgedPort = Pick<EndpointPort, 'name' | 'protocol' | 'port'>;

/** Addresses that all serve the same ports. */
interface ServingGroup {
  readonly addresses: readonly string[];
  readonly ports: readonly JudgedPort[];
}

function readyGroup({ addressType, endpoints, ports }: EndpointSlicePayload): readonly ServingGroup[] {
  if (addressType !== 'IPv4') return [];
  return [{ addresses: endpoints.filter(isReady).flatMap(({ addresses }) => addresses), ports: ports ?? [] }];
}

/** Equal ones are the same object. */
interface PortSet {
  readonly number: number;
  readonly texts: ReadonlySet<string>;
}
type PortSetOf = (ports: readonly JudgedPort[]) => PortSet;

/**
 * The sets of ports that each address serves. Never pair by pair: an export of a few hundred kilobytes, a thousand ports on some ten thousand
 * addresses, has more pairs than fit into the memory of its importers.
 */
type Served = ReadonlyMap<string, ReadonlySet<PortSet>>;

function internedPortSets(): PortSetOf {
  const known = new Map<string, PortSet>();
  return (ports) => {
    const texts = ports.map(({ name = '', protocol = 'TCP', port = 0 }) => `${name} ${protocol} ${port}`).sort();
    const key = texts.join(',');
    const found = known.get(key) ?? { number: known.size, texts: new Set(texts) };
    known.set(key, found);
    return found;
  };
}

function servedBy(groups: readonly ServingGroup[], portSetOf: PortSetOf): Served {
  const served = new Map<string, Set<PortSet>>();
  for (const { addresses, ports } of groups) {
    const portSet = portSetOf(ports);
    if (portSet.texts.size === 0) continue;
    for (const address of addresses) {
      const sets = served.get(address);
      if (sets === undefined) served.set(address, new Set([portSet]));
      else sets.add(portSet);
    }
  }
  return served;
}

/** Whether each address of `some` serves in `all` what it serves there. Addresses that serve the same are looked at once. */
function isWithin(some: Served, all: Served): boolean {
  const judged = new Map<string, boolean>();
  return some.entries().every(([address, wanted]) => {
    const present = all.get(address);
    if (present === undefined) return false;
    if (wanted.isSubsetOf(present)) return true;
    const key = `${numbersOf(wanted)} ${numbersOf(present)}`;
    const known = judged.get(key) ?? textsOf(wanted).isSubsetOf(textsOf(present));
    judged.set(key, known);
    return known;
  });
}

function numbersOf(portSets: ReadonlySet<PortSet>): string {
  return Array.from(portSets, ({ number }) => number).join();
}

function textsOf(portSets: ReadonlySet<PortSet>): ReadonlySet<string> {
  return new Set([...portSets].flatMap(({ texts }) => [...texts]));
}
