import { ConfigMap, Deployment, Namespace, Service } from '@isthmus/api';
import { createClient } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { admin as adminUser } from './authentication/authenticator.ts';
import { createSandbox } from './sandbox.ts';

const identity = {
  uid: '11111111-2222-4333-8444-555555555555',
  creationTimestamp: '2024-02-29T12:00:00Z',
};
const ref = { namespace: 'default', name: 'web' };
const deployment: Deployment = {
  metadata: { ...ref, ...identity, generation: 7, resourceVersion: '123456' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
  status: { observedGeneration: 7, replicas: 2 },
};

function sandboxes() {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const sandbox = createSandbox({ name: 'loaded', clock });
  const client = createClient({ transport: sandbox.transport({ kind: 'user', user: adminUser }), clock, server: 'x' });
  return { sandbox, client, admin: sandbox.admin };
}

describe('a loaded object', () => {
  it('keeps its uid, times, generation and status, with the defaults of its kind', async () => {
    const { admin, client } = sandboxes();
    admin.load(Deployment, deployment);
    const { metadata, spec, status } = await client.get(Deployment, ref);
    expect(metadata).toMatchObject({ ...identity, generation: 7 });
    expect(metadata.resourceVersion).not.toBe('123456');
    expect(metadata.managedFields).toBeUndefined();
    expect(spec).toMatchObject({ replicas: 2, revisionHistoryLimit: 10 });
    expect(status).toMatchObject({ observedGeneration: 7, replicas: 2 });
    await client.patch(Deployment, ref, { type: 'merge', body: { spec: { replicas: 3 } } });
    expect(admin.get(Deployment, ref)?.metadata).toMatchObject({ ...identity, generation: 8 });
  });

  it('replaces an object of its name, which watches see as deleted', () => {
    const { admin } = sandboxes();
    const seen: string[] = [];
    admin.onChange(({ key, before, after }) => seen.push(`${key} ${before !== undefined} ${after !== undefined}`));
    admin.load(Namespace, { metadata: { name: 'default', ...identity } });
    admin.load(Service, {
      metadata: { name: 'kubernetes', namespace: 'default', ...identity },
      spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] },
    });
    expect(seen.slice(0, 2)).toEqual(['default true false', 'default false true']);
    expect(admin.get(Namespace, { name: 'default' })?.metadata).toMatchObject(identity);
  });

  it('that is being deleted goes when its last finalizer does', async () => {
    const { admin, client } = sandboxes();
    const deletion = { deletionTimestamp: '2024-03-01T12:00:00Z', finalizers: ['example.com/x'] };
    admin.load(ConfigMap, { metadata: { ...ref, ...identity, ...deletion } });
    expect(admin.get(ConfigMap, ref)?.metadata).toMatchObject(deletion);
    await client.patch(ConfigMap, ref, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(admin.get(ConfigMap, ref)).toBeUndefined();
  });

  it('is validated, and leaves the object that it would replace if it is not valid', () => {
    const { admin } = sandboxes();
    admin.load(ConfigMap, { metadata: { ...ref, ...identity } });
    const wrong = { metadata: { ...ref, labels: { 'a b': 'c' } } };
    expect(() => admin.load(ConfigMap, wrong)).toThrow('metadata.labels: Invalid value');
    expect(admin.get(ConfigMap, ref)?.metadata).toMatchObject(identity);
  });
});

it('a client cannot choose the uid, the time and the generation of a new object', async () => {
  const { client } = sandboxes();
  const made = await client.create(Deployment, { ...deployment, metadata: { ...ref, ...identity, generation: 7 } });
  expect(made.metadata.uid).not.toBe(identity.uid);
  expect(made.metadata).toMatchObject({ creationTimestamp: '2026-11-21T10:00:00Z', generation: 1 });
});
