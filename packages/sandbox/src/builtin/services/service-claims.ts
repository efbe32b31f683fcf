import type { ServiceClaims } from '../../strategy/strategy.ts';
import type { Store } from '../../store/store.ts';
import type { Stored } from '../../store/stored.ts';
import { nodePortsOf } from './service-node-ports.ts';
import { serviceOf } from './service-shape.ts';

/**
 * Follows each write of a Service. Reading them all for each new one would make ten thousand of
 * them cost their square.
 */
export function followServiceClaims(store: Store): ServiceClaims {
  const holders = new Map<string | number, string>();
  store.onChange('/services', ({ key, before, after }) => {
    for (const claim of claimsOf(before)) if (holders.get(claim) === key) holders.delete(claim);
    for (const claim of claimsOf(after)) holders.set(claim, key);
  });
  return holders;
}

function claimsOf(service: Stored | undefined): readonly (string | number)[] {
  if (service === undefined) return [];
  const { spec } = serviceOf(service);
  return [...(spec.clusterIPs ?? []), ...nodePortsOf(spec)];
}
