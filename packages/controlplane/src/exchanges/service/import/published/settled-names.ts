import type { EndpointPort, EndpointSlice, EndpointSlicePayload, Service } from '@isthmus/api';
import { formerPortNames, portNamesOf, sliceSourceOf, stillEverywhere, underFormerNames } from '@isthmus/wire';
import type { PortNames, RemoteService } from '@isthmus/wire';
import { standingEndpoints } from './held-slices.ts';

/** The existing objects of an import in this cluster. */
export interface StandingNames {
  /** The derived Service; undefined if none of ours exists. */
  readonly service: Service | undefined;
  /** Our slices of the import. */
  readonly slices: readonly EndpointSlice[];
  /**
   * The ID of this cluster. Its slices here contain its Pods with the ports of the Service, while
   * the leader has its ClusterIP.
   */
  readonly ownClusterID: string | undefined;
}

/**
 * The import with port names that its Service and its endpoints share. A leader publishes the two
 * one after the other. If a port is renamed, and one of the two still has the former name, both
 * keep the existing name here. Endpoints stay unchanged if the Service has none of their ports, and
 * the ports cannot be found under another name.
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
    // Target ports have different numbers. The Pods use the names of the ports in front of them.
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

/**
 * The ports under names that the Service has. A port with an unknown name is looked up by its
 * number. If other ports are known, unknown ones are of no use.
 */
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
