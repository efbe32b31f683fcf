import { setTimeout as delay } from 'node:timers/promises';
import { startApiServer } from '@isthmus/testkit';
import type { RealApiServer } from '@isthmus/testkit';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../kubeconfig/connect.ts';
import { loadKubeconfig } from '../kubeconfig/load-kubeconfig.ts';
import { resolveContext } from '../kubeconfig/resolve-context.ts';
import { readFile, systemClock } from '../world/node-world.ts';
import { noCredentials, staticToken, tokenFile } from '../transport/credentials.ts';
import type { Credentials } from '../transport/credentials.ts';
import { httpsTransport } from '../transport/https-transport.ts';
import type { HttpsTransportOptions } from '../transport/https-transport.ts';
import type { Transport } from '../transport/transport.ts';
import type { Client, WatchEvent } from './client.ts';
import { createClient } from './create-client.ts';
import * as errors from './errors.ts';
import { metadataOf } from './metadata-type.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>> | undefined;
}
interface Service extends KubernetesObject {
  readonly spec?: { readonly ports: readonly { readonly port: number }[] };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip: string }[] } };
}
const configMaps: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const services: ResourceType<Service> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};
const namespaces: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
const accounts: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

const clock = systemClock();
const namespace = 'client-test';
const inTest = (name: string) => ({ namespace, name });

let server: RealApiServer;
let transport: Transport;
let client: Client;

beforeAll(async () => {
  // A short interval of compaction, so that resourceVersions and continue tokens expire while a
  // test can wait for it.
  const flags = { 'kube-apiserver': { 'etcd-compaction-interval': '2s' } };
  server = await startApiServer({ name: 'client', flags });
  // The administrator's kubeconfig holds a client certificate.
  const config = await loadKubeconfig({ env: {}, home: undefined, readFile, path: server.kubeconfigPath });
  const settings = resolveContext(config);
  transport = await connect(settings, { clock, readFile });
  client = createClient({ transport, clock, server: settings.server });
  await client.create(namespaces, { metadata: { name: namespace } });
});

afterAll(async () => {
  transport?.close();
  await server?.[Symbol.asyncDispose]();
});

async function errorOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('the promise did not reject');
}

