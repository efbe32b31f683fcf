import { Label, managedByIsthmus } from '@isthmus/api';
import type { EndpointSlice, Service } from '@isthmus/api';
import type { Address, Cidr } from '@isthmus/machinery';
import { cidrText, contains, parseAddress } from '@isthmus/machinery';
import type { ImportedService, ServiceEndpoint } from '../desired/cluster-network.ts';
import { rangesOf } from '../desired/own-node.ts';
import type { Problem } from './problem.ts';
import { readClusterPreference } from './read-cluster-preference.ts';
import type { ReadRemote } from './read-remotes.ts';
import { holdsPods } from './service-keys.ts';
import { trafficOptions } from './traffic-options.ts';

/** The owners of addresses. */
export interface Ranges {
  readonly remotes: readonly ReadRemote[];
  readonly podCIDRs: readonly Cidr[];
  /** Undefined: the cluster is not in a ClusterSet. */
  readonly ownClusterID?: string | undefined;
}

/** The result of reading an imported Service: its ports, and the endpoints that are not used. */
export interface ReadService {
  readonly ports: readonly ImportedService[];
  readonly problems: readonly Problem[];
}

/**
 * The ports of an imported Service, one for each family. Endpoints count if they are ready, or end
 * but still serve. They must be in the Pod CIDRs or the Service CIDR of the cluster that exports
 * them. Any other address, such as a Node of this cluster, is hostile or needs no agent.
 *
 * Endpoints of the own cluster count at any address, for example Pods in the network of a Node. The
 * controller makes them from the Service's own slices, and no part of them comes from elsewhere.
 *
 * A cluster may also export the Pods behind its ClusterIP of a family. Then only these Pods count.
 *
 * An import of another controller, such as Antrea's, has Endpoints but no slices that agents read.
 * It is left to kube-proxy, which chooses among these Endpoints.
 */
export function readService(service: Service, all: readonly EndpointSlice[], ranges: Ranges): ReadService {
  const problems: Problem[] = [];
  const originOf = (slice: EndpointSlice) => `${slice.addressType} ${sourceOf(slice)}`;
  const withPods = new Set(all.filter(holdsPods).map(originOf));
  const slices = all.filter((slice) => holdsPods(slice) || !withPods.has(originOf(slice)));
  const { namespace = '', name } = service.metadata;
  const { spec } = service;
  const options = { ...trafficOptions(spec), ...readClusterPreference(service, ownIDs(slices, ranges), problems) };
  const endpointsOf = endpointReader(slices, ranges, problems);
  const addresses = (spec?.clusterIPs ?? [spec?.clusterIP ?? '']).flatMap((text) => {
    const address = parseAddress(text);
    return address === undefined ? [] : [address];
  });
  const isOurs = service.metadata.labels?.[Label.managedBy] === managedByIsthmus;
  if (addresses.length > 0 && all.length === 0 && !isOurs) return { ports: [], problems: [ofOther(service)] };
  const ports = addresses.flatMap((address) =>
    (spec?.ports ?? []).flatMap(({ name: portName = '', port, protocol = 'TCP' }): readonly ImportedService[] => {
      if (!isProtocol(protocol)) return [];
      const wanted = { name: portName, protocol, family: address.family };
      const endpoints = endpointsOf(wanted);
      return [{ namespace, name, protocol, address, port, endpoints, ...options }];
    }),
  );
  return { ports, problems };
}

/**
 * The IDs by which slices name the own cluster: IDs that no other cluster has, on addresses of this
 * cluster.
 */
function ownIDs(slices: readonly EndpointSlice[], ranges: Ranges): ReadonlySet<string> {
  const ids = slices.flatMap((slice) => {
    const from = sourceOf(slice);
    const address = parseAddress(slice.endpoints?.[0]?.addresses[0] ?? '');
    return from !== undefined && address !== undefined && ownerOf(address, from, remoteOf(from, ranges), ranges) === ''
      ? [from]
      : [];
  });
  return new Set(ids);
}

