import type { Address, Cidr } from '@isthmus/machinery';
import { contains, parseAddress, parseCidr } from '@isthmus/machinery';
import { isOurSlice } from '@isthmus/wire';
import { announcedServiceCIDR } from '../../../../own-cluster/own-agents.ts';
import type { LocalCluster } from '../../local/services.ts';
import { ServiceIndex, SliceIndex } from '../../local/services.ts';

/** Why an address belongs to this cluster, as the end of a sentence; undefined: it does not. */
export type OwnedAs = (address: string) => string | undefined;

/**
 * Finds the addresses of this cluster: of its Nodes, its API server, its Services and its Pods. The
 * Pod CIDRs of its Nodes count only if Pods have addresses in them: a network plugin may ignore
 * them, and another cluster may use the same ranges.
 */
export function createOwnAddresses(local: LocalCluster): () => OwnedAs {
  const { clock } = local.world;
  let areNodeRangesUsed = false;
  let lookedMs = Number.NEGATIVE_INFINITY;
  const look = () => {
    const nowMs = clock.monotonic();
    if (areNodeRangesUsed || nowMs - lookedMs < lookAgainMs) return;
    lookedMs = nowMs;
    areNodeRangesUsed = hasPodInNodeRange(local);
  };
  return () => {
    const ranges = ownRanges(local);
    look();
    return (text) => {
      if (local.ownNodes.has(text)) return 'is the address of a Node of this cluster';
      if (local.services.cache.byIndex(ServiceIndex.address, text).length > 0)
        return 'is the address of a Service of this cluster';
      if (local.slices.cache.byIndex(SliceIndex.address, text).length > 0)
        return 'is the address of a Pod or of the API server of this cluster';
      const address = parseAddress(text);
      if (address === undefined) return undefined;
      const range = ranges.find(({ cidr }) => contains(cidr, address));
      if (range !== undefined) return `is in a ${range.kind} of this cluster`;
      return areNodeRangesUsed && local.ownNodes.hasPod(address) ? 'is in a Pod CIDR of this cluster' : undefined;
    };
  };
}

interface OwnRange {
  readonly cidr: Cidr;
  readonly kind: 'Pod CIDR' | 'Service CIDR' | 'virtual Pod CIDR';
}

function ownRanges(local: LocalCluster): readonly OwnRange[] {
  const { config, virtualPodCIDRs } = local;
  const read = (texts: readonly string[], kind: OwnRange['kind']) =>
    texts.flatMap((text): readonly OwnRange[] => {
      const cidr = parseCidr(text);
      return cidr === undefined ? [] : [{ cidr, kind }];
    });
  const serviceCIDR = config.serviceCIDR ?? announcedServiceCIDR(local);
  return [
    ...read(config.podCIDRs, 'Pod CIDR'),
    ...read(serviceCIDR === undefined ? [] : [serviceCIDR], 'Service CIDR'),
    ...(virtualPodCIDRs.value ?? []).map(({ virtual }): OwnRange => ({ cidr: virtual, kind: 'virtual Pod CIDR' })),
  ];
}

/** How long it counts that no Pod has an address in the ranges of Nodes. */
const lookAgainMs = 10_000;

/** The most Pods that are looked at: in a cluster that uses the ranges, nearly each is in one. */
const mostLookedAt = 100;

function hasPodInNodeRange({ slices, ownNodes }: LocalCluster): boolean {
  let looked = 0;
  for (const slice of slices.cache.list()) {
    if (isOurSlice(slice)) continue;
    for (const { targetRef, addresses } of slice.endpoints ?? []) {
      const [text = ''] = addresses;
      if (targetRef?.kind !== 'Pod' || ownNodes.has(text)) continue;
      const address: Address | undefined = parseAddress(text);
      if (address !== undefined && ownNodes.hasPod(address)) return true;
      if (++looked === mostLookedAt) return false;
    }
  }
  return false;
}
