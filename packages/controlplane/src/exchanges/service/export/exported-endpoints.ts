import type { EndpointSlice, EndpointSlicePayload, EndpointSubset, Service } from '@isthmus/api';
import { canonicalJson, contains, parseAddress, parseCidr } from '@isthmus/machinery';
import type { Complete } from '@isthmus/schema';
import { isReady, isServing, withPodsBehind } from '@isthmus/wire';
import type { EndpointIPType } from '@isthmus/wire';
import { servingSlices } from './serving-slices.ts';

/** The addresses under which other clusters reach a Service, in both forms of the wire format. */
export interface ExportedEndpoints {
  /** The number of endpoints that are ready here and serve a port of the Service. */
  readonly ready: number;
  /** Whether endpoints are ready, and none of them serves a port of the Service. */
  readonly isMismatched: boolean;
  readonly addressesAre: EndpointIPType;
  /** IPv4 only: the form that every peer reads. */
  readonly subsets: readonly EndpointSubset[];
  /** All families: the form that Isthmus peers read. */
  readonly slices: readonly EndpointSlicePayload[];
  /**
   * Endpoints that Isthmus agents in other clusters cannot reach, or not directly, and why. Each is
   * a sentence without a full stop.
   */
  readonly notes: readonly string[];
}

/**
 * What agents of other clusters reach. It decides which Pods behind a ClusterIP are exported for
 * them.
 */
export interface ExportedPods {
  /** The Pod CIDRs that this cluster announces. */
  readonly podCIDRs: readonly string[];
  /** Whether the leader's API server drops them: its resource definitions are older. */
  readonly isDropped?: boolean | undefined;
}

export interface ExportSettings {
  readonly endpointIPType: EndpointIPType;
  /**
   * Which Pods to export behind a ClusterIP; undefined: none, because the cluster has no agents.
   */
  readonly pods?: ExportedPods | undefined;
  /** The Service CIDR that this cluster announces; undefined: none. */
  readonly serviceCIDR?: string | undefined;
}

/**
 * The limit on Pods that are exported behind a ClusterIP: as many as the Endpoints of a Service
 * list. Without a limit, an export that is too large to be stored would also remove the ClusterIP.
 */
export const maxExportedPods = 1_000;

function isHeadless(service: Service): boolean {
  return service.spec?.clusterIP === 'None';
}

/**
 * The endpoints to export (docs/spec/merge.md §4). Usually that is the ClusterIP, once an endpoint
 * is ready. With `PodIP`, and always for a headless Service, they are the Pods' own addresses, with
 * their target ports under the Service port's name.
 *
 * They are sorted and without duplicates, so that the order in which slices arrive changes nothing
 * (defects B7, B8). With `pods`, the Pods behind a ClusterIP are added, in `slices` alone
 * (docs/spec/wire.md §8.1).
 */
export function exportedEndpoints(
  service: Service,
  slices: readonly EndpointSlice[],
  { endpointIPType, pods, serviceCIDR }: ExportSettings,
): ExportedEndpoints {
  const usable = slices.filter((slice) => slice.addressType !== 'FQDN');
  const serving = servingSlices(service, usable);
  const all = serving.slices.flatMap((slice) => slice.endpoints ?? []);
  const ready = new Set(all.filter(isReady).flatMap((e) => e.addresses)).size;
  const counted = { ready, isMismatched: ready === 0 && serving.notes.length > 0 };
  if (endpointIPType === 'PodIP' || isHeadless(service)) {
    // Which ports count is up to the merge, which leaves the other slices out.
    const exported = podEndpoints(usable);
    const notes = pods === undefined ? [] : notReached(exported.slices, pods, isHeadless(service));
    return { ...counted, addressesAre: 'PodIP', ...exported, notes: [...serving.notes, ...notes] };
  }
  const exported = {
    ...counted,
    addressesAre: 'ClusterIP' as const,
    ...clusterIPEndpoints(service, all.some(isServing)),
  };
  const { slices: withBehind, notes } = withPods(exported.slices, serving.slices, { pods, serviceCIDR });
  return reached({ ...exported, slices: withBehind }, serviceCIDR, [...serving.notes, ...notes]);
}

/** The exported ClusterIP, with the Pods behind it where agents of other clusters reach them. */
function withPods(
  exported: readonly EndpointSlicePayload[],
  slices: readonly EndpointSlice[],
  { pods, serviceCIDR }: Pick<ExportSettings, 'pods' | 'serviceCIDR'>,
): Pick<ExportedEndpoints, 'slices' | 'notes'> {
  if (pods === undefined) return { slices: exported, notes: outOfRange(exported, serviceCIDR) };
  if (pods.isDropped === true) return { slices: exported, notes: exported.length === 0 ? [] : [droppedByLeader] };
  const { behind, notes } = podsBehind(slices, pods);
  return { slices: withPodsBehind(exported, behind), notes };
}

