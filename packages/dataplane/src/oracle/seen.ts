import type { Address } from '@isthmus/machinery';
import type { Field, FieldValues, TcpFlag } from '../network/nft-rule.ts';
import type { Packet } from './packet.ts';

/** What rules can see of a packet. */
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
type UnknownField = Extract<Field, `fib ${string}` | 'meta iifkind' | 'icmpv6 type' | 'ct status' | 'ct direction'>;

/** The value of a field. Undefined: the packet does not have it, so no match with it applies. */
export function fieldValue(field: Field, seen: Seen): FieldValues[Field] | undefined {
  const { packet, tunnel, original = packet, facts = {} } = seen;
  const { protocol, sourcePort, destinationPort } = packet;
  switch (field) {
    case 'ip saddr':
      return ofIPv4(packet.source);
    case 'ip6 saddr':
      return ofIPv6(packet.source);
    case 'ip daddr':
      return ofIPv4(packet.destination);
    case 'ip6 daddr':
      return ofIPv6(packet.destination);
    case 'ct original ip saddr':
      return ofIPv4(original.source);
    case 'ct original ip6 saddr':
      return ofIPv6(original.source);
    case 'ct original ip daddr':
      return ofIPv4(original.destination);
    case 'ct original ip6 daddr':
      return ofIPv6(original.destination);
    case 'inner ip saddr':
      return tunnel && ofIPv4(tunnel.inner.source);
    case 'inner ip6 saddr':
      return tunnel && ofIPv6(tunnel.inner.source);
    case 'inner family':
      return tunnel?.inner.source.family;
    case 'inner network':
      return tunnel?.vni;
    case 'meta l4proto':
      return protocolName[protocol];
    case 'th dport':
      return destinationPort;
    case 'tcp sport':
      return protocol === 'TCP' ? sourcePort : undefined;
    case 'tcp dport':
      return protocol === 'TCP' ? destinationPort : undefined;
    case 'udp sport':
      return protocol === 'UDP' ? sourcePort : undefined;
    case 'udp dport':
      return protocol === 'UDP' ? destinationPort : undefined;
    case 'iifname':
      return seen.from ?? '';
    case 'oifname':
      return seen.to ?? '';
    case 'ct state':
      return seen.state;
    case 'meta iifkind':
    case 'fib saddr . iif oif':
    case 'fib daddr oifname':
    case 'fib daddr type':
    case 'icmpv6 type':
    case 'ct status':
    case 'ct direction':
      return facts[field];
  }
}

/** The flags of a TCP packet: the first one of a connection has `syn`. */
export function flagsOf({ packet, state, facts = {} }: Seen): readonly TcpFlag[] | undefined {
  if (packet.protocol !== 'TCP') return undefined;
  return facts.flags ?? (state === 'new' ? ['syn'] : []);
}

const protocolName = { TCP: 'tcp', UDP: 'udp', SCTP: 'sctp' } as const;
const ofIPv4 = (address: Address) => (address.family === 'IPv4' ? address : undefined);
const ofIPv6 = (address: Address) => (address.family === 'IPv6' ? address : undefined);
