import { dataPlaneOfGateways, isIsthmusDataPlane } from '../settings.ts';
import type { OwnCluster } from './own-cluster.ts';

/** Whether agents of Isthmus carry the packets of this cluster, as its Gateways announce it (docs/spec/wire.md §9); undefined: not known yet. */
export function hasOwnAgents({ gateways: { cache } }: Pick<OwnCluster, 'gateways'>): boolean | undefined {
  return cache.synced ? isIsthmusDataPlane(dataPlaneOfGateways(cache.list())) : undefined;
}

/** Calls `listener` when {@link hasOwnAgents} becomes another, and not at other changes of Gateways. Returns the unsubscriber. */
export function onOwnAgents(own: Pick<OwnCluster, 'gateways'>, listener: () => void): () => void {
  let known = hasOwnAgents(own);
  const look = () => {
    const now = hasOwnAgents(own);
    if (now === known) return;
    known = now;
    listener();
  };
  const { cache } = own.gateways;
  const unsubscribers = [cache.subscribe(look), cache.onState(look)];
  return () => {
    for (const unsubscribe of unsubscribers) unsubscribe();
  };
}
