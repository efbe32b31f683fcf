import type { Address } from '@isthmus/machinery';
import { addressText, parseAddress } from '@isthmus/machinery';

/** The most addresses of one cluster; further ones are ignored. */
export const mostDirectProbes = 8;

/** An address of IPv6 has at most 39 characters. */
const longest = mostDirectProbes * 40;

/**
 * As the annotation `isthmus.dev/direct-probes` has them: `10.10.1.0,10.10.2.0`, each once, and no
 * more than count.
 */
export function directProbesText(addresses: readonly Address[]): string {
  return [...new Set(addresses.map(addressText))].slice(0, mostDirectProbes).join(',');
}

/**
 * Reads the annotation, which another cluster may have written. Entries that are not addresses are
 * left out.
 */
export function parseDirectProbes(text: string | undefined): readonly Address[] {
  if (text === undefined || text.length > longest) return [];
  return text
    .split(',')
    .slice(0, mostDirectProbes)
    .flatMap((one) => parseAddress(one) ?? []);
}
