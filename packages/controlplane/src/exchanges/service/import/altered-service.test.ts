import type { Service } from '@isthmus/api';
import { expect, it } from 'vitest';
import { alteredService } from './altered-service.ts';

const service = (spec: Service['spec']): Service => ({ metadata: { namespace: 'shop', name: 'antrea-mc-cart' }, spec });

it('names each field that has another value than was written, and who can do that', () => {
  const wanted = service({ type: 'ClusterIP', internalTrafficPolicy: 'Cluster', sessionAffinity: 'None' });
  const written = service({ type: 'ClusterIP', internalTrafficPolicy: 'Local', sessionAffinity: 'ClientIP' });
  expect(alteredService(wanted, written)).toEqual({
    reason: 'PartlyImported',
    message:
      'Imported without parts that cannot be used here: an admission policy or a webhook of this cluster changes Service antrea-mc-cart: internalTrafficPolicy "Cluster" to "Local", sessionAffinity "None" to "ClientIP". Exclude the imported Services from it: they have the label app.kubernetes.io/managed-by=isthmus',
    lookAgainMs: 300_000,
  });
});

it.each<[string, Service['spec'], Service['spec']]>([
  [
    'values that the API server fills in',
    { type: 'ClusterIP' },
    { type: 'ClusterIP', internalTrafficPolicy: 'Cluster' },
  ],
  ['a field that the API server does not know', { trafficDistribution: 'PreferClose' }, {}],
  ['equal values', { internalTrafficPolicy: 'Local' }, { internalTrafficPolicy: 'Local' }],
])('does not report %s', (_, wanted, written) => {
  expect(alteredService(service(wanted), service(written))).toBeUndefined();
});
