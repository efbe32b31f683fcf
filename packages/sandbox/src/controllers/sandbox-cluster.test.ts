import { ConfigMap, Secret, ServiceAccount, serviceAccountTokenType } from '@isthmus/api';
import { createClient } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { Deployment, Node, Pod } from './kinds.ts';
import type { Sandbox } from '../sandbox.ts';
import { createSandbox } from '../sandbox.ts';
import type { ClusterNode, SandboxCluster } from './sandbox-cluster.ts';
import { startSandboxCluster } from './sandbox-cluster.ts';

const now = () => createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });

async function end(cluster: SandboxCluster, clock: ReturnType<typeof now>): Promise<void> {
  const stopped = cluster.stop();
  await clock.advance(20_000);
  await stopped;
}

const secretOf = (account: string): Secret => ({
  metadata: { name: 'key', namespace: 'default', annotations: { 'kubernetes.io/service-account.name': account } },
  type: serviceAccountTokenType,
});

describe('a cluster in the process', () => {
  it('is ready when its Nodes are and each Namespace has its ServiceAccount and the certificate, within a virtual second', async () => {
    const clock = now();
    const cluster = startSandboxCluster({
      name: 'east',
      clock,
      caData: 'PEM',
      nodes: [{ name: 'n1' }, { name: 'n2' }],
    });
    let isReady = false;
    const ready = cluster.ready().then(() => (isReady = true));
    await clock.runUntil(() => isReady, { limitMs: 1_000, what: 'the cluster is ready' });
    await ready;
    const { admin } = cluster.sandbox;
    const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
    expect(admin.list(ServiceAccount).map(({ metadata }) => metadata.namespace)).toEqual(namespaces);
    expect(admin.list(ConfigMap).filter(({ data }) => data?.['ca.crt'] === 'PEM')).toHaveLength(namespaces.length);
    expect(admin.list(Node).map(({ metadata, spec }) => `${metadata.name} ${spec?.podCIDR}`)).toEqual([
      'n1 10.244.1.0/24',
      'n2 10.244.2.0/24',
    ]);
    await end(cluster, clock);
  });

  it('takes the token of a Secret for the ServiceAccount, until the Secret is gone', async () => {
    const clock = now();
    const cluster = startSandboxCluster({ name: 'east', clock });
    const { admin } = cluster.sandbox;
    await clock.advance(1_000);
    admin.put(Secret, secretOf('default'));
    await clock.advance(1_000);
    const encoded = admin.get(Secret, { namespace: 'default', name: 'key' })?.data?.['token'] ?? '';
    const token = Buffer.from(encoded, 'base64').toString();
    const transport = cluster.sandbox.transport({ kind: 'token', token });
    const client = createClient({ transport, clock });
    const whoAmI = async () => {
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
      const answer = client.request({ method: 'POST', path, headers, body });
      answer.catch(() => {});
      await clock.settle();
      return JSON.parse((await answer).text).status.userInfo;
    };
    expect(await whoAmI()).toMatchObject({
      username: 'system:serviceaccount:default:default',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    });
    admin.delete(Secret, { namespace: 'default', name: 'key' });
    await expect(whoAmI()).rejects.toThrow('Unauthorized');
    await end(cluster, clock);
  });

  it('takes no token for its own that another server of the same name and seed has signed with another key', async () => {
    const clock = now();
    const [ours, theirs] = ['a', 'b'].map((tokenKey) => createSandbox({ name: 'east', clock, tokenKey }));
    const account = { metadata: { name: 'robot', namespace: 'default' } };
    for (const sandbox of [ours, theirs]) {
      sandbox?.admin.put(ServiceAccount, account);
      sandbox?.admin.put(Secret, secretOf('robot'));
    }
    const tokenOf = (sandbox: Sandbox | undefined): string => {
      const objects = [
        sandbox?.admin.get(ServiceAccount, account.metadata),
        sandbox?.admin.get(Secret, secretOf('robot').metadata),
      ];
      return sandbox?.mintToken(objects[0] ?? account, objects[1] ?? account) ?? '';
    };
    const asks = async (token: string) => {
      const request = { method: 'GET', path: '/version', headers: {} } as const;
      return (await ours?.answer(request, { kind: 'token', token }))?.status;
    };
    // Both have made the same objects, uids included: the tokens differ only by the key.
    expect(theirs?.admin.snapshot()).toBe(ours?.admin.snapshot());
    expect(await asks(tokenOf(ours))).toBe(200);
    expect(await asks(tokenOf(theirs))).toBe(401);
  });

  it('deletes a token Secret whose ServiceAccount is gone', async () => {
    const clock = now();
    const cluster = startSandboxCluster({ name: 'east', clock });
    const { admin } = cluster.sandbox;
    admin.put(ServiceAccount, { metadata: { name: 'robot', namespace: 'default' } });
    admin.put(Secret, secretOf('robot'));
    await clock.advance(1_000);
    expect(admin.get(Secret, { namespace: 'default', name: 'key' })?.data?.['token']).toBeDefined();
    admin.delete(ServiceAccount, { namespace: 'default', name: 'robot' });
    await clock.advance(1_000);
    expect(admin.get(Secret, { namespace: 'default', name: 'key' })).toBeUndefined();
    await end(cluster, clock);
  });

  it('comes out the same, object for object, from the same seed', async () => {
    const live = async (seed: number): Promise<string> => {
      const clock = now();
      const cluster = startSandboxCluster({ name: 'east', clock, seed, nodes: [{ name: 'n1' }, { name: 'n2' }] });
      await clock.advance(1_000);
      const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
      cluster.sandbox.admin.put(Deployment, { metadata: { name: 'web', namespace: 'default' }, spec });
      await clock.advance(15_000);
      const pods = cluster.sandbox.admin.list(Pod, 'default');
      expect(pods.map(({ status }) => status?.phase)).toEqual(['Running', 'Running', 'Running']);
      await end(cluster, clock);
      return JSON.stringify(pods);
    };
    const first = await live(7);
    expect(await live(7)).toBe(first);
    expect(await live(8)).not.toBe(first);
  });

  it('rejects the wait for readiness when it is stopped before', async () => {
    const clock = now();
    const cluster = startSandboxCluster({ name: 'east', clock });
    const ready = cluster.ready();
    ready.catch(() => {});
    await end(cluster, clock);
    await expect(ready).rejects.toThrow('cluster east was stopped');
  });

  it('refuses Nodes for which its Pod range is too small', () => {
    const nodes: readonly ClusterNode[] = [{ name: 'a', podCIDR: '10.9.0.0/24' }, { name: 'b' }];
    expect(() => startSandboxCluster({ name: 'east', clock: now(), podCIDR: '10.8.0.0/24', nodes })).toThrow(
      'Node b: no range of /24 is left for it in 10.8.0.0/24',
    );
  });
});
