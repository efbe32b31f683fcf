import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RealApiServer } from './api-server.ts';
import { asAdmin, create, read } from './as-admin.ts';
import { readAuditLog } from './audit-log.ts';
import { sendHttps } from './https.ts';
import { startApiServer } from './start.ts';

const within = { interval: 50 };

describe('a cluster with kube-controller-manager', () => {
  let server: RealApiServer;
  beforeAll(async () => {
    server = await startApiServer({ name: 'east', controllerManager: true });
    await create(server, '/api/v1/namespaces', { metadata: { name: 'shop' } });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('fills the token Secret of a ServiceAccount, and lets its holder in under that name', async () => {
    await create(server, '/api/v1/namespaces/shop/serviceaccounts', { metadata: { name: 'member-east' } });
    await create(server, '/api/v1/namespaces/shop/secrets', {
      metadata: { name: 'member-east-token', annotations: { 'kubernetes.io/service-account.name': 'member-east' } },
      type: 'kubernetes.io/service-account-token',
    });
    const secret = () =>
      read<{ data?: Readonly<Record<string, string>> }>(server, '/api/v1/namespaces/shop/secrets/member-east-token');
    await expect.poll(async () => (await secret()).data?.['token'] ?? '', within).not.toBe('');
    const data = (await secret()).data ?? {};
    const decode = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
    expect(decode('namespace')).toBe('shop');
    expect(decode('ca.crt').trim()).toBe(server.caData.trim());
    const holder = { url: server.url, caData: decode('ca.crt'), token: decode('token') };
    const answer = await sendHttps(holder, { path: '/api/v1/namespaces/shop/pods' }, AbortSignal.timeout(60_000));
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('system:serviceaccount:shop:member-east');
  });

  it('makes an EndpointSlice for a Service once its Pod has a node, an address and is ready', async () => {
    await create(server, '/api/v1/nodes', { metadata: { name: 'node-1' } });
    await expect
      .poll(
        async () => (await asAdmin(server, { path: '/api/v1/namespaces/shop/serviceaccounts/default' })).status,
        within,
      )
      .toBe(200);
    await create(server, '/api/v1/namespaces/shop/services', {
      metadata: { name: 'cart' },
      spec: { selector: { app: 'cart' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    });
    await create(server, '/api/v1/namespaces/shop/pods', {
      metadata: { name: 'cart-0', labels: { app: 'cart' } },
      spec: { nodeName: 'node-1', containers: [{ name: 'cart', image: 'example.org/cart:1' }] },
    });
    const status = {
      phase: 'Running',
      podIP: '10.10.0.7',
      podIPs: [{ ip: '10.10.0.7' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    };
    const patched = await asAdmin(server, {
      method: 'PATCH',
      path: '/api/v1/namespaces/shop/pods/cart-0/status',
      contentType: 'application/merge-patch+json',
      body: { status },
    });
    expect(patched.status).toBe(200);
    interface Slice {
      /** The server answers null for an empty list. */
      readonly endpoints:
        | readonly { readonly addresses: readonly string[]; readonly conditions: { readonly ready: boolean } }[]
        | null;
      readonly ports: readonly { readonly name: string; readonly port: number }[];
    }
    const slices = async () =>
      (
        await read<{ readonly items: readonly Slice[] }>(
          server,
          '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?labelSelector=kubernetes.io/service-name%3Dcart',
        )
      ).items;
    await expect.poll(async () => (await slices()).flatMap(({ endpoints }) => endpoints ?? []), within).toHaveLength(1);
    expect((await slices())[0]).toMatchObject({
      endpoints: [{ addresses: ['10.10.0.7'], conditions: { ready: true } }],
      ports: [{ name: 'http', port: 8080 }],
    });
  });

  it('works as the ServiceAccount of each controller, so that the audit log distinguishes them', () => {
    const users = new Set(readAuditLog(server.auditLogPath).map((request) => request.user));
    expect(users).toContain('system:serviceaccount:kube-system:endpointslice-controller');
    expect(users).toContain('system:serviceaccount:kube-system:service-account-controller');
  });

  it('removes what a removed object owned, and what was in a removed Namespace', async () => {
    const path = '/api/v1/namespaces/doomed/configmaps';
    await create(server, '/api/v1/namespaces', { metadata: { name: 'doomed' } });
    const owner = await create(server, path, { metadata: { name: 'owner', uid: '' } });
    const { name, uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
    await create(server, path, { metadata: { name: 'owned', ownerReferences } });
    await asAdmin(server, { method: 'DELETE', path: `${path}/owner` });
    await expect.poll(async () => (await asAdmin(server, { path: `${path}/owned` })).status, within).toBe(404);
    await asAdmin(server, { method: 'DELETE', path: '/api/v1/namespaces/doomed' });
    await expect
      .poll(async () => (await asAdmin(server, { path: '/api/v1/namespaces/doomed' })).status, within)
      .toBe(404);
  });

  it('works on after its kube-controller-manager was killed and started again', async () => {
    await server.restart('kube-controller-manager');
    await create(server, '/api/v1/namespaces', { metadata: { name: 'later' } });
    await expect
      .poll(
        async () => (await asAdmin(server, { path: '/api/v1/namespaces/later/serviceaccounts/default' })).status,
        within,
      )
      .toBe(200);
  });
});
