import type { Address, Family } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';

/** An imported Service as its names resolve. */
export interface DnsService {
  readonly namespace: string;
  readonly name: string;
  /** Of a ClusterSetIP; a headless one has none. */
  readonly ips: readonly Address[];
  readonly isHeadless: boolean;
  readonly ports: readonly DnsPort[];
  /** The ready endpoints of a headless one. */
  readonly endpoints: readonly DnsEndpoint[];
}

export interface DnsPort {
  /** Empty where the Service has one port without a name. */
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
}

export interface DnsEndpoint {
  /** Undefined: of the own cluster, in a zone whose names have no IDs of clusters. */
  readonly clusterID: string | undefined;
  readonly address: Address;
  /** Undefined: its address stands for it. */
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
  /** `REFUSED`: the name is not in the zone. `NOERROR` without answers: the name exists, and has no record of that type. */
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'REFUSED';
  readonly answers: readonly DnsRecord[];
}

export interface Zone {
  /** Without a dot at the end: `clusterset.local`. */
  readonly name: string;
  readonly find: (namespace: string, name: string) => DnsService | undefined;
  readonly hasNamespace: (namespace: string) => boolean;
}

/** Of records of Services, in seconds: clients learn of a change so soon. */
const ttl = 5;

/**
 * Answers a question for names of imported Services (docs/spec/mcs-api.md §6). Total: whatever the name, there is an answer. Names are compared
 * without regard to case, and answers repeat them as they were asked for.
 *
 * `<cluster ID>.<service>.<namespace>.svc.<zone>` is reserved and never answered. The ID of a cluster may have dots; the first label is the host name.
 */
export function answerQuestion({ name, type }: Question, zone: Zone): DnsAnswer {
  const asked = name.endsWith('.') ? name.slice(0, -1) : name;
  const inZone = labelsBefore(asked.toLowerCase(), zone.name.toLowerCase());
  if (inZone === undefined) return { rcode: 'REFUSED', answers: [] };
  if (inZone.length === 0) return noData;
  if (inZone.length === 1 && inZone[0] === 'dns-version')
    return ofType(type, [{ type: 'TXT', name, ttl: versionTTL, data: '1.0.0' }]);
  if (inZone.at(-1) !== 'svc') return noName;
  const [namespace, service, ...rest] = inZone.slice(0, -1).toReversed();
  if (namespace === undefined) return noData;
  if (!zone.hasNamespace(namespace)) return noName;
  if (service === undefined) return noData;
  const found = zone.find(namespace, service);
  if (found === undefined) return noName;
  const records = recordsOf(found, { before: rest.toReversed(), name, zone: zone.name });
  return records.length === 0 ? noName : ofType(type, records);
}

const versionTTL = 28_800;
const noName: DnsAnswer = { rcode: 'NXDOMAIN', answers: [] };
const noData: DnsAnswer = { rcode: 'NOERROR', answers: [] };

function ofType(type: string, records: readonly DnsRecord[]): DnsAnswer {
  return { rcode: 'NOERROR', answers: records.filter((record) => record.type === type) };
}

/** The labels of a name before those of the zone; undefined: it is not in the zone. */
function labelsBefore(name: string, zone: string): readonly string[] | undefined {
  if (name === zone) return [];
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1).split('.') : undefined;
}

interface Asked {
  /** The labels before those of the Service. */
  readonly before: readonly string[];
  readonly name: string;
  readonly zone: string;
}

function recordsOf(service: DnsService, { before, name, zone }: Asked): readonly DnsRecord[] {
  const own = `${service.name}.${service.namespace}.svc.${zone}`;
  const [first = '', second = ''] = before;
  if (before.length === 0)
    return [
      ...addresses(name, addressesOf(service)),
      ...services(
        name,
        targetsOf(service, own, () => true),
      ),
    ];
  if (first.startsWith('_') && second.startsWith('_') && before.length === 2) {
    const isAsked = (port: DnsPort) =>
      port.name !== '' && `_${port.name}` === first && `_${port.protocol.toLowerCase()}` === second;
    return services(name, targetsOf(service, own, isAsked));
  }
  if (!service.isHeadless) return [];
  const asked = before.join('.');
  const hosts = service.endpoints.filter((one) => endpointName(one) === asked);
  return addresses(
    name,
    hosts.map(({ address }) => address),
  );
}

const addressesOf = ({ isHeadless, ips, endpoints }: DnsService) =>
  isHeadless ? endpoints.map(({ address }) => address) : ips;

const recordType: Readonly<Record<Family, 'A' | 'AAAA'>> = { IPv4: 'A', IPv6: 'AAAA' };

function addresses(name: string, all: readonly Address[]): readonly DnsRecord[] {
  const texts = new Map(all.map((address) => [addressText(address), recordType[address.family]]));
  return [...texts].map(([data, type]) => ({ type, name, ttl, data }));
}

/** Where a port of the Service is: at the Service, and of a headless one at each endpoint. */
function targetsOf(
  service: DnsService,
  own: string,
  isAsked: (port: DnsPort) => boolean,
): readonly { readonly target: string; readonly port: number }[] {
  if (!service.isHeadless) return service.ports.filter(isAsked).map(({ port }) => ({ target: own, port }));
  return service.endpoints.flatMap((one) =>
    one.ports.filter(isAsked).map(({ port }) => ({ target: `${endpointName(one)}.${own}`, port })),
  );
}

/** Each once: a port of TCP and of UDP with the same number are one place. */
function services(
  name: string,
  targets: readonly { readonly target: string; readonly port: number }[],
): readonly DnsRecord[] {
  const all = new Map(targets.map((one) => [`${one.target} ${one.port}`, one]));
  const weight = Math.max(1, Math.floor(100 / Math.max(1, all.size)));
  return [...all.values()].map(({ target, port }) => ({
    type: 'SRV',
    name,
    ttl,
    data: { priority: 0, weight, port, target },
  }));
}

/** Its labels before those of the Service: its host name, or its address with dashes, and its cluster. */
function endpointName({ hostname, address, clusterID }: DnsEndpoint): string {
  const host = hostname ?? addressText(address).replaceAll(/[.:]/g, '-');
  return clusterID === undefined ? host : `${host}.${clusterID}`;
}
