import type { Address } from '@isthmus/machinery';
import type { Field, FieldValues, TcpFlag } from '../network/nft-rule.ts';
import type { Packet } from './packet.ts';

/** The properties of a packet that rules can match. */
export interface Seen {
  readonly packet: Packet;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly state: FieldValues['ct state'];
  /** The packet that began the connection, as it came to the Node. Default: this one. */
  readonly original?: Packet | undefined;
  /** The network and the packet inside a tunnel packet. */
  readonly tunnel?: { readonly vni: number; readonly inner: Packet } | undefined;
  /** Facts about the packet and the Node that a walk does not know. Default: none. */
  readonly facts?: Facts | undefined;
}

/** The fields that a walk does not know, and the flags of a TCP packet. */
export type Facts = Partial<Pick<FieldValues, UnknownField>> & { readonly flags?: readonly TcpFlag[] };
type UnknownField = Extract<Field, `fib ${string}` | `icmp${string}` | 'meta iifkind' | 'ct status' | 'ct direction'>;

/** The value of a field. Undefined: the packet does not have it, so no match with it applies. */
export const fieldValue = (field: Field, seen: Seen): FieldValues[Field] | undefined => fields[field](seen);

const fields: { readonly [F in Field]: (seen: Seen) => FieldValues[F] | undefined } = {
  'ip saddr': ({ packet }) => ofIPv4(packet.source),
  'ip6 saddr': ({ packet }) => ofIPv6(packet.source),
  'ip daddr': ({ packet }) => ofIPv4(packet.destination),
  'ip6 daddr': ({ packet }) => ofIPv6(packet.destination),
  'ct original ip saddr': (seen) => ofIPv4(originalOf(seen).source),
  'ct original ip6 saddr': (seen) => ofIPv6(originalOf(seen).source),
  'ct original ip daddr': (seen) => ofIPv4(originalOf(seen).destination),
  'ct original ip6 daddr': (seen) => ofIPv6(originalOf(seen).destination),
  'ct state': ({ state }) => state,
  'ct status': ({ facts }) => facts?.['ct status'],
  'ct direction': ({ facts }) => facts?.['ct direction'],
  'inner ip saddr': ({ tunnel }) => tunnel && ofIPv4(tunnel.inner.source),
  'inner ip6 saddr': ({ tunnel }) => tunnel && ofIPv6(tunnel.inner.source),
  'inner family': ({ tunnel }) => tunnel?.inner.source.family,
  'inner network': ({ tunnel }) => tunnel?.vni,
  'meta l4proto': ({ packet }) => protocolName[packet.protocol],
  'th dport': ({ packet }) => packet.destinationPort,
  'tcp sport': ({ packet }) => (packet.protocol === 'TCP' ? packet.sourcePort : undefined),
  'tcp dport': ({ packet }) => (packet.protocol === 'TCP' ? packet.destinationPort : undefined),
  'udp sport': ({ packet }) => (packet.protocol === 'UDP' ? packet.sourcePort : undefined),
  'udp dport': ({ packet }) => (packet.protocol === 'UDP' ? packet.destinationPort : undefined),
  iifname: ({ from = '' }) => from,
  oifname: ({ to = '' }) => to,
  'meta iifkind': ({ facts }) => facts?.['meta iifkind'],
  'fib saddr . iif oif': ({ facts }) => facts?.['fib saddr . iif oif'],
  'fib daddr oifname': ({ facts }) => facts?.['fib daddr oifname'],
  'fib daddr type': ({ facts }) => facts?.['fib daddr type'],
  'icmp type': ({ facts }) => facts?.['icmp type'],
  'icmpv6 type': ({ facts }) => facts?.['icmpv6 type'],
};

/** The flags of a TCP packet: the first one of a connection has `syn`. */
export function flagsOf({ packet, state, facts = {} }: Seen): readonly TcpFlag[] | undefined {
  if (packet.protocol !== 'TCP') return undefined;
  return facts.flags ?? (state === 'new' ? ['syn'] : []);
}

const originalOf = ({ packet, original = packet }: Seen) => original;
const protocolName = { TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' } as const;
const ofIPv4 = (address: Address) => (address.family === 'IPv4' ? address : undefined);
const ofIPv6 = (address: Address) => (address.family === 'IPv6' ? address : undefined);
