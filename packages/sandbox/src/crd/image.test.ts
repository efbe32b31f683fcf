import { CustomResourceDefinition, Namespace, ServiceExport } from '@isthmus/api';
import type { Definition } from '../definition/definition.ts';
import { createVirtualClock, definitions } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../sandbox.ts';
import { createSandbox } from '../sandbox.ts';

const startMs = Date.parse('2026-11-21T10:00:00Z');
const name = 'serviceexports.multicluster.x-k8s.io';
const cart = { namespace: 'default', name: 'cart' };

async function two(): Promise<readonly [Sandbox, Sandbox, ReturnType<typeof createVirtualClock>]> {
  const image = await definitions.ours();
  const clock = createVirtualClock({ startMs });
  return [
    createSandbox({ name: 'one', clock, seed: 1, image }),
    createSandbox({ name: 'two', clock, seed: 2, image }),
    clock,
  ];
}

describe('sandboxes from one image', () => {
  it('serve its kinds at once, with their validation', async () => {
    const [one] = await two();
    expect(one.admin.put(ServiceExport, { metadata: cart }).metadata.generation).toBe(1);
    expect(() => one.admin.put(ServiceExport, { metadata: { ...cart, name: 'Cart' } })).toThrow(
      'Invalid value: "Cart"',
    );
  });

  it('have definitions of their own: made when the server was, with a uid of its own, and established', async () => {
    const [one, other] = await two();
    const [a, b] = [one, other].map(({ admin }) => admin.get(CustomResourceDefinition, { name }));
    expect(a?.metadata.creationTimestamp).toBe('2026-11-21T10:00:00Z');
    expect(a?.metadata.uid).not.toBe(b?.metadata.uid);
    expect(a).toMatchObject({
      status: { conditions: [{ type: 'NamesAccepted' }, { type: 'Established', status: 'True' }] },
    });
  });

  it('part ways: a kind that one loses is served by the other', async () => {
    const [one, other, clock] = await two();
    one.admin.put(Namespace, { metadata: { name: 'shop' } });
    one.admin.delete(CustomResourceDefinition, { name });
    await clock.settle();
    expect(one.admin.get(CustomResourceDefinition, { name })).toBeUndefined();
    expect(() => one.admin.list(ServiceExport)).toThrow('serviceexports.multicluster.x-k8s.io');
    expect(other.admin.list(ServiceExport)).toEqual([]);
  });

  it('judge by a definition once it is changed', async () => {
    const [one, other, clock] = await two();
    const { versions } = (one.admin.get(CustomResourceDefinition, { name }) as unknown as Definition).spec;
    const must = { type: 'object', properties: { must: { type: 'string' } }, required: ['must'] };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: must }, required: ['spec'] } };
    const changed = versions.map((version) => ({ ...version, schema }));
    one.admin.patch(CustomResourceDefinition, { name }, { spec: { versions: changed } });
    await clock.settle();
    expect(() => one.admin.put(ServiceExport, { metadata: cart })).toThrow('spec: Required value');
    expect(other.admin.put(ServiceExport, { metadata: cart }).metadata.name).toBe('cart');
  });
});
