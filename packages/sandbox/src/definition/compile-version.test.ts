import type { JsonSchema } from '@isthmus/schema';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { admin } from '../authentication/authenticator.ts';
import { createSandbox } from '../sandbox.ts';
import { sharedCompiler } from './compile-version.ts';

const widgets = (replicas: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { replicas } } },
});

describe('a shared compiler', () => {
  it('compiles equal schemas once, and other orders of fields by themselves', () => {
    const compile = sharedCompiler();
    const first = compile(widgets({ type: 'integer', maximum: 3 }));
    expect(compile(widgets({ type: 'integer', maximum: 3 }))).toBe(first);
    expect(compile(widgets({ maximum: 3, type: 'integer' }))).not.toBe(first);
    expect(compile(widgets({ type: 'integer', maximum: 4 }))).not.toBe(first);
  });

  it('forgets what it has compiled when that comes to much, and does not begin to remember what is too large', () => {
    const compile = sharedCompiler();
    const large = (name: string, letters: number) =>
      widgets({ type: 'integer', description: name.padEnd(letters, '.') });
    const first = compile(large('first', 900_000));
    compile(large('huge', 3_000_000));
    compile(large('second', 900_000));
    expect(compile(large('first', 900_000))).toBe(first);
    compile(large('third', 900_000));
    expect(compile(large('first', 900_000))).not.toBe(first);
  });

  it('leaves two sandboxes their own definitions: one that changes its own judges by that, the other as before', async () => {
    const compile = sharedCompiler();
    const clock = createVirtualClock({ startMs: 0 });
    const [one, other] = ['one', 'other'].map((name) => {
      const sandbox = createSandbox({ name, clock, compile });
      const transport = sandbox.transport({ kind: 'user', user: admin });
      return async (method: 'POST' | 'PATCH', path: string, body: unknown) => {
        const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
        const headers = { 'content-type': type };
        const request = { method, path, headers, body: JSON.stringify(body) } as const;
        const { status } = await transport.send(request, new AbortController().signal);
        return status;
      };
    });
    if (one === undefined || other === undefined) throw new Error('two sandboxes');
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const version = (maximum: number) => ({
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: widgets({ type: 'integer', maximum }) },
    });
    const names = { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' };
    const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [version(3)] };
    const definition = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec };
    for (const ask of [one, other])
      expect(await ask('POST', definitions, { ...definition, metadata: { name: 'widgets.example.com' } })).toBe(201);
    await clock.advance(1_000);
    expect(await one('PATCH', `${definitions}/widgets.example.com`, { spec: { versions: [version(9)] } })).toBe(200);
    await clock.advance(1_000);
    const widget = (name: string) => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name },
      spec: { replicas: 5 },
    });
    const path = '/apis/example.com/v1/namespaces/default/widgets';
    expect([await one('POST', path, widget('a')), await other('POST', path, widget('a'))]).toEqual([201, 422]);
  });
});
