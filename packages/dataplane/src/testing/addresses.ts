import { parseAddress, parseCidr } from '@isthmus/machinery';
import type { Address, Cidr } from '@isthmus/machinery';

/** Errors: throws when it is not an address. */
export function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new Error(`${text} is not an IP address`);
  return parsed;
}

/** Errors: throws when it is not a network. */
export function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`${text} is not a network`);
  return parsed;
}
