import { EndpointSlice, Lease, Secret, Service } from '@isthmus/api';
import type { ApiRequest, Transport } from '@isthmus/kube';
import { httpsTransport, noCredentials, systemClock } from '@isthmus/kube';
import { crdOf, defineResource, s } from '@isthmus/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RealApiServer } from '../apiserver/api-server.ts';
import { startApiServer } from '../apiserver/start.ts';
import { createStandin } from './create-standin.ts';
import { createNormaliser } from './testing/normalised.ts';
import { ask, del, get, patch, post, put } from './testing/requests.ts';

const schema = s.object({
  spec: s.object({ a: s.int32().max(9).optional(), d: s.string().default('dd') }).optional(),
  status: s.anyObject().optional(),
});
const things = defineResource({
  group: 'x.example.com',
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  scope: 'Namespaced',
  docs: 'A thing.',
  versions: [
    { name: 'v1', storage: true, status: true, columns: [], schema },
    { name: 'v1beta1', status: true, columns: [], schema },
  ],
});

const inShop = '/apis/x.example.com/v1/namespaces/shop/things';
const beta = '/apis/x.example.com/v1beta1/namespaces/shop/things';
const services = '/api/v1/namespaces/shop/services';
const slices = '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices';
const secrets = '/api/v1/namespaces/shop/secrets';
const leases = '/apis/coordination.k8s.io/v1/namespaces/shop/leases';
const thing = (name: string, more: object = {}) => ({
  apiVersion: 'x.example.com/v1',
  kind: 'Thing',
  metadata: { name },
  spec: { a: 1 },
  ...more,
});
const named = (name: string, more: object = {}) => ({ metadata: { name }, ...more });
const apply = (body: object, more: ApiRequest): ApiRequest => ({ ...more, query: { ...more.query, ...body } });

