import type { EndpointPort, EndpointSlice, EndpointSlicePayload, Service } from '@isthmus/api';
import { formerPortNames, portNamesOf, sliceSourceOf, stillEverywhere, underFormerNames } from '@isthmus/wire';
import type { PortNames, RemoteService } from '@isthmus/wire';
import { existingEndpoints } from './existing-endpoints.ts';

/** The existing objects of an import in this cluster. */
export interface ExistingNames {
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
export function matchedNames(remote: RemoteService, existing: ExistingNames): RemoteService {
  if (remote.spec === undefined) return remote;
  const { ports } = remote.spec;
  const offered = [...[...remote.perCluster.values()].flat(), ...(remote.merged ?? [])];
  const groups = offered.map((group) => portNamesOf(group.ports ?? []));
  const waiting = stillEverywhere(formerPortNames(ports, existing.service?.spec?.ports ?? []), groups);
  const spec = waiting.size === 0 ? remote.spec : { ...remote.spec, ports: underFormerNames(ports, waiting) };
  const known = portNamesOf(spec.ports);
  const match = <G extends Matched>(group: G, before: ExistingPorts): G => {
    const { ports: offeredPorts = [], pods } = group;
    if (known.isSupersetOf(portNamesOf(offeredPorts))) return group;
    const matched = matchedPorts(offeredPorts, known, before);
    if (pods === undefined) return { ...group, ports: matched };
    // Target ports have different numbers. The Pods use the names of the ports in front of them.
    const names = new Map(matched.map((port) => [nameOfNumber(offeredPorts, port), port.name ?? '']));
    return {
      ...group,
      ports: matched,
      pods: pods.map((one) => ({ ...one, ports: underFormerNames(one.ports ?? [], names) })),
    };
  };
  const bySource = Map.groupBy(existing.slices, sliceSourceOf);
  const portsOf = (clusterID: string | undefined) => {
    const before = (bySource.get(clusterID) ?? []).flatMap((slice) => slice.ports ?? []);
    const isOwn = clusterID === undefined || clusterID === existing.ownClusterID;
    return isOwn ? [...before, ...spec.ports] : before;
  };
  const beforeMerged = portsOf(undefined);
  const kept = existingEndpoints(existing.slices);
  return {
    ...remote,
    spec,
    perCluster: new Map(
      [...remote.perCluster].map(([clusterID, slices]) => {
        const before = portsOf(clusterID);
        const matched = slices.map((slice) => match(slice, before));
        const isExisting = (kept.get(clusterID) ?? []).some((slice) => hasAny(slice, known));
        const isUnknown = matched.length > 0 && matched.every((slice) => isNamed(slice) && !hasAny(slice, known));
        return [clusterID, isUnknown && isExisting ? (kept.get(clusterID) ?? []) : matched];
      }),
    ),
    merged: remote.merged?.map((subset) => match(subset, beforeMerged)),
  };
}

interface Matched {
  readonly ports?: readonly EndpointPort[] | undefined;
  readonly pods?: EndpointSlicePayload['pods'];
}

/** The name that this port has among `ports`. */
function nameOfNumber(ports: readonly EndpointPort[], port: EndpointPort): string {
  return ports.find((one) => numberOf(one) === numberOf(port))?.name ?? '';
}

type ExistingPorts = readonly Pick<EndpointPort, 'name' | 'protocol' | 'port'>[];
type Named = { readonly ports?: ExistingPorts | undefined };

/**
 * The ports under names that the Service has. A port with an unknown name is looked up by its
 * number. If other ports are known, unknown ones are of no use.
 */
function matchedPorts(
  ports: readonly EndpointPort[],
  known: PortNames,
  before: ExistingPorts,
): readonly EndpointPort[] {
  const taken = new Set(portNamesOf(ports));
  const matched = ports.map((port) => {
    if (known.has(port.name ?? '')) return port;
    const found = before.find(
      (one) => known.has(one.name ?? '') && !taken.has(one.name ?? '') && numberOf(one) === numberOf(port),
    );
    if (found === undefined) return port;
    taken.add(found.name ?? '');
    return { ...port, name: found.name };
  });
  const useful = matched.filter(({ name }) => known.has(name ?? ''));
  return useful.length === 0 ? matched : useful;
}

function numberOf({ protocol = 'TCP', port }: ExistingPorts[number]): string {
  return `${protocol} ${port}`;
}

function isNamed({ ports = [] }: Named): boolean {
  return ports.length > 0;
}

function hasAny({ ports = [] }: Named, known: PortNames): boolean {
  return ports.some(({ name }) => known.has(name ?? ''));
}