/**
 * Leaves out ClusterIPs that other clusters do not reach while they reach another one: a cluster of
 * two families announces one Service CIDR. One with Pods behind it stays, for agents.
 */
function reached(
  exported: Omit<ExportedEndpoints, 'notes'>,
  serviceCIDR: string | undefined,
  notes: readonly string[],
): ExportedEndpoints {
  const isInside = inRanges(serviceCIDR === undefined ? [] : [serviceCIDR]);
  const isReached = ({ endpoints, pods = [] }: EndpointSlicePayload) => endpoints.some(isInside) || pods.length > 0;
  const slices = exported.slices.filter(isReached);
  if (slices.length === 0 || slices.length === exported.slices.length) return { ...exported, notes };
  const leftOut = exported.slices
    .filter((slice) => !isReached(slice))
    .flatMap(({ endpoints }) => endpoints.flatMap(({ addresses }) => addresses));
  return {
    ...exported,
    slices,
    subsets: exported.subsets.filter(({ addresses = [] }) => !addresses.some(({ ip }) => leftOut.includes(ip))),
    notes: [
      ...notes,
      `Its ClusterIP ${leftOut.join(', ')} is not exported, because it is not in ${serviceCIDR}, the Service CIDR that this cluster announces`,
    ],
  };
}

/**
 * Pods that take traffic, in the ranges that this cluster announces: agents of other clusters route
 * no other addresses here. Sorted by address, up to the limit.
 */
function podsBehind(
  slices: readonly EndpointSlice[],
  { podCIDRs }: ExportedPods,
): { readonly behind: readonly EndpointSlicePayload[]; readonly notes: readonly string[] } {
  const isPod = inRanges(podCIDRs);
  const serving = podEndpoints(slices).slices.map(({ addressType, endpoints, ports }) => {
    const taking = endpoints.filter(isServing);
    return { addressType, ports, taking, pods: taking.filter(isPod) };
  });
  const isOutside = serving.some(({ taking, pods }) => pods.length < taking.length);
  const count = serving.reduce((sum, { pods }) => sum + pods.length, 0);
  let left = maxExportedPods;
  const behind = serving.flatMap(({ addressType, ports, pods }) => {
    const endpoints = pods.slice(0, left).map((endpoint) => {
      // Host names are for DNS, which answers with the address of the import.
      const { hostname: _, ...others } = endpoint;
      return others;
    });
    left -= endpoints.length;
    return endpoints.length === 0 ? [] : [{ addressType, endpoints, ports }];
  });
  return {
    behind,
    notes: [
      ...(isOutside ? [count === 0 ? noneInside(podCIDRs) : someOutside(podCIDRs)] : []),
      ...(count > maxExportedPods ? [`Agents of Isthmus in other clusters use ${maxExportedPods} of its Pods`] : []),
    ],
  };
}

/** Whether an endpoint is in one of these ranges. */
function inRanges(texts: readonly string[]): (endpoint: PayloadEndpoint) => boolean {
  const ranges = texts.flatMap((text) => parseCidr(text) ?? []);
  return ({ addresses }) => {
    const address = parseAddress(addresses[0] ?? '');
    return address !== undefined && ranges.some((cidr) => contains(cidr, address));
  };
}

/**
 * Endpoints exported under their own addresses that agents of other clusters do not reach: these
 * agents route the announced ranges only.
 */
function notReached(
  slices: readonly EndpointSlicePayload[],
  { podCIDRs }: ExportedPods,
  isWithoutClusterIP: boolean,
): readonly string[] {
  const taking = slices.flatMap(({ endpoints }) => endpoints.filter(isServing));
  const count = taking.filter(inRanges(podCIDRs)).length;
  if (count === taking.length) return [];
  if (count > 0) return [someOutside(podCIDRs)];
  if (podCIDRs.length === 0)
    return [
      'Agents of Isthmus in other clusters do not reach its endpoints: set podCIDRs in the configuration of this cluster',
    ];
  const all = someOutside(podCIDRs, 'its');
  return [
    isWithoutClusterIP ? all : `${all}. With endpointIPType: ClusterIP in all clusters, they reach its ClusterIP`,
  ];
}

/** A cluster may have several ranges of ClusterIPs (ServiceCIDR), but the wire format has one. */
function outOfRange(slices: readonly EndpointSlicePayload[], serviceCIDR = ''): readonly string[] {
  const range = parseCidr(serviceCIDR);
  const addresses = slices.flatMap(({ endpoints }) => endpoints.flatMap((one) => one.addresses));
  const isInside = (text: string) => {
    const address = parseAddress(text);
    return range !== undefined && address !== undefined && contains(range, address);
  };
  if (range === undefined || addresses.length === 0 || addresses.some(isInside)) return [];
  return [
    `Other clusters do not reach it: its ClusterIP ${addresses.join(', ')} is not in ${serviceCIDR}, the Service CIDR that this cluster announces, and they do not route other ranges to its gateways. Create the Service again with a ClusterIP of that range`,
  ];
}

