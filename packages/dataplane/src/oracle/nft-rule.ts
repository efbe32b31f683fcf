import type { Address } from '@isthmus/machinery';
import { contains, parseAddress, parseCidr } from '@isthmus/machinery';
import type { NftSet } from '../network/network.ts';
import { withPrefix } from '../desired/virtual-cidrs.ts';
import type { Packet } from './packet.ts';

/** What rules can see. */
export interface Seen {
  readonly packet: Packet;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly isNew: boolean;
  /** The packet that began the connection, as it came to the Node. Default: this one. */
  readonly original?: Packet | undefined;
  /** Of a packet of a tunnel that is not unpacked yet. */
  readonly tunnel?: { readonly vni: number; readonly inner: Packet } | undefined;
}

/** What a rule does to a packet that it matches; undefined: the next rule follows. */
type RuleEffect =
  | { readonly kind: 'accept' | 'drop' | 'reject' | 'notrack' | 'masquerade' }
  /** `of`: it is one of so many, by chance. */
  | { readonly kind: 'goto'; readonly chain: string; readonly of?: number | undefined }
  | { readonly kind: 'dnat'; readonly address: Address; readonly port: number; readonly of?: number | undefined }
  | { readonly kind: 'snat'; readonly address: Address };

/** Chooses where the kernel would throw dice: one of so many, by its index. */
export type Choose = (count: number) => number;

/** By their first words, what says which entry of a map is meant. */
const choices: Readonly<Record<string, string>> = {
  numgen: 'numgen random mod COUNT',
  jhash: 'jhash FAMILY saddr . udp sport mod COUNT seed SEED',
};

/**
 * What one rule of our nft table does to a packet. It understands the part of the language that the agent writes. Errors: throws for any other rule: a wrong answer would be worse than none.
 */
export function ruleEffect(
  rule: string,
  seen: Seen,
  { sets, choose }: { readonly sets: ReadonlyMap<string, NftSet>; readonly choose: Choose },
): RuleEffect | undefined {
  const words = rule.match(/@th,\d+,\d+|"[^"]*"|[{},]|[^\s{},]+/g) ?? [];
  let at = 0;
  const next = () => words[at++] ?? '';
  const expect = (word: string) => {
    if (next() !== word) throw new Error(`cannot follow rule "${rule}": ${word} is missing`);
  };
  /** The entries of braces, each as its words. */
  const entries = (): readonly (readonly string[])[] => {
    const all: string[][] = [[]];
    for (let word = next(); word !== '}'; word = next()) {
      if (word === '') throw new Error(`cannot follow rule "${rule}": a brace is not closed`);
      if (word === ',') all.push([]);
      else all.at(-1)?.push(word);
    }
    return all;
  };
  const setNamed = (name: string) => {
    const set = sets.get(name.slice(1));
    if (set === undefined) throw new Error(`cannot follow rule "${rule}": set ${name} does not exist`);
    return set;
  };
  /** The value of one of `<numbers> : <value>`, as its words, and how many there are. */
  const oneOfMap = () => {
    expect('{');
    const all = entries();
    const chosen = all[choose(all.length)] ?? [];
    return { value: chosen.slice(chosen.indexOf(':') + 1), of: all.length };
  };
  while (at < words.length) {
    const word = next();
    switch (word) {
      case 'counter':
        continue;
      case 'accept':
      case 'drop':
      case 'notrack':
      case 'masquerade':
      case 'reject':
        return { kind: word };
      case 'goto':
        return { kind: 'goto', chain: next() };
      case 'update':
        // Which clients keep which endpoint is not known here.
        return undefined;
      case 'tcp':
        // The size of segments.
        return undefined;
      case 'numgen': {
        for (const expected of ['random', 'mod']) expect(expected);
        next();
        expect('vmap');
        const {
          value: [verb, chain = ''],
          of,
        } = oneOfMap();
        if (verb !== 'goto') throw new Error(`cannot follow rule "${rule}": it goes to no chain`);
        return { kind: 'goto', chain, of };
      }
      case 'dnat': {
        next();
        const isPrefix = words[at] === 'prefix';
        if (isPrefix) next();
        expect('to');
        if (isPrefix)
          return {
            kind: 'dnat',
            address: inPrefix(seen.packet.destination, next(), rule),
            port: seen.packet.destinationPort,
          };
        const number = choices[words[at] ?? ''];
        if (number === undefined) return { kind: 'dnat', ...end(next(), rule) };
        at += number.split(' ').length;
        expect('map');
        const {
          value: [address = '', , port = ''],
          of,
        } = oneOfMap();
        return { kind: 'dnat', address: addressOf(address, rule), port: Number(port), of };
      }
      case 'snat': {
        next();
        const isPrefix = words[at] === 'prefix';
        if (isPrefix) next();
        expect('to');
        const to = next();
        if (isPrefix) return { kind: 'snat', address: inPrefix(seen.packet.source, to, rule) };
        if (to !== 'ip' && to !== 'ip6') return { kind: 'snat', address: addressOf(to, rule) };
        expect('saddr');
        return { kind: 'snat', address: seen.packet.source };
      }
    }
    // Marks lead nowhere: no route of ours asks for them.
    if (word === 'meta' && words[at] === 'mark' && words[at + 1] === 'set') return undefined;
    // Packets of tunnels come from other Nodes here, and Pods do not forge them.
    if (word === 'meta' && words[at] === 'iifkind') return undefined;
    // Packets are for Pods and Services here, not for Nodes.
    if (word === 'fib' && words[at] === 'daddr' && words[at + 1] === 'type') return undefined;
    // What the header of a tunnel packet becomes is for the number of labels alone.
    if (word.startsWith('@th') && words[at] === 'set') return undefined;
    const isOriginal = word === 'ct' && words[at] === 'original';
    if (isOriginal) next();
    const of = isOriginal ? { ...seen, packet: seen.original ?? seen.packet } : seen;
    const first = isOriginal ? next() : word;
    const values = [fieldOf(first, first.startsWith('@') || /^[io]ifname$/.test(first) ? '' : next(), of, rule)];
    while (words[at] === '.') {
      at++;
      const field = next();
      values.push(fieldOf(field, field.startsWith('@') ? '' : next(), seen, rule));
    }
    let operator = next();
    const isMap = operator === 'vmap';
    const isNot = operator === '!=';
    if (isMap || isNot) operator = next();
    let found: string | undefined;
    if (values.includes(undefined)) return undefined;
    if (operator === '{') {
      const entry = entries().find(([one = '']) => matches(one, values[0] ?? ''));
      found = entry?.slice(2).join(' ');
    } else if (!operator.startsWith('@')) found = matches(operator, values[0] ?? '') ? '' : undefined;
    else {
      const { elements, isDynamic = false } = setNamed(operator);
      if (isDynamic) found = undefined;
      else
        for (const [element, value] of elements) {
          const parts = element.split(' . ');
          if (parts.every((part, index) => matches(part, values[index] ?? ''))) found = value;
        }
    }
    if ((found === undefined) !== isNot) return undefined;
    if (!isMap) continue;
    const [verb, chain = ''] = (found ?? '').split(' ');
    if (verb === 'goto') return { kind: 'goto', chain };
    if (verb === 'drop') return { kind: 'drop' };
    throw new Error(`cannot follow rule "${rule}": its map leads to "${found}"`);
  }
  return undefined;
}

