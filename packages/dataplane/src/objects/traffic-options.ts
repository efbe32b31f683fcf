import type { Service } from '@isthmus/api';
import type { ImportedService } from '../desired/cluster-network.ts';

/**
 * The options of an imported Service for the choice of endpoints, from its spec
 * (docs/spec/mcs-api.md §2).
 */
export function trafficOptions(
  spec: Service['spec'],
): Pick<ImportedService, 'affinitySeconds' | 'isNodeLocal' | 'nearest'> {
  const nearest = spec?.trafficDistribution === undefined ? undefined : distributions.get(spec.trafficDistribution);
  return {
    ...(spec?.sessionAffinity === 'ClientIP'
      ? { affinitySeconds: spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinitySeconds }
      : {}),
    ...(spec?.internalTrafficPolicy === 'Local' ? { isNodeLocal: true } : {}),
    ...(nearest === undefined ? {} : { nearest }),
  };
}

/** The default of Kubernetes: three hours. */
const defaultAffinitySeconds = 10_800;

/** A value that is not among them is a hint of a later Kubernetes version, and has no effect. */
const distributions: ReadonlyMap<string, 'Zone' | 'Node'> = new Map([
  ['PreferClose', 'Zone'],
  ['PreferSameZone', 'Zone'],
  ['PreferSameNode', 'Node'],
]);
