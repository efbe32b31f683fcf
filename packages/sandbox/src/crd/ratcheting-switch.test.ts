import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { createVirtualClock, putDefinition } from '@isthmus/fleet-sim';
import { CustomResourceDefinition } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../sandbox.ts';

interface Thing extends KubernetesObject {
  readonly spec: { readonly a: string; readonly b?: string };
}

const Things: ResourceType<Thing> = {
  group: 'example.org',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};
const name = 'things.example.org';
const ref = { namespace: 'default', name: 'old' };

/** A server with an object that is older than the schema of its kind. */
async function withOldObject(isRatcheting: boolean, spec: object) {
  const clock = createVirtualClock({ startMs: 0 });
  const sandbox = createSandbox({ name: 'x', clock, isRatcheting });
  putDefinition(sandbox, Things);
  await clock.settle();
  const { admin } = sandbox;
  admin.put(Things, { metadata: ref, spec: { a: 'far too long' } });
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const version = { name: 'v1', served: true, storage: true, schema };
  admin.patch(CustomResourceDefinition, { name }, { spec: { versions: [version] } });
  await clock.settle();
  return (b: string) => admin.patch(Things, ref, { spec: { b } });
}

const b = { type: 'string', maxLength: 4 };
const bySchema = { type: 'object', properties: { a: { type: 'string', maxLength: 4 }, b } };
const rule = { rule: 'size(self) <= 4', message: 'too long for us' };
const byRule = { type: 'object', properties: { a: { type: 'string', 'x-kubernetes-validations': [rule] }, b } };

describe.each([
  ['a schema', bySchema, 'spec.a: Too long'],
  ['a rule', byRule, 'too long for us'],
])('an update of an object that %s would not have any more', (_by, spec, error) => {
  it('passes where the wrong part stays as it is, as on servers from 1.30 on', async () => {
    const update = await withOldObject(true, spec);
    expect(update('new').spec).toEqual({ a: 'far too long', b: 'new' });
    expect(() => update('wrong too')).toThrow('spec.b: Too long');
  });

  it('is refused by a server that judges the whole each time, as those before 1.30', async () => {
    const update = await withOldObject(false, spec);
    expect(() => update('new')).toThrow(error);
  });
});
