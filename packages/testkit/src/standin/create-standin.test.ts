import { EndpointSlice, Namespace, Pod, Service } from '@isthmus/api';
import type { Access, ApiRequest, Transport } from '@isthmus/kube';
import { defineResource, s } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../virtual-clock.ts';
import { createStandin } from './create-standin.ts';
import type { StandinOptions } from './create-standin.ts';
import { ask, del, get, patch, post, put, textOf } from './testing/requests.ts';

const things = defineResource({
  group: 'x.io',
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  scope: 'Namespaced',
  docs: 'A thing.',
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      columns: [],
      schema: s.object({
        spec: s.object({ a: s.int32().max(9).optional(), d: s.string().default('dd') }).optional(),
        status: s.anyObject().optional(),
      }),
    },
    {
      name: 'v1beta1',
      status: true,
      columns: [],
      schema: s.object({
        spec: s.object({ a: s.int32().max(9).optional(), d: s.string().default('dd') }).optional(),
        status: s.anyObject().optional(),
      }),
    },
  ],
});
const Thing = things.version('v1');
const ThingBeta = things.version('v1beta1');

const inShop = '/apis/x.io/v1/namespaces/shop/things';
const services = '/api/v1/namespaces/shop/services';

function thing(name: string, more: object = {}): object {
  return { apiVersion: 'x.io/v1', kind: 'Thing', metadata: { name }, spec: { a: 1 }, ...more };
}

function start(options: Partial<StandinOptions> = {}) {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
  const types = [Service, EndpointSlice, Pod, Thing, ThingBeta];
  const standin = createStandin({ name: 'east', clock, seed: 7, types, ...options });
  standin.admin.put(Namespace, { metadata: { name: 'shop' } });
  const transport = standin.transport();
  return { clock, standin, transport, admin: standin.admin };
}

/** The lines of a watch as they come. */
function follow(transport: Transport, request: ApiRequest, signal = new AbortController().signal) {
  const lines: { type: string; object: Record<string, unknown> & { metadata: Record<string, unknown> } }[] = [];
  const state = { lines, ended: undefined as string | undefined };
  void (async () => {
    try {
      const response = await transport.send(request, signal);
      for await (const chunk of response.body) lines.push(JSON.parse(new TextDecoder().decode(chunk)));
      state.ended = 'ended';
    } catch (error) {
      state.ended = String(error);
    }
  })();
  return state;
}

