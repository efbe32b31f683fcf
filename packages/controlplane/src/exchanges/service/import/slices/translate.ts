import type { ClusterInfoImport, VirtualPodCIDR } from '@isthmus/api';
import { usedVirtualPodCIDRs } from '@isthmus/api';
import { addressText, contains, parseAddress } from '@isthmus/machinery';

/** The virtual ranges of other clusters, by cluster ID. */
export type VirtualRanges = ReadonlyMap<string, readonly VirtualPodCIDR[]>;

/** The virtual ranges that this cluster is to use. */
export function virtualRanges(networks: readonly ClusterInfoImport[]): VirtualRanges {
  return new Map(
    networks.flatMap(({ metadata, spec }) => {
      const pairs = usedVirtualPodCIDRs(metadata, spec ?? {});
      return pairs.length === 0 || spec?.clusterID === undefined ? [] : [[spec.clusterID, pairs] as const];
    }),
  );
}

interface Addressed {
  readonly endpoints: readonly { readonly addresses: readonly string[] }[];
}

/**
 * The endpoints of another cluster, with the addresses under which this cluster reaches them:
 * exports contain the Pods' own addresses. Addresses without a virtual range, such as ClusterIPs,
 * stay the same, and so do virtual addresses.
 */
export function translated<S extends Addressed>(
  slices: readonly S[],
  pairs: readonly VirtualPodCIDR[] = [],
): readonly S[] {
  return mapped(slices, pairs);
}

/** The reverse of {@link translated}. */
export function asExported<S extends Addressed>(
  slices: readonly S[],
  pairs: readonly VirtualPodCIDR[] = [],
): readonly S[] {
  return mapped(
    slices,
    pairs.map(({ own, virtual }) => ({ own: virtual, virtual: own })),
  );
}

function mapped<S extends Addressed>(slices: readonly S[], pairs: readonly VirtualPodCIDR[]): readonly S[] {
  if (pairs.length === 0) return slices;
  return slices.map((slice) => ({
    ...slice,
    endpoints: slice.endpoints.map((endpoint) => ({
      ...endpoint,
      addresses: endpoint.addresses.map((text) => inOther(text, pairs)),
    })),
  }));
}

function inOther(text: string, pairs: readonly VirtualPodCIDR[]): string {
  const address = parseAddress(text);
  const pair = address && pairs.find(({ own }) => contains(own, address));
  if (address === undefined || pair === undefined) return text;
  const free = BigInt((address.family === 'IPv4' ? 32 : 128) - pair.own.length);
  return addressText({ ...address, value: pair.virtual.value | (address.value & ((1n << free) - 1n)) });
}
