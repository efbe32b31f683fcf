import type { EndpointPort, EndpointSlice, EndpointSlicePayload, Service } from '@isthmus/api';
import { formerPortNames, portNamesOf, sliceSourceOf, stillEverywhere, underFormerNames } from '@isthmus/wire';
import type { PortNames, RemoteService } from '@isthmus/wire';
import { standingEndpoints } from './held-slices.ts';

/** What stands here of an import. */
export interface StandingNames {
  /** The derived Service; undefined where there is none of ours. */
  readonly service: Service | undefined;
  /** Our slices of the import. */
  readonly slices: readonly EndpointSlice[];
  /** This cluster, whose Pods stand here where the leader has its ClusterIP, with the ports of the Service. */
  readonly ownClusterID: string | undefined;
}

/**
 * The import with names that its Service and its endpoints share. A leader publishes the two one after the other: where a port gets another name, and
 * one of them still has the former one, both keep the name that stands here. Endpoints whose ports the Service has none of, and that cannot
 * be found under another name, stay as they are here.
 */
export function settledNames(remote: RemoteService, standing: StandingNames): RemoteService {
  if (remote.spec === undefined) return remote;
  const { ports } = remote.spec;
  const offered = [...[...remote.perCluster.values()].flat(), ...(remote.merged ?? [])];
  const groups = offered.map((group) => portNamesOf(group.ports ?? []));
  const waiting = stillEverywhere(formerPortNames(ports, standing.service?.spec?.ports ?? []), groups);
  const spec = waiting.size === 0 ? remote.spec : { ...remote.spec, ports: underFormerNames(ports, waiting) };
  const known = portNamesOf(spec.ports);
  const settle = <G extends Settled>(group: G, before: StandingPorts): G => {
    const { ports: offeredPorts = [], pods } = group;
    if (known.isSupersetOf(portNamesOf(offeredPorts))) return group;
    const settled = settledPorts(offeredPorts, known, before);
    if (pods === undefined) return { ...group, ports: settled };
    // Target ports have numbers of their own: the Pods follow the names of the ports in front of them.
    const names = new Map(settled.map((port) => [nameOfNumber(offeredPorts, port), port.name ?? '']));
    return {
      ...group,
      ports: settled,
      pods: pods.map((one) => ({ ...one, ports: underFormerNames(one.ports ?? [], names) })),
    };
  };
  const bySource = Map.groupBy(standing.slices, sliceSourceOf);
  const portsOf = (clusterID: string | undefined) => {
    const before = (bySource.get(clusterID) ?? []).flatMap((slice) => slice.ports ?? []);
    const isOwn = clusterID === undefined || clusterID === standing.ownClusterID;
    return isOwn ? [...before, ...spec.ports] : before;
  };
  const beforeMerged = portsOf(undefined);
  const kept = standingEndpoints(standing.slices);
  return {
    ...remote,
    spec,
    perCluster: new Map(
      [...remote.perCluster].map(([clusterID, slices]) => {
        const before = portsOf(clusterID);
        const settled = slices.map((slice) => settle(slice, before));
        const isStanding = (kept.get(clusterID) ?? []).some((slice) => hasAny(slice, known));
        const isUnknown = settled.length > 0 && settled.every((slice) => isNamed(slice) && !hasAny(slice, known));
        return [clusterID, isUnknown && isStanding ? (kept.get(clusterID) ?? []) : settled];
      }),
    ),
    merged: remote.merged?.map((subset) => settle(subset, beforeMerged)),
  };
}

interface Settled {
  readonly ports?: readonly EndpointPort[] | undefined;
  readonly pods?: EndpointSlicePayload['pods'];
}

/** The name that this port has among `ports`. */
function nameOfNumber(ports: readonly EndpointPort[], port: EndpointPort): string {
  return ports.find((one) => numberOf(one) === numberOf(port))?.name ?? '';
}

type StandingPorts = readonly Pick<EndpointPort, 'name' | 'protocol' | 'port'>[];
type Named = { readonly ports?: StandingPorts | undefined };

/** The ports under names that the Service has: one that it has not is looked for by its number. Beside known ones unknown ones are of no use. */
function settledPorts(
  ports: readonly EndpointPort[],
  known: PortNames,
  before: StandingPorts,
): readonly EndpointPort[] {
  const taken = new Set(portNamesOf(ports));
  const settled = ports.map((port) => {
    if (known.has(port.name ?? '')) return port;
    const found = before.find(
      (one) => known.has(one.name ?? '') && !taken.has(one.name ?? '') && numberOf(one) === numberOf(port),
    );
    if (found === undefined) return port;
    taken.add(found.name ?? '');
    return { ...port, name: found.name };
  });
  const useful = settled.filter(({ name }) => known.has(name ?? ''));
  return useful.length === 0 ? settled : useful;
}

function numberOf({ protocol = 'TCP', port }: StandingPorts[number]): string {
  return `${protocol} ${port}`;
}

function isNamed({ ports = [] }: Named): boolean {
  return ports.length > 0;
}

function hasAny({ ports = [] }: Named, known: PortNames): boolean {
  return ports.some(({ name }) => known.has(name ?? ''));
}