describe('creating', () => {
  it('gives an object its identity, its Namespace, its defaults and generation 1, and drops its status and unknown fields', async () => {
    const { transport } = start();
    const { code, body } = await ask(
      transport,
      post(inShop, { ...thing('a'), spec: { a: 1, zz: 2 }, status: { s: 1 } }),
    );
    expect(code).toBe(201);
    expect(body).toEqual({
      apiVersion: 'x.io/v1',
      kind: 'Thing',
      metadata: {
        name: 'a',
        namespace: 'shop',
        uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        resourceVersion: '4',
        generation: 1,
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: { a: 1, d: 'dd' },
    });
  });

  it('makes up a name from generateName, the same for the same seed', async () => {
    const names = await Promise.all(
      [7, 7, 8].map(async (seed) => {
        const { transport } = start({ seed });
        const { body } = await ask(transport, post(inShop, { ...thing(''), metadata: { generateName: 'gen-' } }));
        return (body as { metadata: { name: string } }).metadata.name;
      }),
    );
    expect(names[0]).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(names[1]).toBe(names[0]);
    expect(names[2]).not.toBe(names[0]);
  });

  it.each([
    ['a taken name', inShop, thing('a'), 409, 'AlreadyExists', 'things.x.io "a" already exists'],
    [
      'a missing Namespace',
      '/apis/x.io/v1/namespaces/nope/things',
      thing('b'),
      404,
      'NotFound',
      'namespaces "nope" not found',
    ],
    [
      'no name',
      inShop,
      thing(''),
      422,
      'Invalid',
      'Thing.x.io "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'a value that the schema forbids',
      inShop,
      thing('b', { spec: { a: 10 } }),
      422,
      'Invalid',
      'Thing.x.io "b" is invalid: spec.a: Invalid value: 10: spec.a in body should be less than or equal to 9',
    ],
    [
      'another Namespace',
      inShop,
      thing('b', { metadata: { name: 'b', namespace: 'x' } }),
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'another version',
      inShop,
      thing('b', { apiVersion: 'x.io/v9' }),
      400,
      'BadRequest',
      'the API version in the data (x.io/v9) does not match the expected API version (x.io/v1)',
    ],
  ])('%s is refused', async (_title, path, body, code, reason, message) => {
    const { transport } = start();
    await ask(transport, post(inShop, thing('a')));
    const before = await ask(transport, get('/apis/x.io/v1/things'));
    expect(await ask(transport, post(path, body))).toMatchObject({
      code,
      body: { kind: 'Status', status: 'Failure', reason, message, code },
    });
    expect(await ask(transport, get('/apis/x.io/v1/things'))).toEqual(before);
  });

  it('refuses impossible labels with the text of the API server', async () => {
    const { transport } = start();
    const { body } = await ask(
      transport,
      post(inShop, thing('b', { metadata: { name: 'b', labels: { cluster: 'east/1' } } })),
    );
    expect(body).toMatchObject({
      details: {
        causes: [
          {
            field: 'metadata.labels',
            message: expect.stringContaining('Invalid value: "east/1": a valid label must be'),
          },
        ],
      },
    });
  });

  it('does nothing in a dry run but answers as if', async () => {
    const { transport, admin } = start();
    const { code } = await ask(transport, { ...post(inShop, thing('a')), query: { dryRun: 'All' } });
    expect([code, admin.list(Thing).length]).toEqual([201, 0]);
  });

  it('is refused in a Namespace that is being deleted', async () => {
    const { transport, admin } = start();
    admin.put(Thing, { metadata: { name: 'held', namespace: 'shop', finalizers: ['x.io/f'] } });
    admin.delete(Namespace, { name: 'shop' });
    const { code, body } = await ask(transport, post(inShop, thing('a')));
    expect(code).toBe(403);
    expect(body).toMatchObject({
      message:
        'things.x.io "a" is forbidden: unable to create new content in namespace shop because it is being terminated',
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
  });
});

describe('updating', () => {
  it('counts generations with the spec alone, and keeps the status where it has a subresource', async () => {
    const { transport } = start();
    await ask(transport, post(inShop, thing('a')));
    const generations = [];
    for (const request of [
      patch(`${inShop}/a/status`, { status: { s: 1 }, spec: { a: 5 } }),
      patch(`${inShop}/a`, { metadata: { labels: { l: '1' } } }),
      patch(`${inShop}/a`, { spec: { a: 2 }, status: { s: 9 } }),
    ]) {
      const { body } = await ask(transport, request);
      const { metadata, spec, status } = body as {
        metadata: { generation: number };
        spec: { a: number };
        status: unknown;
      };
      generations.push([metadata.generation, spec.a, status]);
    }
    expect(generations).toEqual([
      [1, 1, { s: 1 }],
      [1, 1, { s: 1 }],
      [2, 2, { s: 1 }],
    ]);
  });

  it('writes nothing where nothing changes: the resourceVersion stays and no event is told', async () => {
    const { transport, clock } = start();
    const created = await ask(transport, post(inShop, thing('a')));
    const watch = follow(transport, get(inShop, { watch: 'true', resourceVersion: '4' }));
    const again = await ask(transport, patch(`${inShop}/a`, { spec: { a: 1 } }));
    await clock.settle();
    expect(again.body).toEqual(created.body);
    expect(watch.lines).toEqual([]);
  });

  it('is refused with Conflict where the resourceVersion is not the current one', async () => {
    const { transport } = start();
    await ask(transport, post(inShop, thing('a')));
    const message =
      'Operation cannot be fulfilled on things.x.io "a": the object has been modified; please apply your changes to the latest version and try again';
    for (const request of [
      put(`${inShop}/a`, thing('a', { metadata: { name: 'a', resourceVersion: '1' } })),
      patch(`${inShop}/a`, { metadata: { resourceVersion: '1' }, spec: { a: 2 } }),
    ]) {
      expect(await ask(transport, request)).toMatchObject({ code: 409, body: { reason: 'Conflict', message } });
    }
  });

  it('cannot change what belongs to the server', async () => {
    const { transport } = start();
    const { body } = await ask(transport, post(inShop, thing('a')));
    const { metadata } = body as { metadata: object };
    const forged = {
      creationTimestamp: '1999-01-01T00:00:00Z',
      generation: 99,
      deletionTimestamp: '1999-01-01T00:00:00Z',
    };
    const after = await ask(transport, patch(`${inShop}/a`, { metadata: forged }));
    expect((after.body as { metadata: object }).metadata).toEqual(metadata);
  });

  it('of a custom resource by PUT must name a resourceVersion', async () => {
    const { transport } = start();
    await ask(transport, post(inShop, thing('a')));
    expect(await ask(transport, put(`${inShop}/a`, thing('a')))).toMatchObject({
      code: 422,
      body: {
        message:
          'things.x.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      },
    });
  });

  it('by a patch that is no merge patch is refused: the stand-in knows no other', async () => {
    const { transport } = start();
    await ask(transport, post(inShop, thing('a')));
    const { code, body } = await ask(transport, patch(`${inShop}/a`, [], 'application/json-patch+json'));
    expect([code, (body as { reason: string }).reason]).toEqual([415, 'UnsupportedMediaType']);
  });
});

describe('versions of a kind', () => {
  it('share their objects and differ in apiVersion', async () => {
    const { transport, clock } = start();
    const beta = '/apis/x.io/v1beta1/namespaces/shop/things';
    const watch = follow(transport, get(beta, { watch: 'true' }));
    await ask(transport, post(inShop, thing('a')));
    const { body } = await ask(transport, patch(`${beta}/a`, { spec: { a: 3 } }));
    await clock.settle();
    expect(body).toMatchObject({ apiVersion: 'x.io/v1beta1', spec: { a: 3 }, metadata: { generation: 2 } });
    expect(await ask(transport, get(`${inShop}/a`))).toMatchObject({ body: { apiVersion: 'x.io/v1', spec: { a: 3 } } });
    expect(watch.lines.map(({ type, object }) => [type, object['apiVersion']])).toEqual([
      ['ADDED', 'x.io/v1beta1'],
      ['MODIFIED', 'x.io/v1beta1'],
    ]);
  });
});

describe('deleting', () => {
  it('removes at once where no finalizer holds, and says so with a Status', async () => {
    const { transport } = start();
    const { body } = await ask(transport, post(inShop, thing('a')));
    const { uid } = (body as { metadata: { uid: string } }).metadata;
    expect(await ask(transport, del(`${inShop}/a`))).toEqual({
      code: 200,
      body: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', group: 'x.io', kind: 'things', uid },
      },
    });
    expect(await ask(transport, get(`${inShop}/a`))).toMatchObject({
      code: 404,
      body: { message: 'things.x.io "a" not found' },
    });
  });

  it('waits for the last finalizer, and admits no new one', async () => {
    const { transport, clock } = start();
    await ask(transport, post(inShop, thing('a', { metadata: { name: 'a', finalizers: ['x.io/f'] } })));
    const watch = follow(transport, get(inShop, { watch: 'true', resourceVersion: '4' }));
    await clock.advance(5000);
    const first = await ask(transport, del(`${inShop}/a`));
    expect(first).toMatchObject({
      code: 200,
      body: { metadata: { deletionTimestamp: '2026-01-01T00:00:05Z', deletionGracePeriodSeconds: 0, generation: 2 } },
    });
    expect(await ask(transport, del(`${inShop}/a`))).toEqual(first);
    expect(
      await ask(transport, patch(`${inShop}/a`, { metadata: { finalizers: ['x.io/f', 'x.io/g'] } })),
    ).toMatchObject({
      code: 422,
      body: {
        message:
          'Thing.x.io "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.io/g"}',
      },
    });
    await ask(transport, patch(`${inShop}/a`, { metadata: { finalizers: null } }));
    expect((await ask(transport, get(`${inShop}/a`))).code).toBe(404);
    await clock.settle();
    expect(
      watch.lines.map(({ type, object }) => [type, object.metadata['finalizers'], object.metadata['resourceVersion']]),
    ).toEqual([
      ['MODIFIED', ['x.io/f'], '5'],
      ['DELETED', ['x.io/f'], '6'],
    ]);
  });

  it.each([
    [{ uid: 'other' }, 'the UID in the precondition (other) does not match the UID in record'],
    [
      { resourceVersion: '1' },
      'the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (4)',
    ],
  ])('is refused with Conflict where the precondition %j fails', async (preconditions, message) => {
    const { transport, admin } = start();
    await ask(transport, post(inShop, thing('a')));
    expect(await ask(transport, del(`${inShop}/a`, { preconditions }))).toMatchObject({
      code: 409,
      body: {
        reason: 'Conflict',
        message: expect.stringContaining(`Operation cannot be fulfilled on Thing.x.io "a": ${message}`),
      },
    });
    expect(admin.list(Thing)).toHaveLength(1);
  });

  it('a Namespace takes its content along, and waits for what finalizers hold', async () => {
    const { transport, admin, clock } = start();
    admin.put(Thing, { metadata: { name: 'free', namespace: 'shop' } });
    admin.put(Thing, { metadata: { name: 'held', namespace: 'shop', finalizers: ['x.io/f'] } });
    expect(await ask(transport, del('/api/v1/namespaces/shop'))).toMatchObject({
      code: 200,
      body: { status: { phase: 'Terminating' } },
    });
    await clock.settle();
    expect(admin.list(Thing).map(({ metadata }) => metadata.name)).toEqual(['held']);
    expect(admin.get(Namespace, { name: 'shop' })).toBeDefined();
    admin.patch(Thing, { namespace: 'shop', name: 'held' }, { metadata: { finalizers: null } });
    await clock.settle();
    expect(admin.get(Namespace, { name: 'shop' })).toBeUndefined();
  });

  it('an owner takes along what has no other owner', async () => {
    const { admin, clock } = start();
    const [one, two] = ['one', 'two'].map((name) => admin.put(Thing, { metadata: { name, namespace: 'shop' } }));
    const refs = [one, two].map((owner) => ({
      apiVersion: 'x.io/v1',
      kind: 'Thing',
      name: owner?.metadata.name ?? '',
      uid: owner?.metadata.uid ?? '',
    }));
    admin.put(Thing, { metadata: { name: 'of-one', namespace: 'shop', ownerReferences: refs.slice(0, 1) } });
    admin.put(Thing, { metadata: { name: 'of-both', namespace: 'shop', ownerReferences: refs } });
    admin.delete(Thing, { namespace: 'shop', name: 'one' });
    await clock.settle();
    expect(admin.list(Thing).map(({ metadata }) => metadata.name)).toEqual(['of-both', 'two']);
    admin.delete(Thing, { namespace: 'shop', name: 'two' });
    await clock.settle();
    expect(admin.list(Thing)).toEqual([]);
  });
});

describe('listing', () => {
  async function fill(count: number) {
    const world = start();
    for (let i = 0; i < count; i++) {
      await ask(
        world.transport,
        post(inShop, thing(`t${i}`, { metadata: { name: `t${i}`, labels: { even: String(i % 2 === 0) } } })),
      );
    }
    return world;
  }
  const names = (body: unknown) =>
    (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
  const tokenOf = (body: unknown) => (body as { metadata: { continue?: string } }).metadata.continue;

  it('comes in the order of the keys with the resourceVersion of the server', async () => {
    const { transport } = await fill(3);
    const { body } = await ask(transport, get(inShop));
    expect(body).toMatchObject({ apiVersion: 'x.io/v1', kind: 'ThingList', metadata: { resourceVersion: '6' } });
    expect(names(body)).toEqual(['t0', 't1', 't2']);
  });

  it.each([
    [{ labelSelector: 'even=true' }, ['t0', 't2']],
    [{ labelSelector: 'even notin (true)' }, ['t1', 't3']],
    [{ fieldSelector: 'metadata.name=t3' }, ['t3']],
    [{ fieldSelector: 'metadata.name!=t3,metadata.namespace=shop', labelSelector: 'even' }, ['t0', 't1', 't2']],
  ])('narrows by %j', async (query, expected) => {
    const { transport } = await fill(4);
    expect(names((await ask(transport, get(inShop, query))).body)).toEqual(expected);
  });

  it('refuses selectors that it cannot read or does not know', async () => {
    const { transport } = start();
    expect(await ask(transport, get(inShop, { labelSelector: 'a!b' }))).toMatchObject({
      code: 400,
      body: { reason: 'BadRequest' },
    });
    expect(await ask(transport, get(inShop, { fieldSelector: 'spec.x=y' }))).toMatchObject({
      code: 400,
      body: { message: 'field label not supported: spec.x' },
    });
  });

  it('in pages shows one moment, whatever is written meanwhile', async () => {
    const { transport } = await fill(5);
    const first = await ask(transport, get(inShop, { limit: '2' }));
    expect(first.body).toMatchObject({ metadata: { remainingItemCount: 3 } });
    await ask(transport, del(`${inShop}/t3`));
    await ask(transport, post(inShop, thing('t2a')));
    await ask(transport, patch(`${inShop}/t4`, { spec: { a: 9 } }));
    const second = await ask(transport, get(inShop, { limit: '2', continue: tokenOf(first.body) ?? '' }));
    const third = await ask(transport, get(inShop, { limit: '2', continue: tokenOf(second.body) ?? '' }));
    expect([first, second, third].map(({ body }) => names(body))).toEqual([['t0', 't1'], ['t2', 't3'], ['t4']]);
    expect(third.body).toMatchObject({ items: [{ spec: { a: 1 } }], metadata: { resourceVersion: '8' } });
    expect(tokenOf(third.body)).toBeUndefined();
  });

  it('answers 410 to a page whose moment is forgotten, with a token that goes on in the present', async () => {
    const { transport, admin } = await fill(3);
    const first = await ask(transport, get(inShop, { limit: '1' }));
    await ask(transport, post(inShop, thing('t9')));
    admin.compact();
    const second = await ask(transport, get(inShop, { limit: '1', continue: tokenOf(first.body) ?? '' }));
    expect(second).toMatchObject({
      code: 410,
      body: { reason: 'Expired', message: expect.stringContaining('continue parameter is too old') },
    });
    const third = await ask(transport, get(inShop, { continue: tokenOf(second.body) ?? '' }));
    expect(names(third.body)).toEqual(['t1', 't2', 't9']);
  });

  it('gives metadata only to who asks for it', async () => {
    const { transport } = await fill(1);
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { body } = await ask(transport, { ...get(inShop), headers: { accept } });
    expect(body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata', metadata: { name: 't0' } }],
    });
    expect((body as { items: object[] }).items[0]).not.toHaveProperty('spec');
  });

  it('leaves apiVersion and kind out of the items of built-in kinds, as the real server does', async () => {
    const { transport } = start();
    await ask(transport, post(services, { metadata: { name: 'cart' }, spec: { ports: [{ port: 80 }] } }));
    const { body } = await ask(transport, get(services));
    expect((body as { items: object[] }).items[0]).not.toHaveProperty('kind');
  });
});

describe('watching', () => {
  it('tells every change after a resourceVersion, and what comes', async () => {
    const { transport, clock } = start();
    await ask(transport, post(inShop, thing('a')));
    await ask(transport, post(inShop, thing('b')));
    const watch = follow(transport, get(inShop, { watch: 'true', resourceVersion: '4' }));
    await clock.settle();
    await ask(transport, patch(`${inShop}/a`, { spec: { a: 2 } }));
    await ask(transport, del(`${inShop}/b`));
    await clock.settle();
    expect(
      watch.lines.map(({ type, object }) =>
        [type, object.metadata['name'], object.metadata['resourceVersion']].join(' '),
      ),
    ).toEqual(['ADDED b 5', 'MODIFIED a 6', 'DELETED b 7']);
  });

  it('without a resourceVersion tells what is there first', async () => {
    const { transport, clock } = start();
    await ask(transport, post(inShop, thing('a')));
    const watch = follow(transport, get(inShop, { watch: 'true' }));
    await clock.settle();
    expect(watch.lines.map(({ type }) => type)).toEqual(['ADDED']);
  });

  it('tells what comes into a selection as ADDED and what leaves it as DELETED, as it was', async () => {
    const { transport, clock } = start();
    const watch = follow(transport, get(inShop, { watch: 'true', resourceVersion: '3', labelSelector: 'in=1' }));
    await ask(transport, post(inShop, thing('a', { metadata: { name: 'a', labels: { in: '1' } } })));
    await ask(transport, patch(`${inShop}/a`, { metadata: { labels: { in: '2' } } }));
    await ask(transport, patch(`${inShop}/a`, { spec: { a: 3 } }));
    await ask(transport, patch(`${inShop}/a`, { metadata: { labels: { in: '1' } } }));
    await clock.settle();
    expect(
      watch.lines.map(({ type, object }) => [type, object.metadata['labels'], object.metadata['resourceVersion']]),
    ).toEqual([
      ['ADDED', { in: '1' }, '4'],
      ['DELETED', { in: '1' }, '5'],
      ['ADDED', { in: '1' }, '7'],
    ]);
  });

  it('ends after its time with a bookmark, and sends one each minute, to who asked for them', async () => {
    const { transport, clock } = start();
    const query = { watch: 'true', resourceVersion: '3', timeoutSeconds: '90' };
    const asked = follow(transport, get(inShop, { ...query, allowWatchBookmarks: 'true' }));
    const silent = follow(transport, get(inShop, query));
    await clock.advance(60_000);
    await ask(transport, post('/api/v1/namespaces', { metadata: { name: 'other' } }));
    await clock.advance(29_999);
    expect(asked.ended).toBeUndefined();
    await clock.advance(1);
    expect([asked.ended, silent.ended]).toEqual(['ended', 'ended']);
    expect(asked.lines).toEqual([
      { type: 'BOOKMARK', object: { kind: 'Thing', apiVersion: 'x.io/v1', metadata: { resourceVersion: '3' } } },
      { type: 'BOOKMARK', object: { kind: 'Thing', apiVersion: 'x.io/v1', metadata: { resourceVersion: '4' } } },
    ]);
    expect(silent.lines).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('from a forgotten resourceVersion yields one ERROR line with 410; open watches go on', async () => {
    const { transport, admin, clock } = start();
    const open = follow(transport, get(inShop, { watch: 'true', resourceVersion: '3' }));
    await clock.settle();
    await ask(transport, post(inShop, thing('a')));
    admin.compact();
    const late = follow(transport, get(inShop, { watch: 'true', resourceVersion: '3' }));
    const current = follow(transport, get(inShop, { watch: 'true', resourceVersion: '4' }));
    await ask(transport, post(inShop, thing('b')));
    await clock.settle();
    expect(late).toMatchObject({
      ended: 'ended',
      lines: [{ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old resource version: 3 (4)' } }],
    });
    expect(open.lines.map(({ type }) => type)).toEqual(['ADDED', 'ADDED']);
    expect(current.lines.map(({ type }) => type)).toEqual(['ADDED']);
  });

  it('breaks off when its signal aborts or its transport closes, and leaves no timer', async () => {
    const { transport, standin, clock } = start();
    const stop = new AbortController();
    const aborted = follow(transport, get(inShop, { watch: 'true' }), stop.signal);
    const other = standin.transport();
    const closed = follow(other, get(inShop, { watch: 'true' }));
    await clock.settle();
    stop.abort(new Error('enough'));
    other.close();
    await clock.settle();
    expect([aborted.ended, closed.ended]).toEqual(['Error: enough', 'Error: the transport is closed']);
    expect(clock.pending).toBe(0);
    await expect(other.send(get(inShop), stop.signal)).rejects.toThrow('enough');
    await expect(other.send(get(inShop), new AbortController().signal)).rejects.toThrow('closed');
  });
});

describe('a user with access to some things', () => {
  const access: readonly Access[] = [
    { at: 'local', type: Thing, scope: 'own', verbs: ['get', 'list', 'watch', 'create'] },
    { at: 'local', type: Thing, subresource: 'status', scope: 'all', verbs: ['patch'] },
    { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list'], resourceNames: ['cart'] },
    { at: 'local', type: Namespace, scope: 'own', verbs: ['get'] },
  ];
  const name = 'system:serviceaccount:shop:isthmus';

  it.each<readonly [ApiRequest, number]>([
    [get(inShop), 200],
    [get('/apis/x.io/v1/things'), 403],
    [get('/apis/x.io/v1/namespaces/default/things'), 403],
    [post(inShop, thing('b')), 201],
    [patch(`${inShop}/a`, { spec: { a: 2 } }), 403],
    [patch(`${inShop}/a/status`, { status: { s: 2 } }), 200],
    [put(`${inShop}/a/status`, thing('a')), 403],
    [del(`${inShop}/a`), 403],
    [get(`${services}/cart`), 404],
    [get(`${services}/other`), 403],
    [get(services), 403],
    [get(services, { fieldSelector: 'metadata.name=cart' }), 200],
    [get(services, { fieldSelector: 'metadata.name=cart', watch: 'true' }), 403],
    [get('/version'), 200],
    [get('/api/v1/namespaces/shop'), 200],
    [get('/api/v1/namespaces/default'), 403],
  ])('sends %j and is answered %d', async (request, code) => {
    const { standin, admin } = start();
    admin.put(Thing, { metadata: { name: 'a', namespace: 'shop' } });
    const transport = standin.transport({ name, access, namespace: 'shop' });
    expect((await ask(transport, request)).code).toBe(code);
  });

  it.each<readonly [ApiRequest, string]>([
    [
      get('/apis/x.io/v1/things'),
      `things.x.io is forbidden: User "${name}" cannot list resource "things" in API group "x.io" at the cluster scope`,
    ],
    [
      patch(`${inShop}/a`, {}),
      `things.x.io "a" is forbidden: User "${name}" cannot patch resource "things" in API group "x.io" in the namespace "shop"`,
    ],
    [
      put(`${inShop}/a/status`, thing('a')),
      `things.x.io "a" is forbidden: User "${name}" cannot update resource "things/status" in API group "x.io" in the namespace "shop"`,
    ],
    [
      get('/api/v1/namespaces/other'),
      `namespaces "other" is forbidden: User "${name}" cannot get resource "namespaces" in API group "" in the namespace "other"`,
    ],
    [
      get(services, { fieldSelector: 'metadata.name=x', watch: '1' }),
      `services "x" is forbidden: User "${name}" cannot watch resource "services" in API group "" in the namespace "shop"`,
    ],
  ])('is told why: %j', async (request, message) => {
    const transport = start().standin.transport({ name, access, namespace: 'shop' });
    expect(await ask(transport, request)).toMatchObject({ code: 403, body: { reason: 'Forbidden', message } });
  });
});

describe('what is not served', () => {
  it.each<readonly [ApiRequest, number]>([
    [get('/apis/x.io/v1/namespaces/shop/nothings'), 404],
    [get('/api/v1/nothings'), 404],
    [get('/nothing'), 404],
    [get(`${inShop}/a/scale`), 404],
    [get(`${services}/../../secrets`), 404],
    [post(inShop, '{"apiVersion":'), 400],
    [post(inShop, '[]'), 400],
    [post(inShop, { metadata: { name: 'a' } }), 400],
    [get(inShop, { continue: 'xx' }), 400],
    [get(inShop, { watch: 'true', resourceVersion: 'abc' }), 500],
    [post(inShop, thing('a', { metadata: { name: 'a', resourceVersion: '1' } })), 500],
    [post(inShop, thing('a', { kind: 'Other' })), 422],
    [get(inShop, { resourceVersion: '999' }), 504],
    [get('/readyz'), 200],
  ])('%j is answered %d', async (request, code) => {
    expect((await ask(start().transport, request)).code).toBe(code);
  });
});

describe('the request log', () => {
  it('has a line for each request in the order of their arrival, the same for the same requests', async () => {
    const logs = await Promise.all(
      [1, 2].map(async () => {
        const { standin, transport } = start();
        const member = standin.transport({ name: 'member', access: [], namespace: 'shop' });
        await ask(
          transport,
          post(inShop, '{"kind":"Thing","apiVersion":"x.io/v1","spec":{"d":"x","a":1},"metadata":{"name":"a"}}'),
        );
        await ask(member, get(inShop, { labelSelector: 'b', fieldSelector: 'metadata.name=a' }));
        await ask(transport, post(inShop, '{'));
        return standin.requestLog();
      }),
    );
    expect(logs[0]).toEqual([
      `east admin POST ${inShop} 201 {"apiVersion":"x.io/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"a":1,"d":"x"}}`,
      `east member GET ${inShop}?fieldSelector=metadata.name=a&labelSelector=b 403`,
      `east admin POST ${inShop} 400 "{"`,
    ]);
    expect(logs[1]).toEqual(logs[0]);
  });
});

describe('the text of a body', () => {
  it('is one chunk that can be read once the answer came', async () => {
    const response = await start().transport.send(get('/readyz'), new AbortController().signal);
    expect([response.headers['content-type'], await textOf(response.body)]).toEqual(['text/plain', 'ok']);
  });
});
