/**
 * Rules about IP addresses and networks, as kube-apiserver 1.36 has them: old fields read more than
 * new ones, and warn.
 */
import { addressText, cidrText, contains, parseAddress, parseCidr } from '@isthmus/machinery';
import type { Address } from '@isthmus/machinery';
import type { FieldError } from '@isthmus/schema';
import { invalid } from './field-rules.ts';

/** More than the longest text of an IPv6 address. It bounds the input of the patterns below. */
const longestAddress = 64;

/**
 * An address by the rules of Go's lenient reader: IPv4 may have leading zeros, and IPv4-mapped IPv6
 * is IPv4.
 */
export function looseAddress(text: string): Address | undefined {
  if (text.length > longestAddress) return undefined;
  const strict = parseAddress(text);
  if (strict !== undefined) return strict;
  if (/^\d{1,9}(\.\d{1,9}){3}$/.test(text)) return parseAddress(text.split('.').map(Number).join('.'));
  const mapped = /^(?:0*:)*:(?:0*:)*ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  if (mapped !== undefined) return parseAddress(mapped);
  const groups = /^(?:0*:)*:(?:0*:)*ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(text);
  const [, high = '', low = ''] = groups ?? [];
  return groups === null ? undefined : { family: 'IPv4', value: (BigInt(`0x${high}`) << 16n) | BigInt(`0x${low}`) };
}

/** Whether the text is an IPv6 address. An IPv4-mapped address counts as IPv4. */
export function isIPv6(text: string): boolean {
  return looseAddress(text)?.family === 'IPv6';
}

/**
 * An address in a field that is older than strict reading. What was there before is taken again.
 */
export function legacyAddress(path: string, text: string, existing: readonly string[] = []): readonly FieldError[] {
  if (existing.includes(text)) return [];
  const address = looseAddress(text);
  if (address === undefined)
    return [invalid(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  if (parseAddress(text) !== undefined) return [];
  const why = text.includes(':') ? 'must not be an IPv4-mapped IPv6 address' : 'must not have leading 0s';
  return [invalid(path, text, why)];
}

/** An address in a newer field: its canonical text only. */
export function canonicalAddress(path: string, text: string): readonly FieldError[] {
  const errors = legacyAddress(path, text);
  const address = looseAddress(text);
  if (errors.length > 0 || address === undefined) return errors;
  const canonical = addressText(address);
  return canonical === text ? [] : [invalid(path, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

/** The errors of the address of an endpoint. */
export function endpointAddress(path: string, text: string): readonly FieldError[] {
  const address = looseAddress(text);
  if (address === undefined) return [invalid(path, text, 'must be a valid IP address')];
  const errors = address.value === 0n ? [invalid(path, text, `may not be unspecified (${text})`)] : [];
  for (const [networks, rule] of unusable) {
    if (networks.some((network) => contains(network, address))) errors.push(invalid(path, text, rule));
  }
  return errors;
}

const unusable = [
  [networks('127.0.0.0/8', '::1/128'), 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [networks('169.254.0.0/16', 'fe80::/10'), 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [networks('224.0.0.0/24', 'ff02::/16'), 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
] as const;

function networks(...texts: readonly string[]) {
  return texts.flatMap((text) => parseCidr(text) ?? []);
}

/** A network in an old field; spaces around it are the caller's. */
export function legacyNetwork(path: string, text: string, existing: readonly string[] = []): readonly FieldError[] {
  if (existing.includes(text)) return [];
  const read = looseNetwork(text);
  if (read === undefined)
    return [invalid(path, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
  const strict = parseCidr(text);
  if (strict === undefined) {
    const why = text.includes(':')
      ? 'must not have an IPv4-mapped IPv6 address'
      : 'must not have leading 0s in IP or prefix length';
    return [invalid(path, text, why)];
  }
  return strict.value === read.value ? [] : [invalid(path, text, 'must not have bits set beyond the prefix length')];
}

export function canonicalNetwork(path: string, text: string): readonly FieldError[] {
  const errors = legacyNetwork(path, text);
  const cidr = parseCidr(text);
  if (errors.length > 0 || cidr === undefined) return errors;
  const canonical = cidrText(cidr);
  return canonical === text ? [] : [invalid(path, text, `must be in canonical form (${JSON.stringify(canonical)})`)];
}

/** Warnings about an address that was accepted. */
export function addressWarnings(path: string, text: string): readonly string[] {
  const address = looseAddress(text);
  if (address === undefined) return [];
  const canonical = addressText(address);
  if (parseAddress(text) === undefined) {
    return [`${path}: non-standard IP address ${JSON.stringify(text)} is invalid: use ${JSON.stringify(canonical)}`];
  }
  if (address.family === 'IPv4' || canonical === text) return [];
  const [had, wanted] = [JSON.stringify(text), JSON.stringify(canonical)];
  return [`${path}: IPv6 address ${had} should be in RFC 5952 canonical format (${wanted})`];
}

/** Warnings about a network that was accepted. */
export function networkWarnings(path: string, text: string): readonly string[] {
  const read = looseNetwork(text);
  if (read === undefined) return [];
  const warnings: string[] = [];
  const strict = parseCidr(text);
  const network = parseCidr(`${addressText(read)}/${read.length}`);
  if (network === undefined) return [];
  const [had, wanted] = [JSON.stringify(text), JSON.stringify(cidrText(network))];
  if (network.value !== read.value) {
    const single = JSON.stringify(`${addressText(read)}/${read.family === 'IPv4' ? 32 : 128}`);
    warnings.push(`${path}: CIDR value ${had} is ambiguous in this context (should be ${wanted} or ${single}?)`);
  }
  if (strict === undefined) warnings.push(`${path}: non-standard CIDR value ${had} is invalid: use ${wanted}`);
  if (warnings.length === 0 && read.family === 'IPv6' && wanted !== had) {
    warnings.push(`${path}: IPv6 CIDR value ${had} should be in RFC 5952 canonical format (${wanted})`);
  }
  return warnings;
}

/** The address before the slash with all its bits, and the length after it. */
function looseNetwork(text: string): (Address & { readonly length: number }) | undefined {
  const [before = '', length = '', ...more] = text.split('/');
  const address = looseAddress(before);
  if (address === undefined || more.length > 0 || !/^\d+$/.test(length)) return undefined;
  return Number(length) > (address.family === 'IPv4' ? 32 : 128) ? undefined : { ...address, length: Number(length) };
}
