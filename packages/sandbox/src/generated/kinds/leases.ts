import { fields, objects, oneOf } from '../arbitraries.ts';
import type { GeneratedKind } from '../frame.ts';
import { mutated } from '../mutations.ts';

const time = oneOf(
  '2026-11-21T10:00:00.123456Z',
  '2026-11-21T10:00:00Z',
  '2026-11-21T10:00:00.1+02:00',
  '2026-11-21T10:00:00.123456789Z',
  '2026-11-21T10:00:00.5Z',
  null,
  '2026-11-21T10:00:00.000000Z',
  'yesterday',
);
const spec = fields(
  {},
  {
    holderIdentity: oneOf('a', ''),
    leaseDurationSeconds: oneOf(15, 1, 0, -1),
    leaseTransitions: oneOf(0, 3, -1),
    acquireTime: time,
    renewTime: time,
    strategy: oneOf('OldestEmulationVersion', 'example.com/own', 'Other', ''),
    preferredHolder: oneOf('b', ''),
  },
);

export const leases: GeneratedKind = {
  name: 'leases',
  path: (namespace) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
  objects: mutated(objects('coordination.k8s.io/v1', 'Lease', fields({}, { spec }))),
  count: 200,
};