const throughClusterIP =
  'Agents of Isthmus in other clusters reach its ClusterIP through one gateway at a time, and connections end with that gateway';

const droppedByLeader = `${throughClusterIP}: the resource definitions of the leader are older and drop its Pods. Update the leader`;

function noneInside(podCIDRs: readonly string[]): string {
  return podCIDRs.length === 0
    ? `${throughClusterIP}: set podCIDRs in the configuration of this cluster, and they reach its Pods`
    : `${throughClusterIP}: no endpoint is in podCIDRs (${podCIDRs.join(', ')})`;
}

const someOutside = (podCIDRs: readonly string[], which = 'some of its') =>
  `Agents of Isthmus in other clusters do not reach ${which} endpoints, which are not in podCIDRs (${podCIDRs.join(', ')}): Pods in the network of a Node, or endpoints that are not Pods`;

function clusterIPEndpoints(service: Service, serves: boolean): Pick<ExportedEndpoints, 'subsets' | 'slices'> {
  if (!serves) return { subsets: [], slices: [] };
  const ports = (service.spec?.ports ?? []).map((port) => ({
    name: port.name,
    port: port.port,
    protocol: port.protocol ?? 'TCP',
  }));
  const withAppProtocol = (service.spec?.ports ?? []).map((port, i) => ({
    ...ports[i],
    port: port.port,
    appProtocol: port.appProtocol,
  }));
  const addresses = service.spec?.clusterIPs ?? [service.spec?.clusterIP ?? ''];
  const families = [
    ['IPv4', addresses.filter((ip) => ip !== '' && !ip.includes(':'))],
    ['IPv6', addresses.filter((ip) => ip.includes(':'))],
  ] as const;
  return {
    subsets: families[0][1].length === 0 ? [] : [{ addresses: families[0][1].map((ip) => ({ ip })), ports }],
    slices: families.flatMap(([addressType, ips]) =>
      ips.map((ip) => ({
        addressType,
        endpoints: [{ addresses: [ip], conditions: { ready: true } }],
        ports: withAppProtocol,
      })),
    ),
  };
}

type PayloadEndpoint = EndpointSlicePayload['endpoints'][number];
type PayloadPort = NonNullable<EndpointSlicePayload['ports']>[number];

function podEndpoints(slices: readonly EndpointSlice[]): Pick<ExportedEndpoints, 'subsets' | 'slices'> {
  const groups = new Map<string, { slice: EndpointSlicePayload; endpoints: Map<string, PayloadEndpoint> }>();
  for (const { addressType, ports, endpoints } of slices) {
    const exportedPorts = (ports ?? [])
      .filter((port) => port.port !== undefined)
      .map(({ name, port, protocol, appProtocol }): Complete<PayloadPort> => ({
        name,
        port: port ?? 0,
        protocol: protocol ?? 'TCP',
        appProtocol,
      }))
      .toSorted(byJson);
    const slice: EndpointSlicePayload = { addressType, ports: exportedPorts, endpoints: [] };
    const key = canonicalJson(slice);
    const group = groups.get(key) ?? { slice, endpoints: new Map<string, PayloadEndpoint>() };
    groups.set(key, group);
    for (const endpoint of endpoints ?? []) {
      const exported = exportedEndpoint(endpoint);
      const known = group.endpoints.get(exported.addresses.join());
      // During a rolling update, two slices may list the same address; the ready endpoint counts.
      if (known === undefined || !isReady(known)) group.endpoints.set(exported.addresses.join(), exported);
    }
  }
  const merged = [...groups.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { slice, endpoints }]) => ({ ...slice, endpoints: [...endpoints.values()].toSorted(byAddress) }))
    .filter((slice) => slice.endpoints.length > 0);
  return {
    slices: merged,
    subsets: merged
      .filter((slice) => slice.addressType === 'IPv4')
      .map(({ endpoints, ports }) => ({
        addresses: endpoints
          .filter(isReady)
          .flatMap((e) => e.addresses)
          .map((ip) => ({ ip })),
        ports: (ports ?? []).map((port) => ({ ...port, port: port.port ?? 0 })),
      }))
      .filter((subset) => subset.addresses.length > 0),
  };
}

function exportedEndpoint(endpoint: NonNullable<EndpointSlice['endpoints']>[number]): Complete<PayloadEndpoint> {
  const { addresses, conditions, hostname, zone } = endpoint;
  const terminating = conditions?.terminating === true ? { serving: conditions.serving, terminating: true } : {};
  return { addresses, conditions: { ready: isReady(endpoint), ...terminating }, hostname, zone };
}

function byAddress(a: PayloadEndpoint, b: PayloadEndpoint): number {
  return (a.addresses[0] ?? '') < (b.addresses[0] ?? '') ? -1 : 1;
}

function byJson(a: unknown, b: unknown): number {
  return canonicalJson(a) < canonicalJson(b) ? -1 : 1;
}
