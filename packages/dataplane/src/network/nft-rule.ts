import type { Address, Cidr, Family } from '@isthmus/machinery';
import type { ChainName, SetName } from './chains.ts';

/** One rule. Its parts are run in their order, and the first match that fails ends it. */
export type Rule = readonly Part[];
export type Part = Match | Statement;

type Ip = 'ip' | 'ip6';

/** The errors of ICMP. In IPv4, a destination is unreachable for packets that are too big. */
type IcmpError = 'destination-unreachable' | 'packet-too-big' | 'time-exceeded' | 'parameter-problem';

/** The fields that a rule can match, and the values that it compares with. */
export interface FieldValues
  extends
    Readonly<Record<`${'' | 'ct original '}${Ip} ${'saddr' | 'daddr'}`, Address | Cidr>>,
    Readonly<Record<`${'tcp' | 'udp'} ${'sport' | 'dport'}` | 'th dport', number>>,
    Readonly<Record<'iifname' | 'oifname' | 'fib daddr oifname', string>>,
    Readonly<Record<`inner ${Ip} saddr`, Address>> {
  readonly 'meta iifkind': 'bridge' | 'netkit' | 'openvswitch' | 'veth';
  readonly 'meta l4proto': 'tcp' | 'udp' | 'sctp';
  /** No route to the source leads to the device that the packet came by. */
  readonly 'fib saddr . iif oif': 'missing';
  readonly 'fib daddr type': 'local';
  readonly 'icmp type': Exclude<IcmpError, 'packet-too-big'>;
  readonly 'icmpv6 type': IcmpError;
  /** `invalid`: also every packet whose connection the kernel has not looked up yet. */
  readonly 'ct state': 'new' | 'established' | 'related' | 'invalid' | 'untracked';
  readonly 'ct status': 'dnat';
  readonly 'ct direction': 'reply';
  /** The network of a VXLAN packet, and the family of the packet inside. */
  readonly 'inner network': number;
  readonly 'inner family': Family;
}
export type Field = keyof FieldValues;
export type TcpFlag = 'syn' | 'rst';
type Rejection = 'tcp reset' | 'icmpx port-unreachable' | 'icmpx admin-prohibited';

/** An array of values matches if any of them does. */
export type Match =
  | { [F in Field]: ValueMatch<F> }[Field]
  | { readonly kind: 'in' | 'not in'; readonly set: SetName; readonly fields: readonly Field[] }
  /** The packet has the flags in `set`, and no others of those in `among`. */
  | { readonly kind: 'flags'; readonly among: readonly TcpFlag[]; readonly set: readonly TcpFlag[] };

interface ValueMatch<F extends Field> {
  readonly kind: 'is' | 'is not';
  readonly field: F;
  readonly value: FieldValues[F] | readonly FieldValues[F][];
}

/** Bits of a packet, counted from its transport header or its link header. */
export interface Bits {
  readonly from: 'th' | 'll';
  readonly offset: number;
  readonly length: number;
}

/** A range of numbers that selects one of several targets: `from` is included, `until` is not. */
export interface NumberRange {
  readonly from: number;
  readonly until: number;
}

export interface End {
  readonly address: Address;
  readonly port: number;
}

/** `clamp`: the size of TCP segments becomes the size that the route carries. */
type Plain = 'counter' | 'accept' | 'drop' | 'notrack' | 'masquerade' | 'redirect' | 'clamp';

export type Statement =
  | { readonly kind: Plain }
  | { readonly kind: 'reject'; readonly answer: Rejection }
  | { readonly kind: 'goto'; readonly chain: ChainName }
  /**
   * The verdict of a map for these fields. A packet whose values are not in the map does not match.
   */
  | { readonly kind: 'vmap'; readonly set: SetName; readonly fields: readonly Field[] }
  /** One of several chains, at random. */
  | { readonly kind: 'spread'; readonly shares: readonly (NumberRange & { readonly chain: ChainName })[] }
  /** Translates to one end, to one of several, or to the same host of another range. */
  | { readonly kind: 'dnat'; readonly family: Family; readonly to: End | Cidr | Choice }
  /**
   * Translates to an address, to the same host of another range, or to the source that the packet
   * has.
   */
  | { readonly kind: 'snat'; readonly family: Family; readonly to: Address | Cidr | 'same' }
  /** Writes another source into this packet. It needs no connection, and translates none. */
  | { readonly kind: 'source'; readonly to: Address }
  | { readonly kind: 'mark'; readonly to: 0 | MaskedBits | { readonly map: SetName; readonly field: Field } }
  | { readonly kind: 'write'; readonly bits: Bits; readonly value: Bits | number }
  /** Adds the value of the field to a set, until so many seconds after the last connection. */
  | { readonly kind: 'update'; readonly set: SetName; readonly field: Field; readonly seconds: number };

/** `client`: the same choice for the same address and port of a client. */
export interface Choice {
  readonly by: 'chance' | 'client';
  readonly shares: readonly (NumberRange & { readonly end: End })[];
}

interface MaskedBits {
  readonly bits: Bits;
  readonly shift: number;
  readonly mask: number;
}

export const is = <F extends Field>(field: F, value: ValueMatch<F>['value']): Match =>
  ({ kind: 'is', field, value }) as Match;
export const isNot = <F extends Field>(field: F, value: ValueMatch<F>['value']): Match =>
  ({ kind: 'is not', field, value }) as Match;
export const isIn = (set: SetName, ...fields: readonly Field[]): Match => ({ kind: 'in', set, fields });
export const isNotIn = (set: SetName, ...fields: readonly Field[]): Match => ({ kind: 'not in', set, fields });

export const counter: Statement = { kind: 'counter' };
export const accept: Statement = { kind: 'accept' };
export const drop: Statement = { kind: 'drop' };
export const notrack: Statement = { kind: 'notrack' };
export const masquerade: Statement = { kind: 'masquerade' };
export const redirect: Statement = { kind: 'redirect' };
export const clamp: Statement = { kind: 'clamp' };
export const reject = (answer: Rejection): Statement => ({ kind: 'reject', answer });
export const goTo = (chain: ChainName): Statement => ({ kind: 'goto', chain });
export const vmap = (set: SetName, ...fields: readonly Field[]): Statement => ({ kind: 'vmap', set, fields });
