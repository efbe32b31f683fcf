import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { CustomResourceDefinition } from '@isthmus/api';
import { createVirtualClock, putDefinition } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { createSandbox } from '../sandbox.ts';

const Things: ResourceType<KubernetesObject> = {
  group: 'example.org',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};

it('a CRD whose rule only a real API server can judge is accepted, and the other rules judge its objects', async () => {
  const clock = createVirtualClock({ startMs: 0 });
  const sandbox = createSandbox({ name: 'x', clock });
  putDefinition(sandbox, Things);
  await clock.settle();
  const { admin } = sandbox;
  const withRules = (...rules: readonly string[]) => {
    const a = { type: 'integer', 'x-kubernetes-validations': rules.map((rule) => ({ rule })) };
    const spec = { type: 'object', properties: { a } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const version = { name: 'v1', served: true, storage: true, schema };
    admin.patch(CustomResourceDefinition, { name: 'things.example.org' }, { spec: { versions: [version] } });
  };
  expect(() => withRules('self.nothing > 1')).toThrow('compilation failed');
  withRules("isSemver('1.2.3')", 'self > 1');
  await clock.settle();
  const put = (a: number) =>
    admin.put(Things, { metadata: { namespace: 'default', name: `a${a}` }, spec: { a } } as KubernetesObject);
  put(2);
  expect(() => put(1)).toThrow('failed rule: self > 1');
});
