import type { ClusterLayout, Host } from '@isthmus/testkit';
import type { Family } from '@isthmus/machinery';

/** A Service of a cluster of a lab, for TCP, UDP and SCTP. */
export interface LabService {
  readonly clusterIP: string;
  readonly port: number;
  /** Pods, Nodes, or any other addresses that the Nodes can reach. */
  readonly endpoints: readonly { readonly address: string; readonly port: number }[];
}

export const proxyModes = ['nftables', 'iptables'] as const;
export type ProxyMode = (typeof proxyModes)[number];

/**
 * Writes on a Node of a lab the rules of kube-proxy for Services, in the form of one of its modes.
 * Every client is translated to a random endpoint. Clients from outside of the Pod CIDRs get a
 * masquerade mark. A Service without endpoints rejects packets. With iptables, INVALID packets are
 * dropped. The rules replace those that it wrote before, in either mode.
 *
 * Errors: throws with the error output of the programs.
 */
export async function writeKubeProxy(
  host: Host,
  layout: Pick<ClusterLayout, 'clusterCIDRs'>,
  { mode, services }: { readonly mode: ProxyMode; readonly services: readonly LabService[] },
): Promise<void> {
  const both = [
    ['nft', ['-f', '-'], nftables(layout, mode === 'nftables' ? services : [])],
    ['sh', ['-e'], iptables(layout, mode === 'iptables' ? services : [])],
  ] as const;
  for (const [program, args, input] of both) {
    const { code, stderr } = await host.run(program, args, input);
    if (code !== 0) throw new Error(`writing the rules of kube-proxy: ${stderr}`);
  }
}

const protocols = ['tcp', 'udp', 'sctp'] as const;
const keywords = { IPv4: 'ip', IPv6: 'ip6' } as const;
const familyOf = (text: string): Family => (text.includes(':') ? 'IPv6' : 'IPv4');
const podsOf = ({ clusterCIDRs }: Pick<ClusterLayout, 'clusterCIDRs'>, family: Family) =>
  clusterCIDRs.find((cidr) => familyOf(cidr) === family) ?? '';
const endText = ({ address, port }: { readonly address: string; readonly port: number }) =>
  familyOf(address) === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`;

function nftables(layout: Pick<ClusterLayout, 'clusterCIDRs'>, services: readonly LabService[]): string {
  return (['IPv4', 'IPv6'] as const)
    .flatMap((family) => {
      const ip = keywords[family];
      const table = `${ip} kube-proxy`;
      const own = services.filter(({ clusterIP }) => familyOf(clusterIP) === family);
      const each = own.flatMap((service, index) =>
        protocols.map((protocol) => ({ ...service, protocol, chain: `service-${index}-${protocol}` })),
      );
      return [
        `add table ${table}`,
        `delete table ${table}`,
        `add table ${table}`,
        `add chain ${table} nat-prerouting { type nat hook prerouting priority -100; }`,
        `add chain ${table} nat-output { type nat hook output priority -100; }`,
        `add chain ${table} nat-postrouting { type nat hook postrouting priority 100; }`,
        `add chain ${table} filter-forward { type filter hook forward priority 0; }`,
        `add rule ${table} nat-postrouting meta mark & 0x4000 == 0x4000 meta mark set meta mark xor 0x4000 masquerade fully-random`,
        ...each.flatMap(({ clusterIP, port, protocol, chain, endpoints }) => {
          const is = `${ip} daddr ${clusterIP} ${protocol} dport ${port}`;
          if (endpoints.length === 0) return [`add rule ${table} filter-forward ${is} reject`];
          const to = endpoints.map((end, index) => `${index} : ${end.address} . ${end.port}`);
          return [
            `add chain ${table} ${chain}`,
            `add rule ${table} ${chain} ${ip} saddr != ${podsOf(layout, family)} meta mark set meta mark or 0x4000`,
            `add rule ${table} ${chain} meta l4proto ${protocol} dnat ${ip} to numgen random mod ${endpoints.length} map { ${to.join(', ')} }`,
            `add rule ${table} nat-prerouting ${is} goto ${chain}`,
            `add rule ${table} nat-output ${is} goto ${chain}`,
          ];
        }),
      ];
    })
    .join('\n');
}

function iptables(layout: Pick<ClusterLayout, 'clusterCIDRs'>, services: readonly LabService[]): string {
  return (['IPv4', 'IPv6'] as const)
    .flatMap((family) => {
      const program = `${family === 'IPv4' ? 'iptables' : 'ip6tables'} -w`;
      const own = services.filter(({ clusterIP }) => familyOf(clusterIP) === family);
      const reject = `icmp${family === 'IPv4' ? '' : '6'}-port-unreachable`;
      return [
        ...['nat', 'filter'].flatMap((table) => [`${program} -t ${table} -F`, `${program} -t ${table} -X`]),
        ...['KUBE-SERVICES', 'KUBE-MARK-MASQ', 'KUBE-POSTROUTING'].map((chain) => `${program} -t nat -N ${chain}`),
        `${program} -t nat -A KUBE-MARK-MASQ -j MARK --or-mark 0x4000`,
        `${program} -t nat -A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN`,
        `${program} -t nat -A KUBE-POSTROUTING -j MARK --xor-mark 0x4000`,
        `${program} -t nat -A KUBE-POSTROUTING -j MASQUERADE --random-fully`,
        `${program} -t nat -A PREROUTING -j KUBE-SERVICES`,
        `${program} -t nat -A OUTPUT -j KUBE-SERVICES`,
        `${program} -t nat -A POSTROUTING -j KUBE-POSTROUTING`,
        `${program} -A FORWARD -m conntrack --ctstate INVALID -j DROP`,
        ...own.flatMap(({ clusterIP, port, endpoints }, index) =>
          protocols.flatMap((protocol) => {
            const is = `-p ${protocol} -d ${clusterIP} --dport ${port}`;
            const chain = `KUBE-SVC-${index}-${protocol}`;
            if (endpoints.length === 0) return [`${program} -A FORWARD ${is} -j REJECT --reject-with ${reject}`];
            return [
              `${program} -t nat -N ${chain}`,
              `${program} -t nat -A KUBE-SERVICES ${is} -j ${chain}`,
              `${program} -t nat -A ${chain} ! -s ${podsOf(layout, family)} -j KUBE-MARK-MASQ`,
              ...endpoints.map((end, position) => {
                const left = endpoints.length - position;
                const chance = left === 1 ? '' : `-m statistic --mode random --probability ${(1 / left).toFixed(6)} `;
                return `${program} -t nat -A ${chain} -p ${protocol} ${chance}-j DNAT --to-destination ${endText(end)}`;
              }),
            ];
          }),
        ),
      ];
    })
    .join('\n');
}