const sourceOf = ({ metadata: { labels } }: EndpointSlice) => labels?.[Label.mcsSourceCluster];

const protocols = ['TCP', 'UDP', 'SCTP'] as const;
const isProtocol = (text: string): text is (typeof protocols)[number] => protocols.some((one) => one === text);

/** An endpoint of a slice, before the port is chosen. */
type OwnedEndpoint = Omit<ServiceEndpoint, 'port'>;

/**
 * Returns a function that gives the endpoints of a port. Each endpoint is read once, whatever the
 * number of ports.
 */
function endpointReader(slices: readonly EndpointSlice[], ranges: Ranges, problems: Problem[]) {
  const known = new Map<EndpointSlice, readonly OwnedEndpoint[]>();
  const endpointsIn = (slice: EndpointSlice) => {
    const found = known.get(slice) ?? ownedEndpoints(slice, ranges, problems);
    known.set(slice, found);
    return found;
  };
  return (wanted: {
    readonly name: string;
    readonly protocol: string;
    readonly family: Address['family'];
  }): readonly ServiceEndpoint[] => {
    const found = new Map<string, ServiceEndpoint>();
    for (const slice of slices) {
      if (slice.addressType !== wanted.family) continue;
      const port = slice.ports?.find(
        ({ name = '', protocol = 'TCP' }) => name === wanted.name && protocol === wanted.protocol,
      )?.port;
      if (port === undefined) continue;
      // An API server accepts any number. A port that is not valid would make the whole table
      // invalid.
      if (port < 1 || port > 65_535) {
        problems.push(portProblem(slice, wanted.name, port));
        continue;
      }
      for (const endpoint of endpointsIn(slice)) {
        // No API server accepts such an address in a slice of the other family. It would make the
        // whole table invalid.
        if (endpoint.address.family !== wanted.family) continue;
        const key = `${endpoint.address.value} ${port}`;
        // While slices are replaced, two endpoints may have one address; the ready endpoint counts.
        if (endpoint.isTerminating !== true || !found.has(key)) found.set(key, { ...endpoint, port });
      }
    }
    return [...found.values()];
  };
}

/**
 * The endpoints that accept traffic, in the ranges of the cluster that exports them. Those outside
 * of these ranges are reported, and so are those that may not be reachable.
 */
function ownedEndpoints(slice: EndpointSlice, ranges: Ranges, problems: Problem[]): readonly OwnedEndpoint[] {
  const ofSlice: Problem[] = [];
  const endpoints = judgedEndpoints(slice, ranges, ofSlice);
  problems.push(...ofSlice.slice(0, mostReported));
  const more = ofSlice.length - mostReported;
  const { namespace, name } = slice.metadata;
  if (more > 0) {
    const message = `${more} more endpoints of this slice are not used, or only if there are no others.`;
    problems.push({ kind: 'EndpointSlice', namespace, name, message });
  }
  return endpoints;
}

/**
 * The most reports about the endpoints of a slice. Another cluster may export thousands, and each
 * report is a line in the log of every agent.
 */
const mostReported = 5;

function judgedEndpoints(slice: EndpointSlice, ranges: Ranges, problems: Problem[]): readonly OwnedEndpoint[] {
  const from = sourceOf(slice);
  const named = remoteOf(from, ranges);
  return (slice.endpoints ?? []).flatMap(
    ({ addresses, conditions, nodeName, zone, hints }): readonly OwnedEndpoint[] => {
      const address = parseAddress(addresses[0] ?? '');
      const isReady = conditions?.ready !== false;
      const isTerminating = !isReady && conditions?.terminating === true && conditions.serving === true;
      if (address === undefined || !(isReady || isTerminating)) return [];
      const clusterID = ownerOf(address, from, named, ranges);
      if (clusterID === undefined) {
        problems.push(problemWith(slice, addresses[0] ?? '', `is not used: ${outside(address, from, ranges)}`));
        return [];
      }
      const isUncertain = isUncertainIn(address, named ?? remoteOf(clusterID, ranges));
      if (isUncertain)
        problems.push(
          problemWith(
            slice,
            addresses[0] ?? '',
            `is used only if there are no others: cluster ${clusterID} does not announce that agents of Isthmus carry its packets`,
          ),
        );
      const zones = hints?.forZones?.map(({ name }) => name) ?? (zone === undefined ? undefined : [zone]);
      return [
        {
          clusterID,
          address,
          ...(isTerminating ? { isTerminating } : {}),
          ...(isUncertain ? { isUncertain } : {}),
          ...(clusterID === '' && nodeName !== undefined ? { node: nodeName } : {}),
          ...(zones === undefined ? {} : { zones }),
        },
      ];
    },
  );
}

