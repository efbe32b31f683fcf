import type { Cidr } from '@isthmus/machinery';
import { Annotation } from './names.ts';
import { cidrText, overlaps, parseCidr } from '@isthmus/machinery';

/**
 * Pod CIDRs of a cluster and the ranges by which other clusters know them (docs/spec/wire.md §9).
 */
export interface VirtualPodCIDR {
  /** The CIDR of the Pods in their own cluster. */
  readonly own: Cidr;
  /**
   * The virtual CIDR, of the same family and length: an address in it stands for the Pod address
   * with the same bits behind the prefix.
   */
  readonly virtual: Cidr;
}

/** The most CIDRs of one cluster; further ones are ignored. */
export const mostVirtualPodCIDRs = 8;

/** Two IPv6 ranges have at most 87 characters. */
const longest = mostVirtualPodCIDRs * 100;

/** As the annotation `isthmus.dev/virtual-pod-cidrs` has them: `10.10.0.0/16=100.64.0.0/16,…`. */
export function virtualPodCIDRsText(pairs: readonly VirtualPodCIDR[]): string {
  return pairs.map(({ own, virtual }) => `${cidrText(own)}=${cidrText(virtual)}`).join(',');
}

/**
 * Reads the annotation, which another cluster may have written. What is no pair of ranges of one
 * length and family, or overlaps with a pair before it, is left out.
 */
export function parseVirtualPodCIDRs(text: string | undefined): readonly VirtualPodCIDR[] {
  if (text === undefined || text.length > longest) return [];
  const pairs: VirtualPodCIDR[] = [];
  for (const entry of text.split(',').slice(0, mostVirtualPodCIDRs)) {
    const [own, virtual] = entry.split('=').map(parseCidr);
    if (own === undefined || virtual === undefined || own.family !== virtual.family || own.length !== virtual.length)
      continue;
    const isTaken =
      overlaps(own, virtual) || pairs.some((one) => overlaps(one.own, own) || overlaps(one.virtual, virtual));
    if (!isTaken) pairs.push({ own, virtual });
  }
  return pairs;
}

/**
 * The virtual Pod CIDRs by which other clusters are to reach a cluster: those that it publishes as
 * its own Pod CIDRs. The others are allotted, and its agents do not know them yet.
 */
export function usedVirtualPodCIDRs(
  { annotations }: { readonly annotations?: Readonly<Record<string, string>> | undefined },
  { podCIDRs = [] }: { readonly podCIDRs?: readonly string[] | undefined },
): readonly VirtualPodCIDR[] {
  const published = new Set(podCIDRs);
  return parseVirtualPodCIDRs(annotations?.[Annotation.virtualPodCIDRs]).filter(({ virtual }) =>
    published.has(cidrText(virtual)),
  );
}
