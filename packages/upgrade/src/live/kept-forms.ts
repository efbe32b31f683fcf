import { isRecord } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import { withoutDescriptions } from '../crd/without-descriptions.ts';
import { keptHead, recordAt, withoutUndefined } from './workload.ts';

/**
 * A CustomResourceDefinition as snapshots keep it: all that checks look at, the same for clusters
 * that run the same. Descriptions, times and what belongs to one cluster alone are left out.
 */
export function definitionForm(object: KubernetesObject): Readonly<Record<string, unknown>> {
  const status = recordAt(object, 'status');
  const conditions = Array.isArray(status['conditions']) ? (status['conditions'] as readonly unknown[]) : [];
  return {
    ...keptHead(object),
    spec: withoutDescriptions(recordAt(object, 'spec')),
    status: withoutUndefined({
      acceptedNames: status['acceptedNames'],
      conditions: conditions.filter(isRecord).map(({ type, status, reason }) => ({ type, status, reason })),
      storedVersions: status['storedVersions'],
    }),
  };
}

/**
 * A webhook configuration as snapshots keep it: without the certificates, of which only the
 * presence matters.
 */
export function webhookForm(object: KubernetesObject): Readonly<Record<string, unknown>> {
  const { webhooks } = object as unknown as Readonly<Record<string, unknown>>;
  return {
    ...keptHead(object),
    webhooks: (Array.isArray(webhooks) ? (webhooks as readonly unknown[]) : []).filter(isRecord).map((one) => {
      const { caBundle: _, ...config } = recordAt(one, 'clientConfig');
      return { ...one, clientConfig: config };
    }),
  };
}
