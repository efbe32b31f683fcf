import type { Family } from '@isthmus/machinery';
import { withPodsBehind } from './pods-behind.ts';
import { bytewise } from '../precedence.ts';
import type { ServicePort } from '../ports/merge-ports.ts';
import type { EndpointGroup, ReadEndpoints } from './read-endpoints.ts';
import type { MergedEndpoint, MergedEndpointPort, MergedEndpointSlice, MergedSubset } from '../types.ts';

/** Which ports of one cluster's endpoints may be used. */
export interface PortFilter {
  /** The merged ports that the cluster exposes, in the order of the import. */
  readonly ports: readonly ServicePort[];
  /**
   * Whether endpoints without any port are wanted: those of a headless Service that exposes no
   * port.
   */
  readonly portless: boolean;
}

/**
 * One cluster's part of the merged Endpoints: ready addresses on the ports that the filter admits,
 * each address once per set of ports, sorted bytewise; sets of ports in the bytewise order of their
 * text.
 *
 * The source is the cluster's subsets, or, if it sent none, its ready IPv4 endpoints (Antrea
 * members know no other family).
 */
export function mergedSubsets(endpoints: ReadEndpoints, filter: PortFilter): readonly MergedSubset[] {
  const families: readonly Family[] = endpoints.subsets === undefined ? ['IPv4'] : ['IPv4', 'IPv6'];
  const found = new Map<string, { readonly ports: readonly MergedEndpointPort[]; readonly ips: Set<string> }>();
  for (const group of endpoints.subsets ?? endpoints.slices ?? []) {
    const ports = filteredPorts(group, filter);
    if (ports === undefined || ports.length === 0) continue;
    const key = portsKey(ports);
    const subset = found.get(key) ?? { ports, ips: new Set() };
    for (const { family, endpoint } of group.endpoints) {
      if (!families.includes(family) || !isReady(endpoint)) continue;
      for (const address of endpoint.addresses) subset.ips.add(address);
    }
    if (subset.ips.size > 0) found.set(key, subset);
  }
  return sortedByKey(found).map(({ ports, ips }) => ({
    addresses: [...ips].sort(bytewise).map((ip) => ({ ip })),
    ports,
  }));
}

/**
 * One cluster's EndpointSlices on the ports that the filter admits, one per family and set of
 * ports, endpoints sorted by their first address, each once. If two endpoints have the same first
 * address, the ready one stays.
 *
 * The source is the cluster's slices, or, if it sent none (an Antrea member), its subsets. Pods
 * behind ClusterIPs are in the first slice of their family.
 */
export function mergedSlices(endpoints: ReadEndpoints, filter: PortFilter): readonly MergedEndpointSlice[] {
  const groups = endpoints.slices ?? endpoints.subsets ?? [];
  const slices = slicesOf(groups, filter);
  const behind = slicesOf(
    groups.flatMap(({ pods = [] }) => pods),
    filter,
  );
  return withPodsBehind(slices, behind);
}

function slicesOf(groups: readonly EndpointGroup[], filter: PortFilter): readonly MergedEndpointSlice[] {
  const found = new Map<
    string,
    { readonly family: Family; readonly ports: readonly MergedEndpointPort[]; readonly byAddress: ByAddress }
  >();
  for (const group of groups) {
    const ports = filteredPorts(group, filter);
    if (ports === undefined) continue;
    const key = portsKey(ports);
    for (const { family, endpoint } of group.endpoints) {
      const familyKey = `${family} ${key}`;
      const slice = found.get(familyKey) ?? { family, ports, byAddress: new Map() };
      found.set(familyKey, slice);
      keepBetter(slice.byAddress, endpoint);
    }
  }
  return sortedByKey(found).map(({ family, ports, byAddress }) => ({
    addressType: family,
    endpoints: sortedByKey(byAddress),
    ports,
  }));
}

type ByAddress = Map<string, MergedEndpoint>;

/**
 * The ports of `group` that may be used, in the order of the import; undefined if its endpoints
 * cannot be used.
 */
function filteredPorts(group: EndpointGroup, filter: PortFilter): readonly MergedEndpointPort[] | undefined {
  if (group.portless) return filter.portless ? [] : undefined;
  const byName = new Map(group.ports.map((port) => [port.name ?? '', port]));
  const ports = filter.ports.flatMap((wanted) => {
    const port = byName.get(wanted.name);
    return port === undefined || port.protocol !== wanted.protocol ? [] : [port];
  });
  return ports.length === 0 ? undefined : ports;
}

function keepBetter(byAddress: ByAddress, endpoint: MergedEndpoint): void {
  const address = endpoint.addresses[0];
  if (address === undefined) return;
  const other = byAddress.get(address);
  if (other === undefined || rank(endpoint) < rank(other)) byAddress.set(address, endpoint);
}

/**
 * A lower text is better. The text decides between equal endpoints, so that the order of the source
 * does not matter.
 */
function rank(endpoint: MergedEndpoint): string {
  const serving = endpoint.conditions?.serving ?? isReady(endpoint);
  return `${isReady(endpoint) ? 0 : 1} ${serving ? 0 : 1} ${JSON.stringify(endpoint)}`;
}

function isReady(endpoint: MergedEndpoint): boolean {
  return endpoint.conditions?.ready ?? true;
}

function portsKey(ports: readonly MergedEndpointPort[]): string {
  return ports.map((port) => `${port.name ?? ''}/${port.protocol}/${port.port}/${port.appProtocol ?? ''}`).join(',');
}

function sortedByKey<T>(map: ReadonlyMap<string, T>): readonly T[] {
  return [...map].sort((a, b) => bytewise(a[0], b[0])).map(([, value]) => value);
}
