import { fields, list, objects, oneOf } from '../arbitraries.ts';
import type { GeneratedKind } from '../frame.ts';
import { mutated } from '../mutations.ts';

const spec = fields({}, { finalizers: list(oneOf('kubernetes', 'example.com/hold', 'hold', '')) });
const condition = fields({ type: oneOf('A'), status: oneOf('True') }, { reason: oneOf('R') });
const status = fields({}, { phase: oneOf('Active', 'Terminating', 'Other'), conditions: list(condition, 2) });

export const namespaces: GeneratedKind = {
  name: 'namespaces',
  path: () => '/api/v1/namespaces',
  objects: mutated(objects('v1', 'Namespace', fields({}, { spec, status })), { borders: ['a.b', 'x'.repeat(63)] }),
  count: 200,
};
