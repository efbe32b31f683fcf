import type { Address, Family } from '@isthmus/machinery';
import { addressText, parseAddress } from '@isthmus/machinery';

/** The part of an imported Service that its names resolve to. */
export interface DnsService {
  readonly namespace: string;
  readonly name: string;
  /** The addresses of a ClusterSetIP Service; empty for a headless Service. */
  readonly ips: readonly Address[];
  readonly isHeadless: boolean;
  readonly ports: readonly DnsPort[];
  /** The ready endpoints of a headless Service. */
  readonly endpoints: readonly DnsEndpoint[];
}

export interface DnsPort {
  /** Empty if the Service has one port without a name. */
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
}

export interface DnsEndpoint {
  /** Undefined: the endpoint is in the own cluster, and names in the zone have no cluster IDs. */
  readonly clusterID: string | undefined;
  readonly address: Address;
  /** Undefined: its address is used in its name. */
  readonly hostname: string | undefined;
  readonly ports: readonly DnsPort[];
}

export interface Question {
  readonly name: string;
  readonly type: string;
}

export type DnsRecord =
  | { readonly type: 'A' | 'AAAA'; readonly name: string; readonly ttl: number; readonly data: string }
  | { readonly type: 'TXT'; readonly name: string; readonly ttl: number; readonly data: string }
  | {
      readonly type: 'SRV';
      readonly name: string;
      readonly ttl: number;
      readonly data: {
        readonly priority: number;
        readonly weight: number;
        readonly port: number;
        readonly target: string;
      };
    };

export interface DnsAnswer {
  /**
   * `REFUSED`: the name is not in the zone. `NOERROR` without answers: the name exists, but has no
   * record of that type.
   */
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'REFUSED';
  readonly answers: readonly DnsRecord[];
}

export interface Zone {
  /** Without a dot at the end: `clusterset.local`. */
  readonly name: string;
  readonly find: (namespace: string, name: string) => DnsService | undefined;
  readonly hasNamespace: (namespace: string) => boolean;
}

/** The TTL of records of Services, in seconds. Clients learn of a change within this time. */
const ttl = 5;

/**
 * The wanted part of the records of a name. A Service may have thousands, and a datagram has space
 * for a few.
 */
interface Part {
  /** The index of the first record. After the end the selection continues at the begin. */
  readonly first: number;
  readonly most: number;
}

const everything: Part = { first: 0, most: Infinity };

/**
 * Answers a question for names of imported Services (docs/spec/mcs-api.md §6). Total: every name
 * gets an answer. Names are compared without regard to case, and answers repeat them as they were
 * asked.
 *
 * `<cluster ID>.<service>.<namespace>.svc.<zone>` is reserved and never has records. The ID of a
 * cluster may have dots; the first label is the host name.
 */
export function answerQuestion({ name, type }: Question, zone: Zone, part = everything): DnsAnswer {
  const asked = name.endsWith('.') ? name.slice(0, -1) : name;
  const inZone = labelsBefore(asked.toLowerCase(), zone.name.toLowerCase());
  if (inZone === undefined) return { rcode: 'REFUSED', answers: [] };
  if (inZone.length === 0) return noData;
  if (inZone.length === 1 && inZone[0] === 'dns-version')
    return type === 'TXT' ? found([{ type: 'TXT', name, ttl: versionTTL, data: '1.0.0' }]) : noData;
  if (inZone.at(-1) !== 'svc') return noName;
  const [namespace, service, ...rest] = inZone.slice(0, -1).toReversed();
  if (namespace === undefined) return noData;
  if (!zone.hasNamespace(namespace)) return noName;
  if (service === undefined) return noData;
  const known = zone.find(namespace, service);
  if (known === undefined) return noName;
  const has = behindName(known, rest.toReversed());
  if (has.addresses.length === 0 && has.ports.length === 0)
    return isAbovePorts(known, rest) || isAboveEndpoints(known, rest) ? noData : noName;
  if (type === 'SRV') {
    const own = `${known.name}.${known.namespace}.svc.${zone.name}`;
    return found(services(name, own, has.ports, part));
  }
  return type === 'A' || type === 'AAAA' ? found(addresses(name, type, has.addresses, part)) : noData;
}

const versionTTL = 28_800;
const noName: DnsAnswer = { rcode: 'NXDOMAIN', answers: [] };
const noData: DnsAnswer = { rcode: 'NOERROR', answers: [] };
const found = (answers: readonly DnsRecord[]): DnsAnswer => ({ rcode: 'NOERROR', answers });

/** The labels of a name before those of the zone; undefined: it is not in the zone. */
function labelsBefore(name: string, zone: string): readonly string[] | undefined {
  if (name === zone) return [];
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1).split('.') : undefined;
}

/**
 * The records of a name of a Service, in parts. Only the parts that are asked for become records.
 */
interface BehindName {
  readonly addresses: readonly Address[];
  readonly ports: readonly Place[];
}

/** A port of the Service, or of an endpoint of a headless Service. */
interface Place {
  readonly port: number;
  readonly endpoint: DnsEndpoint | undefined;
}

