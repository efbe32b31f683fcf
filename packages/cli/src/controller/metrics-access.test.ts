import { ClusterRole, ClusterRoleBinding, Namespace, ServiceAccount } from '@isthmus/api';
import { createClient } from '@isthmus/kube';
import type { Transport } from '@isthmus/kube';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock, serviceAccount } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { withAccessReview } from './metrics-access.ts';

const tokenOf = async (transport: Transport, name: string): Promise<string> => {
  const client = createClient({ transport, clock: createVirtualClock({ startMs: 0 }) });
  const { text } = await client.request({
    method: 'POST',
    path: `/api/v1/namespaces/monitoring/serviceaccounts/${name}/token`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
  });
  return (JSON.parse(text) as { status: { token: string } }).status.token;
};

/**
 * A cluster in which `prometheus` may read metrics and `visitor` may not, and a controller's server
 * of metrics.
 */
async function place(controllerMay: boolean) {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 10, 21) });
  const server = createSandbox({ name: 'here', clock });
  for (const name of ['monitoring', 'isthmus']) server.admin.put(Namespace, { metadata: { name } });
  for (const name of ['prometheus', 'visitor'])
    server.admin.put(ServiceAccount, { metadata: { name, namespace: 'monitoring' } });
  server.admin.put(ServiceAccount, { metadata: { name: 'controller', namespace: 'isthmus' } });
  const bind = (role: string, namespace: string, name: string) =>
    server.admin.put(ClusterRoleBinding, {
      metadata: { name: `${name}-${role.replace(':', '-')}` },
      roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    });
  server.admin.put(ClusterRole, {
    metadata: { name: 'isthmus-metrics-reader' },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  });
  bind('isthmus-metrics-reader', 'monitoring', 'prometheus');
  if (controllerMay) bind('system:auth-delegator', 'isthmus', 'controller');
  const admin = server.transport(clusterAdmin);
  const inner = server.transport(serviceAccount('isthmus', 'controller'));
  const asked: string[] = [];
  const transport: Transport = {
    ...inner,
    send: (request, signal) => (asked.push(request.path.split('/').at(-1) ?? ''), inner.send(request, signal)),
  };
  const handler = withAccessReview(async () => ({ status: 200, headers: {}, body: 'metrics' }), {
    client: createClient({ transport, clock }),
    clock,
  });
  const get = (token?: string) =>
    handler({
      method: 'GET',
      url: '/metrics',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
  return {
    clock,
    asked,
    get,
    prometheus: await tokenOf(admin, 'prometheus'),
    visitor: await tokenOf(admin, 'visitor'),
  };
}

describe('metrics that other hosts can reach', () => {
  it('are for those whom the API server allows to get them', async () => {
    const { get, prometheus, visitor } = await place(true);
    expect(await get(prometheus)).toMatchObject({ status: 200, body: 'metrics' });
    expect(await get(visitor)).toMatchObject({ status: 403, body: expect.stringContaining('isthmus-metrics-reader') });
    expect(await get('made-up')).toMatchObject({ status: 401 });
    expect(await get()).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  });

  it('cost few questions, whatever tokens anybody makes up, and stay readable for those who may read them', async () => {
    const { clock, asked, get, prometheus } = await place(true);
    expect(await get(prometheus)).toMatchObject({ status: 200 });
    for (let second = 1; second <= 65; second++) {
      await clock.advance(1_000);
      const before = asked.length;
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) => get(`${second} ${index}`.replace(' ', '-'))),
      );
      expect(asked.length - before).toBeLessThanOrEqual(10);
      expect(answers.at(-1)).toMatchObject({ status: 503, body: expect.stringContaining('too many unknown tokens') });
      const questions = asked.length;
      expect(await get(prometheus)).toMatchObject({ status: 200 });
      expect(asked.length - questions).toBe(second === 60 ? 2 : 0);
    }
    await clock.advance(1_000);
    expect(await get('made-up')).toMatchObject({ status: 401 });
  });

  it('cost two questions in a minute, however often and by how many at once they are read', async () => {
    const { clock, asked, get, prometheus } = await place(true);
    await Promise.all([get(prometheus), get(prometheus)]);
    await clock.advance(59_000);
    expect(await get(prometheus)).toMatchObject({ status: 200 });
    expect(asked).toEqual(['tokenreviews', 'subjectaccessreviews']);
    await clock.advance(2_000);
    await get(prometheus);
    expect(asked).toHaveLength(4);
  });

  it('are not asked about by a token that is too long to be one', async () => {
    const { asked, get } = await place(true);
    expect(await get('x'.repeat(20_000))).toMatchObject({ status: 401 });
    expect(asked).toEqual([]);
  });

  it('are closed, with the file to apply, where the controller may not ask', async () => {
    const { get, prometheus } = await place(false);
    expect(await get(prometheus)).toMatchObject({ status: 503, body: expect.stringContaining('deploy/metrics.yaml') });
  });
});
