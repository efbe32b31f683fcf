import type { EndpointPort, EndpointSlicePayload, EndpointSubset } from '@isthmus/api';
import { compareResourceVersions } from '@isthmus/machinery';
import { isReady } from '../readiness.ts';

/** The endpoints of one cluster, from its import. */
export interface ClusterPart {
  readonly resourceVersion: string | undefined;
  readonly slices: readonly EndpointSlicePayload[];
}

/** The endpoints of all clusters, from the merged import. */
export interface MergedPart {
  readonly resourceVersion: string | undefined;
  readonly subsets: readonly EndpointSubset[];
}

/**
 * How the imports of the single clusters relate to the merged import.
 * - `current`: the present leader published them.
 * - `stale`: another leader has written the merged import since.
 * - `incomplete`: the merged import lists more than they do.
 * - `arriving`: the merged import lists more, and some of them are younger. They are about to be
 *   merged into it, or a leader of ours has just replaced one of Antrea and begins to publish them.
 *
 * A leader of ours writes them first, and the merged import with their ready IPv4 addresses last.
 * Only withdrawn endpoints are removed from them a moment earlier. An Antrea leader that took over
 * writes the merged import alone: the others stay as they were, whatever their labels are, and its
 * list is younger and differs. Imports that cannot be compared count as current.
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

/** The fields of a port that both forms have. */
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

/** Equal sets are the same object. */
interface PortSet {
  readonly number: number;
  readonly texts: ReadonlySet<string>;
}
type PortSetOf = (ports: readonly JudgedPort[]) => PortSet;

/**
 * The sets of ports that each address serves. They are never compared pair by pair: an export of a
 * few hundred kilobytes, with a thousand ports on some ten thousand addresses, has more pairs than
 * fit into the memory of its importers.
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

/**
 * Whether `all` has each address of `some` with the same ports. Addresses with the same ports are
 * compared once.
 */
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