async function collect<T>(events: AsyncIterable<WatchEvent<T>>): Promise<readonly WatchEvent<T>[]> {
  const seen: WatchEvent<T>[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

function clientAs(credentials: Credentials, options: Partial<HttpsTransportOptions> = {}): Client {
  const own = httpsTransport({
    server: server.url,
    caPem: server.caData,
    userAgent: 'isthmus-test',
    credentials,
    ...options,
  });
  return createClient({ transport: own, clock, server: server.url });
}

describe('objects', () => {
  it('are created, read, updated, patched and deleted', async () => {
    const ref = inTest('life');
    const created = await client.create(configMaps, { metadata: ref, data: { a: '1' } });
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { a: '1' } });
    expect(await client.get(configMaps, ref)).toEqual(created);

    const updated = await client.update(configMaps, { ...created, data: { a: '2' } });
    expect(updated.data).toEqual({ a: '2' });
    expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);

    const merged = await client.patch(configMaps, ref, { type: 'merge', body: { data: { b: '3', a: null } } });
    expect(merged.data).toEqual({ b: '3' });
    const patched = await client.patch(configMaps, ref, {
      type: 'json',
      body: [{ op: 'add', path: '/data/c', value: '4' }],
    });
    expect(patched.data).toEqual({ b: '3', c: '4' });
    const strategic = await client.patch(configMaps, ref, { type: 'strategic', body: { data: { c: '5' } } });
    expect(strategic.data).toEqual({ b: '3', c: '5' });
    const body = { metadata: { labels: { applied: 'yes' } } };
    const applied = await client.patch(configMaps, ref, { type: 'apply', body, fieldManager: 'test', force: true });
    expect(applied.metadata.labels).toEqual({ applied: 'yes' });

    expect(await client.delete(configMaps, ref)).toBeUndefined();
    expect(errors.isNotFound(await errorOf(client.get(configMaps, ref)))).toBe(true);
    expect(errors.isNotFound(await errorOf(client.delete(configMaps, ref)))).toBe(true);
  });

  it('get a name from the server where they ask for one', async () => {
    const created = await client.create(configMaps, { metadata: { name: '', generateName: 'made-', namespace } });
    expect(created.metadata.name).toMatch(/^made-\w{5}$/);
  });

  it('stay as they are in a dry run', async () => {
    await client.create(configMaps, { metadata: inTest('dry') }, { dryRun: true });
    expect(errors.isNotFound(await errorOf(client.get(configMaps, inTest('dry'))))).toBe(true);
  });

  it('are deleted under preconditions only, and stay while finalizers hold them', async () => {
    const ref = inTest('held');
    const { metadata } = await client.create(configMaps, { metadata: { ...ref, finalizers: ['isthmus.dev/test'] } });
    expect(
      errors.isConflict(await errorOf(client.delete(configMaps, ref, { preconditions: { uid: 'another' } }))),
    ).toBe(true);
    const held = await client.delete(configMaps, ref, { preconditions: { uid: metadata.uid ?? '' } });
    expect(held?.metadata.deletionTimestamp).toBeDefined();
    await client.patch(configMaps, ref, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(errors.isNotFound(await errorOf(client.get(configMaps, ref)))).toBe(true);
  });

  it('that are answered whole by a delete are gone all the same', async () => {
    await client.create(services, { metadata: inTest('gone'), spec: { ports: [{ port: 80 }] } });
    expect(await client.delete(services, inTest('gone'))).toBeUndefined();
  });

  it('have a status of their own', async () => {
    const created = await client.create(services, { metadata: inTest('web'), spec: { ports: [{ port: 80 }] } });
    const loadBalancer = { ingress: [{ ip: '192.0.2.1' }] };
    const changed = { ...created, spec: { ports: [{ port: 81 }] }, status: { loadBalancer } };
    // A load balancer needs the type; what matters is that only the status is taken.
    const withStatus = await client.patch(services, inTest('web'), {
      type: 'merge',
      body: { spec: { type: 'LoadBalancer' } },
    });
    const written = await client.update(
      services,
      { ...changed, spec: { ...changed.spec, type: 'LoadBalancer' }, metadata: withStatus.metadata } as Service,
      { subresource: 'status' },
    );
    expect(written.status?.loadBalancer).toMatchObject(loadBalancer);
    expect(written.spec?.ports[0]?.port).toBe(80);
  });
});

describe('refusals', () => {
  it('are distinguished', async () => {
    const ref = inTest('refused');
    const first = await client.create(configMaps, { metadata: ref });
    expect(errors.isAlreadyExists(await errorOf(client.create(configMaps, { metadata: ref })))).toBe(true);
    await client.update(configMaps, { ...first, data: { a: 'b' } });
    const conflict = await errorOf(client.update(configMaps, { ...first, data: { a: 'c' } }));
    expect(errors.isConflict(conflict)).toBe(true);
    expect(conflict.message).toMatch(
      /^update configmaps client-test\/refused: Operation cannot be fulfilled on configmaps "refused"/,
    );

    const invalid = await errorOf(
      client.create(services, { metadata: inTest('Bad_Name'), spec: { ports: [{ port: 0 }] } }),
    );
    expect(errors.isInvalid(invalid)).toBe(true);
    expect((invalid as errors.ApiError).status.details?.causes?.map((cause) => cause.field)).toContain('metadata.name');
  });

  it('distinguish a missing object from a missing resource', async () => {
    const missingNamespace = await errorOf(
      client.create(configMaps, { metadata: { namespace: 'nowhere', name: 'a' } }),
    );
    expect([errors.isNotFound(missingNamespace), errors.isNotServed(missingNamespace)]).toEqual([true, false]);
    for (const type of [
      { ...configMaps, plural: 'nothings' },
      { ...configMaps, group: 'nothing.example.com' },
    ]) {
      for (const call of [() => client.get(type, inTest('a')), () => client.list(type)]) {
        const error = await errorOf(call());
        expect([errors.isNotFound(error), errors.isNotServed(error)]).toEqual([false, true]);
      }
    }
  });

  it('report that a Namespace is terminating', async () => {
    await client.create(namespaces, { metadata: { name: 'going' } });
    const going = await client.delete(namespaces, { name: 'going' });
    expect(going?.metadata.deletionTimestamp).toBeDefined();
    const error = await errorOf(client.create(configMaps, { metadata: { namespace: 'going', name: 'a' } }));
    expect([errors.isNamespaceTerminating(error), errors.isForbidden(error)]).toEqual([true, true]);
  });
});

