import { addressOf, parseAddress, specialUse } from '@isthmus/machinery';

/**
 * Why a text cannot be the address of a gateway for other clusters, as the end of a sentence;
 * undefined if it can.
 */
export function gatewayIPProblem(text: string): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return 'is not an IP address';
  const special = specialUse(address);
  return special === undefined ? undefined : `is ${addressOf(special.use)}`;
}