/** The value of a field; undefined: the packet does not have it, so the rule does not match. */
function fieldOf(first: string, second: string, seen: Seen, rule: string): bigint | string | undefined {
  const { packet, tunnel } = seen;
  const family = first === 'ip' ? 'IPv4' : 'IPv6';
  switch (`${first} ${second}`.trim()) {
    case 'ip saddr':
    case 'ip6 saddr':
      return packet.source.family === family ? packet.source.value : undefined;
    case 'ip daddr':
    case 'ip6 daddr':
      return packet.destination.family === family ? packet.destination.value : undefined;
    case 'meta l4proto':
      return packet.protocol.toLowerCase();
    case 'udp dport':
      return packet.protocol === 'UDP' ? String(packet.destinationPort) : undefined;
    case 'th dport':
      return String(packet.destinationPort);
    case 'iifname':
      return seen.from ?? '';
    case 'oifname':
      return seen.to ?? '';
    case 'ct state':
      return seen.isNew ? 'new' : 'established';
    // Of a packet with the port of tunnels: no Service leads to it here.
    case 'ct status':
      return undefined;
    case '@th,96,24':
      return tunnel && String(tunnel.vni);
    case '@th,224,16':
      return tunnel && (tunnel.inner.source.family === 'IPv4' ? '0x0800' : '0x86dd');
    case '@th,336,32':
      return tunnel?.inner.source.family === 'IPv4' ? tunnel.inner.source.value : undefined;
    case '@th,304,128':
      return tunnel?.inner.source.family === 'IPv6' ? tunnel.inner.source.value : undefined;
  }
  throw new Error(`cannot follow rule "${rule}": ${first} ${second} is not known`);
}

/** Whether a part of an element is this value. Numbers are those of addresses. */
function matches(part: string, value: bigint | string): boolean {
  if (typeof value === 'string') return part.replaceAll('"', '') === value;
  if (part.startsWith('0x')) {
    const [first = '', last = first] = part.split('-');
    return BigInt(first) <= value && value <= BigInt(last);
  }
  const family = part.includes(':') ? 'IPv6' : 'IPv4';
  const cidr = part.includes('/') ? parseCidr(part) : undefined;
  return cidr === undefined ? parseAddress(part)?.value === value : contains(cidr, { family, value });
}

function end(text: string, rule: string): { readonly address: Address; readonly port: number } {
  const colon = text.lastIndexOf(':');
  const address = addressOf(text.slice(0, colon).replaceAll(/[[\]]/g, ''), rule);
  return { address, port: Number(text.slice(colon + 1)) };
}

/** The address with the prefix of a range, and its own bits behind it. */
function inPrefix(address: Address, text: string, rule: string): Address {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(`cannot follow rule "${rule}": ${text} is not a network`);
  return { family: cidr.family, value: withPrefix(address, cidr) };
}

function addressOf(text: string, rule: string): Address {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`cannot follow rule "${rule}": ${text} is not an address`);
  return address;
}