/** Conversations: each is held with both servers, request by request, and the answers are compared as they are. */
const conversations: Readonly<Record<string, readonly ApiRequest[]>> = {
  'creating custom objects': [
    post(
      inShop,
      thing('a', {
        metadata: { name: 'a', finalizers: ['x.io/f'], labels: { l: '1' }, annotations: {} },
        spec: { a: 1, zz: 2 },
        status: { s: 1 },
      }),
    ),
    post(inShop, thing('a')),
    post(inShop, thing('A_', { spec: { a: 10 } })),
    post(inShop, thing('b', { spec: { a: 'x' } })),
    post(inShop, thing('b', { metadata: { name: 'b', namespace: 'other' } })),
    post(inShop, thing('')),
    post(inShop, thing('', { metadata: { generateName: 'gen-' } })),
    post(inShop, thing('b', { metadata: { name: 'b', labels: { 'a b': 'c d' }, annotations: { 'A B': 'x' } } })),
    post(inShop, thing('b', { apiVersion: 'x.example.com/v1beta1' })),
    post('/apis/x.example.com/v1/namespaces/nope/things', thing('a')),
    post(inShop, thing('b', { metadata: { name: 'b', resourceVersion: '3' } })),
    post(inShop, thing('b', { kind: 'Tg' })),
    get(`${beta}/a`),
  ],
  'updating custom objects': [
    put(`${inShop}/a`, thing('a')),
    put(`${inShop}/a`, thing('other', { metadata: { name: 'other', resourceVersion: '1' } })),
    put(`${inShop}/a`, thing('a', { metadata: { name: 'a', resourceVersion: '1' } })),
    put(`${inShop}/none`, thing('none', { metadata: { name: 'none', resourceVersion: '1' } })),
    put(`${inShop}/a/status`, thing('a')),
    patch(`${inShop}/a/status`, { metadata: { labels: { q: 'r' } }, spec: { a: 2 }, status: { s: 3 } }),
    patch(`${inShop}/a`, { spec: { a: 2 }, status: { s: 4 } }),
    patch(`${inShop}/a`, { spec: { a: 2 } }),
    patch(`${beta}/a`, { metadata: { labels: { q: 'r' } } }),
    patch(`${inShop}/a`, { spec: { a: 11 } }),
    patch(`${inShop}/a`, { spec: { a: 'x' } }),
    patch(`${inShop}/a`, { metadata: { resourceVersion: '1' }, spec: { a: 3 } }),
    patch(`${inShop}/a`, { metadata: { name: 'other' } }),
    patch(`${inShop}/a`, { metadata: { creationTimestamp: '1999-01-01T00:00:00Z', generation: 99 } }),
    patch(`${inShop}/none`, { spec: {} }),
    patch(`${inShop}/a`, {}, 'application/strategic-merge-patch+json'),
    apply({ dryRun: 'All' }, patch(`${inShop}/a`, { metadata: { labels: { dry: 'run' } } })),
    get(`${inShop}/a`),
  ],
  reading: [
    get(inShop, { limit: '1' }),
    get(inShop, { labelSelector: 'q=r' }),
    get(inShop, { labelSelector: 'q in ()' }),
    get(inShop, { labelSelector: 'a!b' }),
    get(inShop, { labelSelector: 'a=b!' }),
    get(inShop, { labelSelector: '!a in (b)' }),
    get(inShop, { fieldSelector: 'metadata.name=a,metadata.namespace=shop' }),
    get(inShop, { fieldSelector: 'metadata.name!=a' }),
    get(inShop, { fieldSelector: 'spec.x=y' }),
    get(inShop, { watch: 'true', resourceVersion: 'abc' }),
    get(`${inShop}/none`),
    get('/apis/x.example.com/v1/namespaces/nope/things'),
    get('/apis/x.example.com/v1/namespaces/shop/nothings'),
    get('/apis/y.example.com/v1/nothings'),
    get('/api/v1/nothings'),
    get('/nothing'),
    {
      ...get(inShop, { fieldSelector: 'metadata.name=a' }),
      headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
    },
    { ...get(`${inShop}/a`), headers: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' } },
  ],
  'deleting custom objects': [
    del(`${inShop}/a`, { preconditions: { uid: 'x' } }),
    del(`${inShop}/a`, { preconditions: { resourceVersion: '9' } }),
    del(`${inShop}/a`),
    del(`${inShop}/a`),
    patch(`${inShop}/a`, { metadata: { finalizers: null } }),
    get(`${inShop}/a`),
    del(`${inShop}/a`),
    post(inShop, thing('plain')),
    del(`${inShop}/plain`),
  ],
  Services: [
    post(services, named('cart', { spec: { selector: { app: 'cart' }, ports: [{ port: 80 }] } })),
    post(services, named('cart', { spec: { ports: [{ port: 80 }] } })),
    post(
      services,
      named('head', {
        spec: {
          clusterIP: 'None',
          selector: { a: 'b' },
          ports: [
            { name: 'a', port: 80, targetPort: 'http' },
            { name: 'u', protocol: 'UDP', port: 53 },
          ],
        },
      }),
    ),
    post(services, named('h2', { spec: { clusterIP: 'None', selector: { a: 'b' } } })),
    post(services, named('ext', { spec: { type: 'ExternalName', externalName: 'a.b' } })),
    post(services, named('sticky', { spec: { sessionAffinity: 'ClientIP', ports: [{ port: 80 }] } })),
    post(services, named('9c', { spec: { ports: [{ port: 80, targetPort: 8080 }] } })),
    post(services, named('C2', { spec: { ports: [{ port: 80 }, { port: 81 }] } })),
    post(services, named('c2', { spec: { clusterIP: '10.99.0.1', ports: [{ port: 80 }] } })),
    post(services, named('c2', { spec: {} })),
    patch(`${services}/cart`, { spec: { clusterIP: '10.96.9.9' } }),
    patch(`${services}/cart`, { spec: { ports: [{ port: 81 }] } }),
    patch(`${services}/cart`, { spec: { ports: [{ port: 81 }] } }),
    patch(`${services}/cart`, { spec: { clusterIP: '', clusterIPs: null } }),
    patch(`${services}/cart`, { metadata: { resourceVersion: '1' }, spec: {} }),
    put(`${services}/cart`, named('cart', { spec: { ports: [{ port: 82 }] } })),
    patch(`${services}/ext`, { spec: { type: 'ClusterIP', externalName: null, ports: [{ port: 80 }] } }),
    patch(`${services}/ext`, { spec: { type: 'ExternalName', externalName: 'a.b' } }),
    get(services, { fieldSelector: 'metadata.name=cart' }),
    del(`${services}/cart`, { preconditions: { uid: 'x' } }),
    del(`${services}/cart`),
    del(`${services}/cart`),
  ],
  EndpointSlices: [
    post(
      slices,
      named('s', {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.0.0.1'] }],
        ports: [{ name: 'http', port: 80 }, { port: 81 }],
      }),
    ),
    patch(`${slices}/s`, { metadata: { labels: { a: 'b' } } }),
    patch(`${slices}/s`, { endpoints: [{ addresses: ['10.0.0.2'], conditions: { ready: true } }] }),
    patch(`${slices}/s`, { addressType: 'IPv6' }),
    patch(`${slices}/s`, { endpoints: [], ports: [] }),
    post(slices, named('t', { endpoints: [] })),
    post(slices, named('t', { addressType: 'IPv4' })),
    ...['127.0.0.1', '0.0.0.0', '169.254.1.1', '224.0.0.1', 'x'].map((address) =>
      post(slices, named('u', { addressType: 'IPv4', endpoints: [{ addresses: [address] }] })),
    ),
    del(`${slices}/s`),
  ],
  'other built-in kinds': [
    post('/api/v1/namespaces', named('a.b')),
    post('/api/v1/namespaces', named('other')),
    post(secrets, named('c', { stringData: { a: 'b' } })),
    patch(`${secrets}/c`, { data: { a: null } }),
    del(`${secrets}/c`),
    post(
      leases,
      named('c', { spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' } }),
    ),
    put(`${leases}/c`, named('c', { spec: { holderIdentity: 'b' } })),
    post(
      '/apis/x.example.com/v1/namespaces/other/things',
      thing('held', { metadata: { name: 'held', finalizers: ['x.io/f'] } }),
    ),
    del('/api/v1/namespaces/other'),
    post('/api/v1/namespaces/other/secrets', named('late')),
  ],
};

/** As {@link conversations}, by a user who may do nothing. */
const forbidden: readonly ApiRequest[] = [
  get(inShop),
  get(`${inShop}/a`),
  get('/apis/x.example.com/v1/things'),
  get('/api/v1/namespaces/shop'),
  get('/api/v1/namespaces'),
  post(inShop, thing('a')),
  patch(`${inShop}/a/status`, {}),
  del(`${inShop}/a`),
  get(secrets, { watch: 'true', fieldSelector: 'metadata.name=abc' }),
];

describe('the stand-in answers as a real API server does', () => {
  let server: RealApiServer;
  let real: (user?: string) => Transport;
  let standin: (user?: string) => Transport;

  beforeAll(async () => {
    server = await startApiServer({ name: 'standin' });
    const transport = httpsTransport({
      server: server.url,
      caPem: server.caData,
      clientCertificate: { certPem: server.admin.certData, keyPem: server.admin.keyData },
      credentials: noCredentials(),
      userAgent: 'isthmus-test',
    });
    real = (user) => ({
      close: () => transport.close(),
      send: (request, signal) =>
        transport.send(
          user === undefined ? request : { ...request, headers: { ...request.headers, 'impersonate-user': user } },
          signal,
        ),
    });
    const types = [Service, EndpointSlice, Secret, Lease, ...things.versions];
    const memory = createStandin({ name: 'standin', clock: systemClock(), types });
    standin = (user) =>
      memory.transport(user === undefined ? undefined : { name: user, access: [], namespace: 'shop' });
    await ask(real(), post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crdOf(things)));
    for (
      let tries = 0;
      tries < 10_000 && (await ask(real(), get('/apis/x.example.com/v1/things'))).code !== 200;
      tries++
    );
    for (const transport of [real(), standin()])
      await ask(transport, post('/api/v1/namespaces', { metadata: { name: 'shop' } }));
  }, 60_000);

  afterAll(async () => {
    real?.().close();
    await server?.[Symbol.asyncDispose]();
  });

  async function hold(transport: Transport, requests: readonly ApiRequest[]): Promise<readonly unknown[]> {
    const { normalise } = createNormaliser();
    const answers: unknown[] = [];
    for (const request of requests) {
      const { code, body } = await ask(transport, request);
      const { method, path, query, body: sent } = request;
      answers.push({ request: { method, path, query, sent }, code, body: normalise(body) });
    }
    return answers;
  }

  it.each(Object.entries(conversations))('%s', async (_title, requests) => {
    expect(await hold(standin(), requests)).toEqual(await hold(real(), requests));
  });

  it('to a user who may do nothing', async () => {
    expect(await hold(standin('joe'), forbidden)).toEqual(await hold(real('joe'), forbidden));
  });

  it('to watches: what enters a selection, leaves it, changes and goes', async () => {
    const tell = async (transport: Transport) => {
      const { normalise } = createNormaliser();
      const { body } = await ask(
        transport,
        post(inShop, thing('w', { metadata: { name: 'w', finalizers: ['x.io/f'] } })),
      );
      const { resourceVersion } = (body as { metadata: { resourceVersion: string } }).metadata;
      for (const labels of [{ in: '1' }, { in: '2' }, { in: '1' }])
        await ask(transport, patch(`${inShop}/w`, { metadata: { labels } }));
      await ask(transport, patch(`${inShop}/w`, { spec: { a: 5 } }));
      await ask(transport, del(`${inShop}/w`));
      await ask(transport, patch(`${inShop}/w`, { metadata: { finalizers: null } }));
      const query = { watch: 'true', resourceVersion, timeoutSeconds: '1' };
      const streams = [query, { ...query, labelSelector: 'in=1' }].map(async (each) => {
        const text = (await ask(transport, get(inShop, each))).body as string;
        return normalise(
          text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line)),
        );
      });
      return Promise.all(streams);
    };
    expect(await tell(standin())).toEqual(await tell(real()));
  });

  it('to a watch from a resourceVersion that is too old', async () => {
    const request = get('/apis/x.example.com/v1/things', { watch: 'true', resourceVersion: '1', timeoutSeconds: '1' });
    const { normalise } = createNormaliser();
    const [line] = [(await ask(real(), request)).body].map(normalise);
    const memory = createStandin({ name: 'old', clock: systemClock(), types: things.versions });
    memory.admin.compact();
    expect(normalise((await ask(memory.transport(), request)).body)).toEqual(line);
  });
});
