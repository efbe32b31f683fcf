import { Label } from '@isthmus/api';
import type { EndpointSlice, Service } from '@isthmus/api';
import { keyOf, keyOfObject } from '@isthmus/machinery';

/** The target of a port of a Service. */
interface Way {
  readonly clusterIP: string;
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  /** `address . port`, as nft writes it, in order. */
  readonly ends: readonly string[];
}

const table = 'ip isthmus-sandbox-proxy';
/** Marks connections whose clients get an address of the Node. */
const mark = '0x4000';

/**
 * The nft rules of a Node for the ClusterIPs of its cluster, IPv4, TCP and UDP. Each connection is
 * translated to a random ready endpoint; without one, to an endpoint that terminates but still
 * serves; without these, it is rejected. A Pod that reaches itself, and clients outside of the Pod
 * CIDR, get an address of the Node. The rules replace kube-proxy, without its node ports, session
 * affinity and traffic policies.
 */
export function serviceRules(services: readonly Service[], slices: readonly EndpointSlice[], podCIDR: string): string {
  const ways = waysOf(services, slices);
  const hairpins = new Set(ways.flatMap(({ ends }) => ends.map((end) => end.split(' ')[0] ?? '')));
  const served = ways.filter(({ ends }) => ends.length > 0);
  const rejected = ways.filter(({ ends }) => ends.length === 0);
  const is = ({ clusterIP, protocol, port }: Way) => `ip daddr ${clusterIP} ${protocol} dport ${port}`;
  return [
    `add table ${table}`,
    `delete table ${table}`,
    `add table ${table}`,
    `add chain ${table} prerouting { type nat hook prerouting priority -100; }`,
    `add chain ${table} output { type nat hook output priority -100; }`,
    `add chain ${table} postrouting { type nat hook postrouting priority 100; }`,
    `add chain ${table} forward { type filter hook forward priority 0; }`,
    `add chain ${table} local { type filter hook output priority 0; }`,
    `add rule ${table} postrouting meta mark & ${mark} == ${mark} masquerade`,
    ...[...hairpins]
      .toSorted()
      .map((end) => `add rule ${table} postrouting ct status dnat ip saddr ${end} ip daddr ${end} masquerade`),
    ...served.flatMap((way, index) => {
      const chain = `service-${index}`;
      const map = way.ends.map((end, number) => `${number} : ${end}`).join(', ');
      return [
        `add chain ${table} ${chain}`,
        `add rule ${table} ${chain} ip saddr != ${podCIDR} meta mark set meta mark or ${mark}`,
        `add rule ${table} ${chain} meta l4proto ${way.protocol} dnat ip to numgen random mod ${way.ends.length} map { ${map} }`,
        `add rule ${table} prerouting ${is(way)} goto ${chain}`,
        `add rule ${table} output ${is(way)} goto ${chain}`,
      ];
    }),
    ...rejected.flatMap((way) =>
      ['forward', 'local'].map(
        (chain) => `add rule ${table} ${chain} ${is(way)} reject${way.protocol === 'tcp' ? ' with tcp reset' : ''}`,
      ),
    ),
    '',
  ].join('\n');
}

function waysOf(services: readonly Service[], slices: readonly EndpointSlice[]): readonly Way[] {
  const byService = Map.groupBy(
    slices.filter(({ addressType }) => addressType === 'IPv4'),
    ({ metadata: { namespace, labels } }) => keyOf({ namespace, name: labels?.[Label.serviceName] ?? '' }),
  );
  return services
    .toSorted((a, b) => (keyOfObject(a) < keyOfObject(b) ? -1 : 1))
    .flatMap((service) => {
      const { clusterIP = '', ports = [], type } = service.spec ?? {};
      if (type === 'ExternalName' || !isIPv4.test(clusterIP)) return [];
      const own = byService.get(keyOfObject(service)) ?? [];
      return ports.flatMap(({ name = '', port, protocol = 'TCP' }): readonly Way[] => {
        const known = protocol === 'TCP' ? 'tcp' : protocol === 'UDP' ? 'udp' : undefined;
        if (known === undefined) return [];
        return [{ clusterIP, protocol: known, port, ends: endsOf(own, name, protocol) }];
      });
    });
}

const isIPv4 = /^\d+(?:\.\d+){3}$/;

function endsOf(slices: readonly EndpointSlice[], portName: string, protocol: string): readonly string[] {
  const all = slices.flatMap(({ endpoints, ports }) => {
    const port = (ports ?? []).find(
      ({ name = '', protocol: of = 'TCP' }) => name === portName && of === protocol,
    )?.port;
    if (port === undefined) return [];
    return (endpoints ?? []).map(({ addresses: [address = ''], conditions: { ready, serving } = {} }) => ({
      end: `${address} . ${port}`,
      isReady: ready ?? true,
      serves: serving ?? ready ?? true,
    }));
  });
  const ready = all.filter(({ isReady }) => isReady);
  const used = ready.length > 0 ? ready : all.filter(({ serves }) => serves);
  return [...new Set(used.map(({ end }) => end))].toSorted();
}
