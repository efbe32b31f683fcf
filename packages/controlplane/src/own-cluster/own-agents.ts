import type { Gateway } from '@isthmus/api';
import { isIsthmusDataPlane } from '@isthmus/api';
import { byAge, equal, isLive } from '@isthmus/machinery';
import { dataPlaneOfGateways } from '@isthmus/wire';
import type { OwnCluster } from './own-cluster.ts';

/**
 * Whether Isthmus agents carry the packets of this cluster, as its Gateways announce it
 * (docs/spec/wire.md §9). Undefined: not known yet.
 */
export function hasOwnAgents({ gateways: { cache } }: Pick<OwnCluster, 'gateways'>): boolean | undefined {
  return cache.synced ? isIsthmusDataPlane(dataPlaneOfGateways(cache.list())) : undefined;
}

/**
 * The Service CIDR that this cluster announces with its Gateways (docs/spec/wire.md §8.4).
 * Undefined: it has none, or they are not known yet.
 */
export function announcedServiceCIDR({ gateways: { cache }, config }: Own): string | undefined {
  const [oldest] = cache.list().filter(isLive).toSorted(byAge);
  return oldest === undefined ? undefined : (config.serviceCIDR ?? oldest.serviceCIDR);
}

/**
 * Whether endpoints in other clusters are ClusterIPs to which no gateway leads. Undefined where
 * the Gateways are: they are not known yet, or cannot be read.
 */
export function lacksGateway(
  { endpointIPType }: Pick<OwnCluster['config'], 'endpointIPType'>,
  gateways: readonly Gateway[] | undefined,
): boolean | undefined {
  if (endpointIPType === 'PodIP' || gateways?.some(isLive) === true) return false;
  return gateways === undefined ? undefined : true;
}

type Own = Pick<OwnCluster, 'gateways' | 'config'>;

/**
 * Calls `listener` when {@link hasOwnAgents} or {@link announcedServiceCIDR} changes, and not at
 * other changes of Gateways. Returns the unsubscriber.
 */
export function onOwnAgents(own: Own, listener: () => void): () => void {
  const looked = () => [hasOwnAgents(own), announcedServiceCIDR(own)];
  let known = looked();
  const look = () => {
    const now = looked();
    if (equal(now, known)) return;
    known = now;
    listener();
  };
  const { cache } = own.gateways;
  const unsubscribers = [cache.subscribe(look), cache.onState(look)];
  return () => {
    for (const unsubscribe of unsubscribers) unsubscribe();
  };
}
