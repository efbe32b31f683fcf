import { parseIp, stringifyIp } from 'ip-bigint';

/** The family of an address, as Services and EndpointSlices spell it. */
export type Family = 'IPv4' | 'IPv6';

/** An IP address. Equal addresses have the same family and value, however they were written. */
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

/**
 * A network: the addresses whose first `length` bits are those of `value`. The bits after them are
 * zero.
 */
export interface Cidr {
  readonly family: Family;
  readonly value: bigint;
  readonly length: number;
}

const bits: Readonly<Record<Family, number>> = { IPv4: 32, IPv6: 128 };

/**
 * The address that `text` writes, or undefined where it writes none.
 *
 * Strict, as the API server is for new objects: four decimal numbers without leading zeros, or RFC
 * 4291 text; no zone, no spaces, no IPv4-mapped IPv6 address (some readers take such a one for
 * IPv4, others do not).
 */
export function parseAddress(text: string): Address | undefined {
  // An address has at most 39 characters (45 with an IPv4 tail), so longer texts are not parsed.
  if (text.length > 45 || text.includes('%')) return undefined;
  try {
    const { number, version } = parseIp(text);
    if (version === 4) return { family: 'IPv4', value: number };
    return number >> 32n === 0xffffn ? undefined : { family: 'IPv6', value: number };
  } catch {
    // The library throws if the text is not an address.
    return undefined;
  }
}

/**
 * The network that `text` (`address/length`) writes, or undefined where it writes none. Strict as
 * {@link parseAddress}, and no leading zero in the length. Bits after the prefix are dropped:
 * `10.1.2.3/8` is `10.0.0.0/8`.
 */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0 || !/^(?:0|[1-9]\d{0,2})$/.test(text.slice(slash + 1))) return undefined;
  const address = parseAddress(text.slice(0, slash));
  const length = Number(text.slice(slash + 1));
  if (address === undefined || length > bits[address.family]) return undefined;
  const free = BigInt(bits[address.family] - length);
  return { family: address.family, value: (address.value >> free) << free, length };
}

/**
 * The network of a constant. The text is not validated: never pass input. A process that reads no
 * other IPv6 address is spared the 30 ms that it takes to compile the library's pattern for them.
 */
export function constantCidr(text: string): Cidr {
  const [address = '', length = ''] = text.split('/');
  const { number, version } = parseIp(address, { validate: false });
  return { family: version === 4 ? 'IPv4' : 'IPv6', value: number, length: Number(length) };
}

/** The one canonical text of an address: dotted decimal, or RFC 5952. */
export function addressText(address: Address): string {
  return stringifyIp({ number: address.value, version: address.family === 'IPv4' ? 4 : 6 });
}

/** The one canonical text of a network. */
export function cidrText(cidr: Cidr): string {
  return `${addressText(cidr)}/${cidr.length}`;
}

/** The network that has this one address. */
export function hostCidr({ family, value }: Address): Cidr {
  return { family, value, length: bits[family] };
}

/** Whether the two networks have an address in common. Never across families. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  return a.length <= b.length ? contains(a, b) : contains(b, a);
}

/**
 * Whether every address of `inner` (a network, or one address) is in `outer`. Never across
 * families.
 */
export function contains(outer: Cidr, inner: Address | Cidr): boolean {
  const innerLength = 'length' in inner ? inner.length : bits[inner.family];
  if (outer.family !== inner.family || innerLength < outer.length) return false;
  if (inner.value < outer.value) return false;
  const free = bits[outer.family] - outer.length;
  // Numbers hold IPv4 addresses, and need no memory.
  return outer.family === 'IPv4'
    ? Number(inner.value) - Number(outer.value) < 2 ** free
    : (inner.value - outer.value) >> BigInt(free) === 0n;
}

/** An address in its canonical form. A text that is not an address is returned unchanged. */
export function canonicalAddress(text: string): string {
  // IPv4 has one form.
  const address = text.includes(':') ? parseAddress(text) : undefined;
  return address === undefined ? text : addressText(address);
}
