import type { Service } from '@isthmus/api';
import type { ImportedService } from '../desired/cluster-network.ts';

/** What the spec of an imported Service says about the choice of endpoints (docs/spec/mcs-api.md §2). */
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

/** As Kubernetes has it: three hours. */
const defaultAffinitySeconds = 10_800;

/** A value that is not among them is a hint of a later Kubernetes: it changes nothing. */
const distributions: ReadonlyMap<string, 'Zone' | 'Node'> = new Map([
  ['PreferClose', 'Zone'],
  ['PreferSameZone', 'Zone'],
  ['PreferSameNode', 'Node'],
]);
