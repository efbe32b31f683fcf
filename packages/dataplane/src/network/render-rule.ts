import type { Address, Cidr } from '@isthmus/machinery';
import { addressText, cidrText } from '@isthmus/machinery';
import type { BaseHook } from './chains.ts';
import { keyword } from './nft-words.ts';
import type { Bits, Choice, End, Field, Match, NumberRange, Part, Rule, Statement } from './nft-rule.ts';

/** A rule in the syntax of nft. */
export const ruleText = (rule: Rule): string => rule.map(partText).join(' ');

export const hookText = ({ type, hook, priority }: BaseHook): string =>
  `type ${type} hook ${hook} priority ${priority}`;

/** The fields that nft has no name for: bits of a VXLAN packet, from its header of UDP. */
const unnamed: Readonly<Partial<Record<Field, Bits>>> = {
  'inner network': { from: 'th', offset: 8 * 12, length: 24 },
  'inner family': { from: 'th', offset: 8 * 28, length: 16 },
  'inner ip saddr': { from: 'th', offset: 8 * 42, length: 32 },
  'inner ip6 saddr': { from: 'th', offset: 8 * 38, length: 128 },
};
const etherType = { IPv4: '0x0800', IPv6: '0x86dd' } as const;

export function fieldText(field: Field): string {
  const bits = unnamed[field];
  return bits === undefined ? field : bitsText(bits);
}

function partText(part: Part): string {
  switch (part.kind) {
    case 'is':
    case 'is not':
      return `${fieldText(part.field)} ${part.kind === 'is not' ? '!= ' : ''}${valuesText(part)}`;
    case 'in':
      return `${fieldsText(part.fields)} @${part.set}`;
    case 'not in':
      return `${fieldsText(part.fields)} != @${part.set}`;
    case 'flags': {
      const [among, set] = [part.among, part.set].map((flags) => flags.join(' | '));
      return `tcp flags & ${part.among.length > 1 ? `(${among})` : among} == ${set}`;
    }
    default:
      return statementText(part);
  }
}

function valuesText({ field, value }: Extract<Match, { readonly field: Field }>): string {
  const text = (one: Address | Cidr | number | string) => {
    if (typeof one === 'object') return 'length' in one ? cidrText(one) : addressText(one);
    if (field === 'inner family') return etherType[one as keyof typeof etherType];
    return quoted.has(field) ? `"${one}"` : String(one);
  };
  return Array.isArray(value)
    ? `{ ${value.map(text).join(', ')} }`
    : text(value as Exclude<typeof value, readonly unknown[]>);
}
const quoted: ReadonlySet<Field> = new Set(['iifname', 'oifname', 'meta iifkind', 'fib daddr oifname']);

function statementText(statement: Statement): string {
  switch (statement.kind) {
    case 'counter':
    case 'accept':
    case 'drop':
    case 'notrack':
    case 'masquerade':
    case 'redirect':
      return statement.kind;
    case 'clamp':
      return 'tcp option maxseg size set rt mtu';
    case 'reject':
      return `reject with ${statement.answer}`;
    case 'goto':
      return `goto ${statement.chain}`;
    case 'vmap':
      return `${fieldsText(statement.fields)} vmap @${statement.set}`;
    case 'spread': {
      const { shares } = statement;
      return `numgen random ${modulus(shares)} vmap ${mapText(shares, ({ chain }) => `goto ${chain}`)}`;
    }
    case 'dnat': {
      const { family, to } = statement;
      const prefix = 'length' in to ? ' prefix' : '';
      return `dnat ${keyword[family]}${prefix} to ${'length' in to ? cidrText(to) : 'shares' in to ? choiceText(to, keyword[family]) : endText(to)}`;
    }
    case 'snat': {
      const { family, to } = statement;
      const ip = keyword[family];
      if (to === 'same') return `snat ${ip} to ${ip} saddr`;
      return 'length' in to ? `snat ${ip} prefix to ${cidrText(to)}` : `snat ${ip} to ${addressText(to)}`;
    }
    case 'source':
      return `${keyword[statement.to.family]} saddr set ${addressText(statement.to)}`;
    case 'mark': {
      const { to } = statement;
      if (to === 0) return 'meta mark set 0';
      if ('map' in to) return `meta mark set ${to.field} map @${to.map}`;
      return `meta mark set ${bitsText(to.bits)} >> ${to.shift} & ${hex(to.mask, 32)}`;
    }
    case 'write': {
      const { bits, value } = statement;
      const text = typeof value === 'object' ? bitsText(value) : value === 0 ? '0' : hex(value, bits.length);
      return `${bitsText(bits)} set ${text}`;
    }
    case 'update':
      return `update @${statement.set} { ${statement.field} timeout ${statement.seconds}s }`;
  }
}

const fieldsText = (fields: readonly Field[]) => fields.map(fieldText).join(' . ');
const bitsText = ({ from, offset, length }: Bits) => `@${from},${offset},${length}`;
const hex = (value: number, bits: number) => `0x${value.toString(16).padStart(bits / 4, '0')}`;

function choiceText({ by, shares }: Choice, ip: 'ip' | 'ip6'): string {
  const number =
    by === 'chance'
      ? `numgen random ${modulus(shares)}`
      : `jhash ${ip} saddr . udp sport ${modulus(shares)} seed ${hashSeed}`;
  return `${number} map ${mapText(shares, ({ end }) => `${addressText(end.address)} . ${end.port}`)}`;
}

/** Without a seed the kernel chooses a random one for each rule that is written. */
const hashSeed = '0x69737468';

const modulus = (shares: readonly NumberRange[]) => `mod ${shares.at(-1)?.until ?? 1}`;

function mapText<T extends NumberRange>(shares: readonly T[], value: (share: T) => string): string {
  const range = ({ from, until }: T) => (until - from === 1 ? `${from}` : `${from}-${until - 1}`);
  return `{ ${shares.map((share) => `${range(share)} : ${value(share)}`).join(', ')} }`;
}

const endText = ({ address, port }: End) =>
  address.family === 'IPv4' ? `${addressText(address)}:${port}` : `[${addressText(address)}]:${port}`;
