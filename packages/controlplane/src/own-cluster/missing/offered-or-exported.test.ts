import { Namespace, ResourceExport, ResourceImport } from '@isthmus/api';
import { clusterAdmin, createVirtualClock, definitions } from '@isthmus/fleet-sim';
import { createClient } from '@isthmus/kube';
import { createSandbox } from '@isthmus/sandbox';
import { withdrawnMark } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import type { LeaderSession } from '../leader-session.ts';
import { isExported, isOffered } from './offered-or-exported.ts';

const namespace = 'area';
const { signal } = new AbortController();

/** A leader, and what a member knows of it. */
async function leader() {
  const clock = createVirtualClock({ startMs: Date.parse('2026-01-01T00:00:00Z') });
  const server = createSandbox({ name: 'north', clock, image: await definitions.ours() });
  server.admin.put(Namespace, { metadata: { name: namespace } });
  const client = createClient({ transport: server.transport(clusterAdmin), clock });
  const session = { client, spec: { leaderNamespace: namespace, clusterID: 'east' } } as LeaderSession;
  return { server, session, clock };
}

describe('an import is offered', () => {
  const look = (session: LeaderSession, isSame = true) =>
    isOffered(session, { name: 'shop-cart', isSame: () => isSame }, signal);
  const put = (server: Awaited<ReturnType<typeof leader>>['server'], more: Partial<ResourceImport> = {}) =>
    server.admin.put(ResourceImport, {
      spec: { kind: 'Service' },
      ...more,
      metadata: { namespace, name: 'shop-cart', ...more.metadata },
    });

  it('where the leader publishes it for this cluster, and it is the same thing', async () => {
    const { server, session } = await leader();
    expect(await look(session)).toBe(false);
    put(server);
    expect([await look(session), await look(session, false)]).toEqual([true, false]);
    put(server, { spec: { kind: 'Service', clusterID: ['west'] } });
    expect(await look(session)).toBe(false);
    put(server, { spec: { kind: 'Service', clusterID: ['west', 'east'] } });
    expect(await look(session)).toBe(true);
  });

  it('not where it is marked as withdrawn', async () => {
    const { server, session } = await leader();
    put(server, { metadata: { name: 'shop-cart', annotations: withdrawnMark(0) } });
    expect(await look(session)).toBe(false);
  });

  it('perhaps, where the leader does not answer', async () => {
    const { server, clock, session } = await leader();
    const client = createClient({ transport: server.transport({ kind: 'none' }), clock });
    await expect(look({ ...session, client })).rejects.toThrow('is forbidden');
  });
});

describe('an import is exported', () => {
  type Status = ResourceExport['status'];
  const selection = { labelSelector: 'a=b' };
  const condition = (status: 'True' | 'False', reason: string): Status => ({
    conditions: [{ type: 'Succeeded', status, reason, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  });
  it.each<readonly [string, Partial<ResourceExport['metadata']>, Status, boolean, boolean]>([
    ['where its export was not looked at yet', {}, undefined, true, true],
    ['where its status has no condition', {}, {}, true, true],
    ['where its status has no condition yet', {}, { conditions: [] }, true, true],
    ['where the leader accepted it', {}, condition('True', 'Converged'), true, true],
    ['not where the leader refused it', {}, condition('False', 'Conflict'), false, false],
    ['where the API server of a leader that marks rejects it', {}, condition('False', 'ImportRejected'), true, false],
    ['not where its export is withdrawn', { annotations: withdrawnMark(0) }, undefined, false, false],
    ['not where its export has another label', { labels: { a: 'c' } }, undefined, false, false],
  ])('%s', async (_, metadata, status, ifMarked, ifNot) => {
    const { server, session } = await leader();
    const exported = {
      metadata: { namespace, name: 'cart', labels: { a: 'b' }, ...metadata },
      spec: { kind: 'Service' },
    };
    server.admin.put(ResourceExport, { ...exported, ...(status !== undefined && { status }) });
    expect(await isExported(session, selection, { marks: true }, signal)).toBe(ifMarked);
    expect(await isExported(session, selection, { marks: false }, signal)).toBe(ifNot);
  });

  it('not where its export is being deleted', async () => {
    const { server, session } = await leader();
    const metadata = { namespace, name: 'cart', labels: { a: 'b' }, finalizers: ['test.example/wait'] };
    server.admin.put(ResourceExport, { metadata, spec: { kind: 'Service' } });
    server.admin.delete(ResourceExport, { namespace, name: 'cart' });
    expect(server.admin.list(ResourceExport)).toHaveLength(1);
    expect(await isExported(session, selection, { marks: true }, signal)).toBe(false);
  });
});