/**
 * The cluster whose Pod or Service has that address; '' for the own cluster. Undefined: no cluster
 * that may export it has it. The ranges of clusters do not overlap (read-remotes.ts), so the
 * cluster that the slice names is asked first. With hundreds of clusters, asking all of them was
 * most of the time for reading a Service.
 */
function ownerOf(
  address: Address,
  from: string | undefined,
  named: ReadRemote | undefined,
  { remotes, podCIDRs, ownClusterID }: Ranges,
): string | undefined {
  const has = (one: ReadRemote) => rangesOf(one).some((cidr) => contains(cidr, address));
  if (named !== undefined && has(named)) return named.clusterID;
  const remote = remotes.find(has);
  if (remote !== undefined) return from === undefined ? remote.clusterID : undefined;
  if (from !== undefined && from === ownClusterID) return '';
  return named === undefined && podCIDRs.some((cidr) => contains(cidr, address)) ? '' : undefined;
}

const remoteOf = (clusterID: string | undefined, { remotes }: Ranges) =>
  remotes.find((one) => one.clusterID === clusterID);

/**
 * Whether it is unknown what happens to packets to it. Without agents of Isthmus in the cluster, no
 * gateway accepts packets for a ClusterIP.
 */
function isUncertainIn(address: Address, remote: ReadRemote | undefined): boolean {
  const { serviceCIDR, isUnannounced = false } = remote ?? {};
  return isUnannounced && serviceCIDR !== undefined && contains(serviceCIDR, address);
}

/** Why an address is not that of an endpoint. */
function outside(address: Address, from: string | undefined, { remotes }: Ranges): string {
  const remote = remotes.find(({ clusterID }) => clusterID === from);
  if (remote === undefined && from !== undefined)
    return `no ClusterInfoImport announces the network of cluster ${from}, which needs a gateway for it`;
  const { unusedServiceCIDR, podCIDRs = [] } = remote ?? {};
  if (unusedServiceCIDR !== undefined && contains(unusedServiceCIDR.cidr, address))
    return `Service CIDR ${cidrText(unusedServiceCIDR.cidr)} of cluster ${from} is not used, because ${unusedServiceCIDR.why}`;
  if (remote !== undefined && podCIDRs.length === 0)
    return `it is not in the Service CIDR of cluster ${from}, and no Pod CIDR of that cluster is used here; if it is a Pod, set podCIDRs in the configuration of the controller of ${from}`;
  return `it is not in the Pod CIDRs or the Service CIDR of ${from === undefined ? 'any cluster' : `cluster ${from}`}`;
}

function ofOther({ metadata: { namespace, name } }: Service): Problem {
  const message =
    'This import is not of a controller of Isthmus, and has no EndpointSlices that agents read. kube-proxy chooses the endpoints of its connections.';
  return { kind: 'Service', namespace, name, message };
}

function portProblem({ metadata: { namespace, name } }: EndpointSlice, portName: string, port: number): Problem {
  const message = `The endpoints of port "${portName}" are not used: ${port} is not a number from 1 to 65535.`;
  return { kind: 'EndpointSlice', namespace, name, message };
}

function problemWith({ metadata: { namespace, name } }: EndpointSlice, address: string, what: string): Problem {
  return { kind: 'EndpointSlice', namespace, name, message: `Endpoint ${address} ${what}.` };
}