describe('lists', () => {
  beforeAll(async () => {
    await client.create(namespaces, { metadata: { name: 'pages' } });
    for (let i = 0; i < 25; i++) {
      const metadata = { namespace: 'pages', name: `page-${i}`, labels: { even: String(i % 2 === 0) } };
      await client.create(configMaps, { metadata, data: { i: String(i) } });
    }
  });

  it('come in pages and in one piece', async () => {
    const whole = await client.list(configMaps, { namespace: 'pages' });
    const paged = await client.list(configMaps, { namespace: 'pages', limit: 10 });
    expect(whole.items).toHaveLength(25);
    expect(paged.items).toEqual(whole.items);
    expect(paged.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(
      (await client.list(configMaps, { namespace: 'pages', labelSelector: 'even in (true)', limit: 4 })).items,
    ).toHaveLength(13);
    expect(
      (await client.list(configMaps, { namespace: 'pages', fieldSelector: 'metadata.name=page-7' })).items,
    ).toHaveLength(1);
  });

  it('hold the metadata alone where that is asked for', async () => {
    const { items, resourceVersion } = await client.list(metadataOf(configMaps), { namespace: 'pages', limit: 10 });
    expect(items).toHaveLength(25);
    expect(Object.keys(items[0] ?? {}).toSorted()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });

    const watch = client.watch(metadataOf(configMaps), {
      namespace: 'pages',
      resourceVersion,
      timeoutSeconds: 30,
      idleMs: 30_000,
    });
    const next = watch[Symbol.asyncIterator]();
    const event = next.next();
    await client.patch(
      configMaps,
      { namespace: 'pages', name: 'page-0' },
      { type: 'merge', body: { data: { a: 's3cr3t' } } },
    );
    const { value } = await event;
    expect(value).toMatchObject({ type: 'MODIFIED', object: { kind: 'ConfigMap', metadata: { name: 'page-0' } } });
    expect(JSON.stringify(value)).not.toContain('s3cr3t');
    await next.return?.();
  });

  it('start over where their continue token has expired', async () => {
    const query = { limit: '5' };
    const path = '/api/v1/namespaces/pages/configmaps';
    const firstPage: { readonly metadata: { readonly continue: string } } = JSON.parse(
      (await client.request({ method: 'GET', path, query })).text,
    );
    const expired = firstPage.metadata.continue;
    let error: unknown;
    for (let i = 0; i < 60 && error === undefined; i++) {
      await client.patch(
        configMaps,
        { namespace: 'pages', name: 'page-1' },
        { type: 'merge', body: { data: { i: `${i}` } } },
      );
      await delay(500);
      error = await client.request({ method: 'GET', path, query: { ...query, continue: expired } }).then(
        () => undefined,
        (failure: unknown) => failure,
      );
    }
    expect(errors.isExpired(error)).toBe(true);

    const queries: unknown[] = [];
    const late = createClient({
      clock,
      transport: {
        ...transport,
        send(request, signal) {
          queries.push(request.query);
          const token = request.query?.['continue'];
          return transport.send(
            token === undefined ? request : { ...request, query: { ...request.query, continue: expired } },
            signal,
          );
        },
      },
    });
    expect((await late.list(configMaps, { namespace: 'pages', limit: 5 })).items).toHaveLength(25);
    expect(queries).toEqual([{ limit: '5' }, { limit: '5', continue: expect.any(String) as unknown }, {}]);
  });
});

