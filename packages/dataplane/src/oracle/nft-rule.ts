import type { Address, Cidr } from '@isthmus/machinery';
import { addressText, contains, parseAddress, parseCidr } from '@isthmus/machinery';
import { withPrefix } from '../desired/virtual-cidrs.ts';
import type { ChainName, SetName } from '../network/chains.ts';
import type { ElementValue, NftSet } from '../network/network.ts';
import type { Field, FieldValues, Part, Rule } from '../network/nft-rule.ts';
import type { Seen } from './seen.ts';
import { fieldValue, flagsOf } from './seen.ts';

/** The effect of a rule on a packet that it matches. */
export type RuleEffect =
  /**
   * `pass`: the next rule follows, and the rule has changed nothing that affects the route of the
   * packet.
   */
  | { readonly kind: 'pass' }
  | { readonly kind: 'accept' }
  | { readonly kind: 'notrack' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'reject' }
  /** `of`: the chain is one of so many, at random. */
  | { readonly kind: 'goto'; readonly chain: ChainName; readonly of?: number | undefined }
  /** The next rule follows, and sees the packet with another source. */
  | { readonly kind: 'source'; readonly address: Address }
  | Translation;

export type Translation =
  | { readonly kind: 'dnat'; readonly address: Address; readonly port: number; readonly of?: number | undefined }
  | { readonly kind: 'snat'; readonly address: Address }
  | { readonly kind: 'masquerade' | 'redirect' };

/** Chooses one of `count` options, by its index, if the kernel would choose at random. */
export type Choose = (count: number) => number;

interface Table {
  readonly sets: ReadonlyMap<SetName, NftSet>;
  readonly choose: Choose;
}

/** The effect of one rule of our nft table on a packet; undefined: the rule does not match. */
export function ruleEffect(rule: Rule, seen: Seen, table: Table): RuleEffect | undefined {
  for (const part of rule) {
    const effect = partEffect(part, seen, table);
    if (effect === 'misses') return undefined;
    if (effect !== passes) return effect;
  }
  return passes;
}

const passes: RuleEffect = { kind: 'pass' };
const passesIf = (isMatch: boolean) => (isMatch ? passes : 'misses');

/**
 * The compiler checks that each kind of part has a case: without one the result could be undefined.
 */
function partEffect(part: Part, seen: Seen, { sets, choose }: Table): RuleEffect | 'misses' {
  const { packet } = seen;
  switch (part.kind) {
    case 'is':
    case 'is not': {
      const value = fieldValue(part.field, seen);
      if (value === undefined) return 'misses';
      const expected: readonly FieldValues[Field][] = [part.value].flat();
      return passesIf(expected.some((one) => covers(one, value)) === (part.kind === 'is'));
    }
    case 'in':
    case 'not in': {
      const values = part.fields.map((field) => fieldValue(field, seen));
      if (values.includes(undefined)) return 'misses';
      return passesIf((elementOf(sets, part.set, values) !== undefined) === (part.kind === 'in'));
    }
    case 'flags': {
      const flags = flagsOf(seen);
      return passesIf(flags !== undefined && part.among.every((one) => flags.includes(one) === part.set.includes(one)));
    }
    // Marks and headers are only for the numbers of labels: no route of ours depends on them.
    case 'mark': {
      const { to } = part;
      return passesIf(to === 0 || !('map' in to) || lookUp(sets, to.map, [to.field], seen) !== undefined);
    }
    // Only the kernel knows which clients keep an endpoint.
    case 'update':
      return passesIf(fieldValue(part.field, seen) !== undefined);
    case 'write':
    case 'counter':
    case 'clamp':
      return passes;
    case 'accept':
    case 'drop':
    case 'reject':
    case 'notrack':
    case 'masquerade':
    case 'redirect':
      return { kind: part.kind };
    case 'goto':
      return { kind: 'goto', chain: part.chain };
    case 'vmap': {
      const verdict = lookUp(sets, part.set, part.fields, seen);
      return verdict === undefined ? 'misses' : verdictEffect(verdict, part.set);
    }
    case 'spread': {
      const { length } = part.shares;
      const share = part.shares[choose(length)];
      return share === undefined ? 'misses' : { kind: 'goto', chain: share.chain, of: length };
    }
    case 'dnat': {
      const { to } = part;
      if ('length' in to)
        return { kind: 'dnat', address: inRange(packet.destination, to), port: packet.destinationPort };
      if (!('shares' in to)) return { kind: 'dnat', ...to };
      const { length } = to.shares;
      const share = to.shares[choose(length)];
      return share === undefined ? 'misses' : { kind: 'dnat', ...share.end, of: length };
    }
    case 'source':
      return { kind: 'source', address: part.to };
    case 'snat': {
      const { to } = part;
      if (to === 'same') return { kind: 'snat', address: packet.source };
      return { kind: 'snat', address: 'length' in to ? inRange(packet.source, to) : to };
    }
  }
}

function verdictEffect(verdict: ElementValue, set: SetName): RuleEffect {
  if (verdict === 'drop') return { kind: 'drop' };
  if (verdict.startsWith('goto ')) return { kind: 'goto', chain: verdict.slice('goto '.length) as ChainName };
  throw new Error(`cannot follow map ${set}: "${verdict}" is not a verdict`);
}

/** The address with the prefix of a range, and its own bits after that. */
const inRange = (address: Address, range: Cidr): Address => ({
  family: range.family,
  value: withPrefix(address, range),
});

function covers(expected: FieldValues[Field], value: FieldValues[Field]): boolean {
  if (typeof expected !== 'object' || typeof value !== 'object') return expected === value;
  if ('length' in expected) return contains(expected, value);
  return expected.family === value.family && expected.value === value.value;
}

/**
 * The value of a packet in a set; undefined: the packet does not have a field, or is not in the
 * set.
 */
function lookUp(sets: Table['sets'], set: SetName, fields: readonly Field[], seen: Seen): ElementValue | undefined {
  const values = fields.map((field) => fieldValue(field, seen));
  return values.includes(undefined) ? undefined : elementOf(sets, set, values);
}

/** The value of the element that these values are in; undefined: no element has them. */
function elementOf(
  sets: Table['sets'],
  name: SetName,
  values: readonly (FieldValues[Field] | undefined)[],
): ElementValue | undefined {
  const set = sets.get(name);
  if (set === undefined) throw new Error(`set ${name} does not exist`);
  const { elements, isInterval } = set;
  if (!isInterval) return elements.get(values.map(keyText).join(' . '));
  for (const [element, found] of elements)
    if (element.split(' . ').every((part, index) => isInRange(values[index], part))) return found;
  return undefined;
}

const keyText = (value: FieldValues[Field] | undefined) =>
  typeof value === 'object' ? addressText(value) : String(value);

/** Whether an address is in a part of an element: an address, a network or a range of numbers. */
function isInRange(value: FieldValues[Field] | undefined, part: string): boolean {
  if (typeof value !== 'object') return part === String(value);
  if (part.startsWith('0x')) {
    const [first = '', last = first] = part.split('-');
    return BigInt(first) <= value.value && value.value <= BigInt(last);
  }
  const cidr = parseCidr(part);
  if (cidr !== undefined) return contains(cidr, value);
  const address = parseAddress(part);
  return address?.family === value.family && address.value === value.value;
}
