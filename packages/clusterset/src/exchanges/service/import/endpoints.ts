import type { EndpointSlice, EndpointSlicePayload, EndpointSubset, Service, ServicePort } from '@isthmus/api';
import type { EndpointIPType } from '../../../config.ts';
import { isReady } from '../export/endpoints.ts';
import type { RemoteService } from './read-imports.ts';

/** Endpoints of an import that share a source; undefined where an Antrea leader merged them and the source is lost. */
export interface SourceEndpoints {
  readonly clusterID: string | undefined;
  readonly slices: readonly EndpointSlicePayload[];
}

export interface EndpointsInput {
  readonly clusterID: string;
  readonly remote: RemoteService;
  /** The own Service of that name; undefined where this cluster does not export it. */
  readonly own: OwnService | undefined;
}

export interface OwnService {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  /** What this cluster exports of a Service that is not headless. */
  readonly endpointIPType: EndpointIPType;
}

/**
 * Where an imported Service leads, by source cluster. The own cluster's part is its own ready Pods, never its ClusterIP: kube-proxy
 * translates an address once (docs/spec/merge.md §4). Only the ports that the leader accepted from the own cluster are served by them.
 *
 * Where the leader knows no endpoint of the own cluster it names no port either; which ones it will accept follows from the import. So own Pods
 * that get ready serve at once, and while the leader is away. An Antrea leader's list does not tell whether it took the own export:
 * there they wait for its word.
 */
export function importedEndpoints(input: EndpointsInput): readonly SourceEndpoints[] {
  const { clusterID, remote, own } = input;
  const ownSlices = own?.slices ?? [];
  if (remote.perCluster.size > 0) {
    return [...remote.perCluster.entries()].map(([source, slices]) => ({
      clusterID: source,
      slices: source === clusterID ? ownEndpoints(ownSlices, acceptedIn(slices) ?? acceptable(own, remote)) : slices,
    }));
  }
  // An Antrea leader: one merged list. What it got from this cluster is recognised by address.
  const ownAddresses = new Set([
    ...(own?.service.spec?.clusterIPs ?? []),
    ...ownSlices.flatMap((slice) => slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses),
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
  const served = ownEndpoints(ownSlices, { names: ownPorts, portless: false });
  return [
    ...(others.length > 0 ? [{ clusterID: undefined, slices: others }] : []),
    ...(served.length > 0 ? [{ clusterID, slices: served }] : []),
  ];
}

/** What the leader lets the own cluster serve. */
export interface Accepted {
  readonly names: ReadonlySet<string>;
  /** Endpoints without any port: those of a headless Service that has none. */
  readonly portless: boolean;
}

/** Undefined where the leader knows no endpoint, and so says nothing of ports. */
function acceptedIn(slices: readonly EndpointSlicePayload[]): Accepted | undefined {
  if (slices.length === 0) return undefined;
  return {
    names: new Set(slices.flatMap((slice) => (slice.ports ?? []).map((port) => port.name ?? ''))),
    portless: slices.some((slice) => (slice.ports ?? []).length === 0),
  };
}

const nothing: Accepted = { names: new Set(), portless: false };

/** What the leader will accept: the rule of the merge (docs/spec/merge.md §3), which needs no more than the import and the own Service. */
export function acceptable(own: OwnService | undefined, { spec }: RemoteService): Accepted {
  if (own === undefined) return nothing;
  const ownPorts = own.service.spec?.ports ?? [];
  const headless = own.service.spec?.clusterIP === 'None';
  // What it exports is its ClusterIP, which cannot serve a headless import (row 11).
  if (spec?.type === 'Headless' && !headless && own.endpointIPType === 'ClusterIP') return nothing;
  const merged = new Set((spec?.ports ?? []).map(portText));
  return {
    names: new Set(ownPorts.filter((port) => merged.has(portText(port))).map(({ name = '' }) => name)),
    portless: spec?.type === 'Headless' && ownPorts.length === 0,
  };
}

function portText({ name = '', protocol = 'TCP', port }: Pick<ServicePort, 'name' | 'protocol' | 'port'>): string {
  return `${name} ${protocol} ${port}`;
}

export function ownEndpoints(
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
