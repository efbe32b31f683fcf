import type { EndpointSlice, EndpointSlicePayload, EndpointSubset } from '@isthmus/api';
import { isReady } from '../service-export/endpoints.ts';
import type { RemoteService } from './read-imports.ts';

/** Endpoints of an import that share a source; undefined where an Antrea leader merged them and the source is lost. */
export interface SourceEndpoints {
  readonly clusterID: string | undefined;
  readonly slices: readonly EndpointSlicePayload[];
}

export interface EndpointsInput {
  readonly clusterID: string;
  readonly remote: RemoteService;
  /** The slices of the own Service of that name; empty where this cluster does not export it. */
  readonly ownSlices: readonly EndpointSlice[];
  /** ClusterIPs of the own Service. */
  readonly ownClusterIPs: readonly string[];
}

/**
 * Where an imported Service leads, by source cluster. The own cluster's part is its own ready Pods, never its ClusterIP: kube-proxy
 * translates an address once (architecture.md §5.1). Only the ports that the leader accepted from the own cluster are served by them.
 */
export function importedEndpoints(input: EndpointsInput): readonly SourceEndpoints[] {
  const { clusterID, remote } = input;
  if (remote.perCluster.size > 0) {
    return [...remote.perCluster.entries()].map(([source, slices]) => ({
      clusterID: source,
      slices: source === clusterID ? ownEndpoints(input.ownSlices, acceptedIn(slices)) : slices,
    }));
  }
  // An Antrea leader: one merged list. What it got from this cluster is recognised by address.
  const ownAddresses = new Set([
    ...input.ownClusterIPs,
    ...input.ownSlices.flatMap((slice) => slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses),
  ]);
  const isOwn = (subset: EndpointSubset) => (subset.addresses ?? []).some(({ ip }) => ownAddresses.has(ip));
  const ownPorts = new Set(
    remote.merged.filter(isOwn).flatMap((subset) => (subset.ports ?? []).map((port) => port.name ?? '')),
  );
  const others = remote.merged
    .map(({ addresses = [], ports = [] }): EndpointSlicePayload => ({
      addressType: 'IPv4',
      endpoints: addresses
        .filter(({ ip }) => !ownAddresses.has(ip))
        .map(({ ip }) => ({ addresses: [ip], conditions: { ready: true } })),
      ports,
    }))
    .filter((slice) => slice.endpoints.length > 0);
  const own = ownEndpoints(input.ownSlices, { names: ownPorts, portless: false });
  return [
    ...(others.length > 0 ? [{ clusterID: undefined, slices: others }] : []),
    ...(own.length > 0 ? [{ clusterID, slices: own }] : []),
  ];
}

/** What the leader lets the own cluster serve. */
interface Accepted {
  readonly names: ReadonlySet<string>;
  /** Endpoints without any port: those of a headless Service that has none. */
  readonly portless: boolean;
}

function acceptedIn(slices: readonly EndpointSlicePayload[]): Accepted {
  return {
    names: new Set(slices.flatMap((slice) => (slice.ports ?? []).map((port) => port.name ?? ''))),
    portless: slices.some((slice) => (slice.ports ?? []).length === 0),
  };
}

function ownEndpoints(
  slices: readonly EndpointSlice[],
  { names, portless }: Accepted,
): readonly EndpointSlicePayload[] {
  return slices.flatMap((slice) => {
    const ports = (slice.ports ?? []).filter((port) => port.port !== undefined && names.has(port.name ?? ''));
    const serves = ports.length > 0 || (portless && (slice.ports ?? []).length === 0);
    const endpoints = (slice.endpoints ?? []).filter(isReady).map(({ addresses, hostname, zone }) => ({
      addresses,
      conditions: { ready: true },
      hostname,
      zone,
    }));
    if (!serves || endpoints.length === 0 || slice.addressType === 'FQDN') return [];
    return [{ addressType: slice.addressType, endpoints, ports }];
  });
}
