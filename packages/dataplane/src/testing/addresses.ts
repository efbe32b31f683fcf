import { parseAddress, parseCidr } from '@isthmus/machinery';
import type { Address, Cidr } from '@isthmus/machinery';

/** Parses an address. Errors: throws if it is not valid. */
export function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new Error(`${text} is not an IP address`);
  return parsed;
}

/** Parses a network. Errors: throws if it is not valid. */
export function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`${text} is not a network`);
  return parsed;
}