describe('watches', () => {
  it('bring changes in order, and end when they were asked to', async () => {
    const { resourceVersion } = await client.list(configMaps, { namespace });
    const watching = collect(
      client.watch(configMaps, { namespace, resourceVersion, timeoutSeconds: 1, idleMs: 10_000 }),
    );
    await client.create(configMaps, { metadata: inTest('watched') });
    await client.patch(configMaps, inTest('watched'), { type: 'merge', body: { data: { a: 'b' } } });
    await client.delete(configMaps, inTest('watched'));
    const types = (await watching).map((event) => event.type);
    expect(types.filter((type) => type !== 'BOOKMARK')).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('bring bookmarks', async () => {
    const { resourceVersion } = await client.list(configMaps, { namespace });
    const bookmarks: string[] = [];
    // A bookmark reports changes elsewhere since the watch began. The server sends it about two
    // seconds before the end, in steps that sometimes miss it.
    const elsewhere = { namespace: 'default', name: 'elsewhere' };
    await client.create(configMaps, { metadata: elsewhere });
    for (let i = 0; i < 8 && bookmarks.length === 0; i++) {
      const watching = collect(
        client.watch(configMaps, { namespace, resourceVersion, timeoutSeconds: 4, idleMs: 10_000 }),
      );
      await delay(500);
      await client.patch(configMaps, elsewhere, { type: 'merge', body: { data: { i: String(i) } } });
      for (const event of await watching) if (event.type === 'BOOKMARK') bookmarks.push(event.resourceVersion);
    }
    expect(bookmarks).not.toEqual([]);
    expect(bookmarks.every((bookmark) => BigInt(bookmark) > BigInt(resourceVersion))).toBe(true);
  });

  it('report that a resourceVersion is too old', async () => {
    await server.restart('kube-apiserver');
    // Kept connections are dead by now, and the client has not noticed.
    expect((await client.get(namespaces, { name: namespace })).metadata.name).toBe(namespace);
    const error = await errorOf(
      collect(client.watch(configMaps, { resourceVersion: '1', timeoutSeconds: 5, idleMs: 10_000 })),
    );
    expect(errors.isExpired(error)).toBe(true);
    expect(error.message).toMatch(/^watch configmaps: too old resource version: 1 /);
  });

  it('and requests to a frozen server are given up, and work again when it wakes', async () => {
    const impatient = createClient({ transport, clock, server: server.url, timeoutMs: 300 });
    const { resourceVersion } = await client.list(configMaps, { namespace });
    const watch = client.watch(configMaps, { namespace, resourceVersion, timeoutSeconds: 60, idleMs: 1000 });
    const watching = errorOf(collect(watch));
    await delay(200);
    await server.freeze('kube-apiserver');
    try {
      expect(await errorOf(impatient.get(namespaces, { name: namespace }))).toMatchObject({ kind: 'timeout' });
      expect(await watching).toMatchObject({ kind: 'timeout' });
    } finally {
      server.resume('kube-apiserver');
    }
    expect((await client.get(namespaces, { name: namespace })).metadata.name).toBe(namespace);
  });
});

describe('credentials', () => {
  async function tokenOf(account: string): Promise<string> {
    await client.create(accounts, { metadata: inTest(account) });
    const answer = await client.request({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    });
    return (JSON.parse(answer.text) as { readonly status: { readonly token: string } }).status.token;
  }

  it('of a ServiceAccount name its user, which may do nothing yet', async () => {
    const member = clientAs(staticToken(await tokenOf('member')));
    const error = await errorOf(member.list(configMaps, { namespace }));
    expect(errors.isForbidden(error)).toBe(true);
    expect(error.message).toContain(
      `User "system:serviceaccount:${namespace}:member" cannot list resource "configmaps"`,
    );
    member.close();
  });

  it('in a file are read again at once when the server refuses the old ones', async () => {
    const contents = ['expired', await tokenOf('rotated')];
    const member = clientAs(
      tokenFile({ path: '/token', clock, readFile: async () => ({ text: contents.shift() ?? '' }) }),
    );
    expect(errors.isForbidden(await errorOf(member.get(configMaps, inTest('a'))))).toBe(true);
    expect(contents).toEqual([]);
    member.close();
  });

  it('that stay wrong are refused', async () => {
    const member = clientAs(staticToken('wrong'));
    const error = await errorOf(member.get(configMaps, inTest('a')));
    expect(errors.isUnauthorized(error)).toBe(true);
    expect(error.message).toContain('check that the token or client certificate is valid');
    member.close();
  });

  it.each<[string, Partial<HttpsTransportOptions>, object]>([
    ['none', {}, { code: 403 }],
    ['a wrong certificate authority', { caPem: undefined }, { kind: 'tls' }],
    ['a wrong server name', { tlsServerName: 'other.example.com' }, { kind: 'tls' }],
    ['another name of the server', { tlsServerName: 'kubernetes.default.svc' }, { code: 403 }],
    ['no verification', { caPem: undefined, insecureSkipTlsVerify: true }, { code: 403 }],
  ])('with %s end as they must', async (_title, options, expected) => {
    const nobody = clientAs(noCredentials(), options);
    expect(await errorOf(nobody.list(configMaps, { namespace }))).toMatchObject(expected);
    nobody.close();
  });
});
