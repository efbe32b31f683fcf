import type { EndpointSlice, EndpointSlicePayload, EndpointSubset, Service, ServicePort } from '@isthmus/api';
import type { EndpointIPType, RemoteService } from '@isthmus/wire';
import { isReady, isServing } from '@isthmus/wire';

/**
 * Endpoints of an import that share a source. Undefined if an Antrea leader merged them, so that
 * the source is lost.
 */
export interface SourceEndpoints {
  readonly clusterID: string | undefined;
  readonly slices: readonly SourceSlice[];
}

/** A payload. Own Pods also have their Node, for traffic that has to stay on it. */
export interface SourceSlice extends Omit<EndpointSlicePayload, 'endpoints'> {
  readonly endpoints: readonly SourceEndpoint[];
}

type SourceEndpoint = EndpointSlicePayload['endpoints'][number] & { readonly nodeName?: string | undefined };

export interface EndpointsInput {
  readonly clusterID: string;
  readonly remote: RemoteService;
  /** The own Service of that name; undefined if this cluster does not export it. */
  readonly own: OwnService | undefined;
}

export interface OwnService {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  /** The kind of addresses that this cluster exports for a Service that is not headless. */
  readonly endpointIPType: EndpointIPType;
}

/**
 * The endpoints of an imported Service, by source cluster. The own cluster's part is its own ready
 * Pods, never its ClusterIP: kube-proxy translates an address once (docs/spec/merge.md §4). They
 * serve only the ports that the leader accepted from the own cluster.
 *
 * If the leader knows no endpoint of the own cluster, it also names no port. Then the accepted
 * ports follow from the import. So own Pods that get ready serve at once, even while the leader is
 * unreachable. An Antrea leader's list does not show whether it accepted the own export; then the
 * own Pods wait for its answer.
 */
export function importedEndpoints(input: EndpointsInput): readonly SourceEndpoints[] {
  const { clusterID, remote, own } = input;
  const ownSlices = own?.slices ?? [];
  if (remote.perCluster.size > 0) {
    return [...remote.perCluster.entries()].map(([source, slices]) => ({
      clusterID: source,
      slices: source === clusterID ? ownEndpoints(own, acceptedIn(slices) ?? acceptable(own, remote), remote) : slices,
    }));
  }
  const { merged = [] } = remote;
  // An Antrea leader publishes one merged list. The endpoints from this cluster are recognised by
  // address.
  const ownAddresses = new Set([
    ...(own?.service.spec?.clusterIPs ?? []),
    ...ownSlices.flatMap((slice) => slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses),
  ]);
  const isOwn = (subset: EndpointSubset) => (subset.addresses ?? []).some(({ ip }) => ownAddresses.has(ip));
  const ownPorts = new Set(
    merged.filter(isOwn).flatMap((subset) => (subset.ports ?? []).map((port) => port.name ?? '')),
  );
  const others = merged
    .map(({ addresses = [], ports = [] }): EndpointSlicePayload => ({
      addressType: 'IPv4',
      endpoints: addresses
        .filter(({ ip }) => !ownAddresses.has(ip))
        .map(({ ip }) => ({ addresses: [ip], conditions: { ready: true } })),
      ports,
    }))
    .filter((slice) => slice.endpoints.length > 0);
  const served = ownEndpoints(own, { names: ownPorts, portless: false }, remote);
  return [
    ...(others.length > 0 ? [{ clusterID: undefined, slices: others }] : []),
    ...(served.length > 0 ? [{ clusterID, slices: served }] : []),
  ];
}

/** The ports that the leader accepts from the own cluster. */
export interface Accepted {
  readonly names: ReadonlySet<string>;
  /** Endpoints without ports: those of a headless Service that has no ports. */
  readonly portless: boolean;
}

/** Undefined if the leader knows no endpoint, so that its ports are not known either. */
function acceptedIn(slices: readonly EndpointSlicePayload[]): Accepted | undefined {
  if (slices.length === 0) return undefined;
  return {
    names: new Set(slices.flatMap((slice) => (slice.ports ?? []).map((port) => port.name ?? ''))),
    portless: slices.some((slice) => (slice.ports ?? []).length === 0),
  };
}

const nothing: Accepted = { names: new Set(), portless: false };

/**
 * The ports that the leader will accept, by the rule of the merge (docs/spec/merge.md §3). The rule
 * needs only the import and the own Service.
 */
export function acceptable(own: OwnService | undefined, { spec }: RemoteService): Accepted {
  if (own === undefined) return nothing;
  const ownPorts = own.service.spec?.ports ?? [];
  const headless = own.service.spec?.clusterIP === 'None';
  // It exports its ClusterIP, which cannot serve a headless import (row 11).
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

/**
 * The own Pods behind the accepted ports: ready Pods, and terminating Pods that still serve, which
 * kube-proxy uses if no Pod is ready. A port that was renamed after it was accepted serves under
 * its old name, until the import has the new one.
 */
export function ownEndpoints(
  own: OwnService | undefined,
  { names, portless }: Accepted,
  remote: RemoteService,
): readonly SourceSlice[] {
  const renamed = renamedPorts(own, names, remote);
  return (own?.slices ?? []).flatMap((slice) => {
    const ports = (slice.ports ?? []).flatMap((port) => {
      const name = renamed.get(port.name ?? '') ?? port.name;
      return port.port !== undefined && names.has(name ?? '') ? [{ ...port, name }] : [];
    });
    const serves = ports.length > 0 || (portless && (slice.ports ?? []).length === 0);
    const endpoints = (slice.endpoints ?? []).filter(isServing).map((endpoint): SourceEndpoint => {
      const { addresses, hostname, zone, nodeName } = endpoint;
      const conditions = isReady(endpoint) ? { ready: true } : { ready: false, serving: true, terminating: true };
      return { addresses, conditions, hostname, zone, nodeName };
    });
    if (!serves || endpoints.length === 0 || slice.addressType === 'FQDN') return [];
    return [{ addressType: slice.addressType, endpoints, ports }];
  });
}

/**
 * Maps the current name of a port of the own Service to its accepted name. The accepted port has
 * the same protocol and number, and a name that the Service no longer has.
 */
function renamedPorts(
  own: OwnService | undefined,
  accepted: ReadonlySet<string>,
  { spec }: RemoteService,
): ReadonlyMap<string, string> {
  const ownPorts = own?.service.spec?.ports ?? [];
  const ownNames = new Set(ownPorts.map(({ name = '' }) => name));
  const left = (spec?.ports ?? []).filter(({ name = '' }) => accepted.has(name) && !ownNames.has(name));
  const id = ({ protocol = 'TCP', port }: Pick<ServicePort, 'protocol' | 'port'>) => `${protocol} ${port}`;
  const byNumber = new Map(left.map((port) => [id(port), port.name ?? '']));
  return new Map(
    ownPorts.flatMap((port) => {
      const name = accepted.has(port.name ?? '') ? undefined : byNumber.get(id(port));
      return name === undefined ? [] : [[port.name ?? '', name] as const];
    }),
  );
}