/** `before`: the labels before those of the Service. */
function behindName(service: DnsService, before: readonly string[]): BehindName {
  const [first = '', second = ''] = before;
  if (before.length === 0) return { addresses: addressesOf(service), ports: portsOf(service, () => true) };
  if (first.startsWith('_') && second.startsWith('_') && before.length === 2) {
    const isAsked = (port: DnsPort) =>
      port.name !== '' && `_${port.name}` === first && `_${port.protocol.toLowerCase()}` === second;
    return { addresses: [], ports: portsOf(service, isAsked) };
  }
  if (!service.isHeadless) return { addresses: [], ports: [] };
  const isAsked = endpointMatcher(before.join('.'));
  return { addresses: service.endpoints.filter(isAsked).map(({ address }) => address), ports: [] };
}

/**
 * `_tcp.<service>…` has no records, but names below it have. It therefore exists (RFC 8020, section
 * 2), and a resolver that asks label by label continues.
 */
function isAbovePorts(service: DnsService, [asked, ...others]: readonly string[]): boolean {
  if (others.length > 0) return false;
  return portsOf(service, ({ name, protocol }) => name !== '' && `_${protocol.toLowerCase()}` === asked).length > 0;
}

/**
 * The ID of a cluster, or its last labels, have no records either. The names of endpoints are below
 * them, so they also exist.
 */
function isAboveEndpoints({ endpoints }: DnsService, rest: readonly string[]): boolean {
  const asked = rest.toReversed().join('.');
  return endpoints.some(({ clusterID }) => clusterID === asked || clusterID?.endsWith(`.${asked}`) === true);
}

const addressesOf = ({ isHeadless, ips, endpoints }: DnsService) =>
  isHeadless ? endpoints.map(({ address }) => address) : ips;

/** The ports of the Service that match. A headless Service has them at each endpoint. */
function portsOf(service: DnsService, isAsked: (port: DnsPort) => boolean): readonly Place[] {
  const at = (ports: readonly DnsPort[], endpoint?: DnsEndpoint) =>
    ports.filter(isAsked).map(({ port }): Place => ({ port, endpoint }));
  return service.isHeadless ? service.endpoints.flatMap((one) => at(one.ports, one)) : at(service.ports);
}

function addresses(name: string, type: 'A' | 'AAAA', all: readonly Address[], part: Part): readonly DnsRecord[] {
  const own = all.filter(({ family }) => recordType[family] === type);
  return distinct(own, part, ({ value }) => value).map((address) => ({
    type,
    name,
    ttl,
    data: addressText(address),
  }));
}

const recordType: Readonly<Record<Family, 'A' | 'AAAA'>> = { IPv4: 'A', IPv6: 'AAAA' };

/**
 * The sum of the weights in one answer; all weights are equal. If there are more records, each has
 * weight 1.
 */
const sumOfWeights = 100;

/** Each port once: a TCP port and a UDP port with the same number count as one. */
function services(name: string, own: string, all: readonly Place[], part: Part): readonly DnsRecord[] {
  const most = Math.max(part.most, sumOfWeights);
  const places = distinct(all, { ...part, most }, ({ port, endpoint }) =>
    endpoint === undefined ? port : `${endpoint.hostname ?? endpoint.address.value} ${endpoint.clusterID} ${port}`,
  );
  const weight = Math.max(1, Math.floor(sumOfWeights / Math.max(1, places.length)));
  return places.slice(0, part.most).map(({ port, endpoint }) => ({
    type: 'SRV',
    name,
    ttl,
    data: { priority: 0, weight, port, target: endpoint === undefined ? own : `${endpointName(endpoint)}.${own}` },
  }));
}

/** A part of the items, without items whose key an earlier item has. */
function distinct<T>(all: readonly T[], { first, most }: Part, keyOf: (item: T) => unknown): readonly T[] {
  const items = new Map<unknown, T>();
  for (let index = 0; index < all.length && items.size < most; index++) {
    const item = all[(first + index) % all.length] as T;
    const key = keyOf(item);
    if (!items.has(key)) items.set(key, item);
  }
  return [...items.values()];
}

/**
 * The labels of an endpoint before those of the Service: its host name or its address with dashes,
 * and its cluster.
 */
function endpointName({ hostname, address, clusterID }: DnsEndpoint): string {
  return withCluster(hostname ?? dashed(address), clusterID);
}

const dashed = (address: Address) => addressText(address).replaceAll(/[.:]/g, '-');
const withCluster = (host: string, clusterID: string | undefined) =>
  clusterID === undefined ? host : `${host}.${clusterID}`;

/**
 * Whether a name is that of an endpoint. The name is parsed once: writing the names of all
 * endpoints would take longer than everything else.
 */
function endpointMatcher(asked: string): (endpoint: DnsEndpoint) => boolean {
  const [host = ''] = asked.split('.', 1);
  const address = parseAddress(host.replaceAll('-', '.')) ?? parseAddress(host.replaceAll('-', ':'));
  const written = address !== undefined && dashed(address) === host ? address : undefined;
  return ({ hostname, address: own, clusterID }) => {
    if (hostname === undefined && (own.family !== written?.family || own.value !== written.value)) return false;
    return withCluster(hostname ?? host, clusterID) === asked;
  };
}
