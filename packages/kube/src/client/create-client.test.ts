import { createVirtualClock } from '@isthmus/fleet-sim';
import type { VirtualClock } from '@isthmus/fleet-sim';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { Client } from './client.ts';
import { createClient } from './create-client.ts';
import type { ClientOptions } from './create-client.ts';
import { ConnectionError, isConflict, isExpired, isNotFound, isTooManyRequests } from './errors.ts';
import type { Exchanged } from './exchange.ts';
import { metadataOf } from './metadata-type.ts';
import { rawAnswers } from './testing/raw-answers.ts';
import type { Answer, RawAnswers } from './testing/raw-answers.ts';

interface ConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>> | undefined;
}
const configMaps: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const ref = { namespace: 'shop', name: 'cart' };
const cart = (data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...ref, uid: 'u1', resourceVersion: '5' },
  data,
});
const status = (code: number, reason: string, message = 'no') => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code, details: { name: 'cart' } },
});

interface World {
  readonly clock: VirtualClock;
  readonly transport: RawAnswers;
  readonly client: Client;
}

function world(script: Parameters<typeof rawAnswers>[0], options: Partial<ClientOptions> = {}): World {
  const clock = createVirtualClock({ startMs: 0 });
  const transport = rawAnswers(script);
  return { clock, transport, client: createClient({ transport, clock, server: 'https://north:6443', ...options }) };
}

/** The error of a promise that must reject. */
async function errorOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('the promise did not reject');
}

// Answers that no good server gives; what one gives is in on-sandbox.test.ts and
// client.envtest.test.ts.

describe('one object', () => {
  it('may be answered with another kind where a scale is written', async () => {
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: ref };
    const { client } = world(() => ({ body: scale }));
    expect(await client.patch(configMaps, ref, { type: 'merge', body: {} }, { subresource: 'scale' })).toEqual(scale);
  });

  it.each<[string, unknown, object | undefined]>([
    ['gone where the server answers with a Status', { kind: 'Status', status: 'Success' }, undefined],
    ['gone where the server answers with the deleted object', cart(), undefined],
    [
      'there where finalizers hold it',
      { ...cart(), metadata: { ...ref, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'] } },
      { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    ],
  ])('is, after a delete, %s', async (_title, body, expected) => {
    const { client } = world(() => ({ body }));
    const left = await client.delete(configMaps, ref);
    if (expected === undefined) expect(left).toBeUndefined();
    else expect(left).toMatchObject(expected);
  });

  it('of which only the metadata is read carries the kind that it describes', async () => {
    const partial = {
      apiVersion: 'meta.k8s.io/v1',
      kind: 'PartialObjectMetadata',
      metadata: { ...ref, resourceVersion: '5' },
    };
    const { client } = world((_request, index) => ({ body: index === 0 ? partial : cart({ secret: 'x' }) }));
    const expected = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...ref, resourceVersion: '5' } };
    expect(await client.get(metadataOf(configMaps), ref)).toEqual(expected);
    expect(await client.get(metadataOf(configMaps), ref)).toEqual({
      ...expected,
      metadata: { ...expected.metadata, uid: 'u1' },
    });
  });

  it('is refused where its name could lead elsewhere, before anything is sent', async () => {
    const { client, transport } = world(() => ({ body: cart() }));
    const error = await errorOf(client.get(configMaps, { namespace: 'shop', name: '../../secrets/x' }));
    expect(error.message).toBe('configmaps: the name "../../secrets/x" is not valid in a URL path');
    expect(transport.sent).toHaveLength(0);
  });
});

describe('refusals', () => {
  it('carry the Status of the server', async () => {
    const { client } = world(() => status(409, 'Conflict', 'the object has been modified'));
    const error = await errorOf(client.update(configMaps, { metadata: ref }, { subresource: 'status' }));
    expect(isConflict(error)).toBe(true);
    expect(error.message).toBe('update configmaps/status shop/cart: the object has been modified (409 Conflict)');
  });

  it.each([301, 307, 304])('with HTTP %i report that redirects are not followed', async (code) => {
    const { client, transport } = world(() => ({ status: code, headers: { location: 'https://evil/' } }));
    const error = await errorOf(client.get(configMaps, ref));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain(`https://north:6443 answered with HTTP ${code}, and redirects are not followed`);
    expect(transport.sent).toHaveLength(1);
  });

  it('of a raw request are errors too', async () => {
    const { client } = world((request) =>
      request.path === '/version' ? { body: '{"major":"1"}' } : { status: 404, body: 'no such page' },
    );
    expect(await client.request({ method: 'GET', path: '/version' })).toEqual({ status: 200, text: '{"major":"1"}' });
    const error = await errorOf(client.request({ method: 'GET', path: '/nope' }));
    expect(error).toMatchObject({ name: 'ApiError', code: 404, verb: 'get', resource: '/nope' });
    expect(isNotFound(error)).toBe(false);
  });

  it('that are longer than the bound are cut off, not read', async () => {
    async function* endless() {
      for (;;) yield 'x'.repeat(1000);
    }
    const { client, transport } = world(() => ({ status: 500, chunks: endless() }), { limits: { errorBytes: 5000 } });
    expect(await errorOf(client.get(configMaps, ref))).toMatchObject({ kind: 'protocol' });
    expect(transport.closedEarly).toBe(1);
  });
});

describe('a request that the server asks to send later', () => {
  it('is sent again after Retry-After', async () => {
    const { client, clock, transport } = world((_request, index) =>
      index < 2 ? { ...status(429, 'TooManyRequests'), headers: { 'retry-after': '2' } } : { body: cart() },
    );
    const pending = client.create(configMaps, { metadata: ref });
    await clock.advance(3999);
    expect(transport.sent).toHaveLength(2);
    await clock.advance(1);
    expect(await pending).toEqual(cart());
    expect(clock.pending).toBe(0);
  });

  it('is given up where that is beyond its time-out, with the time in the error', async () => {
    const { client } = world(() => ({ ...status(429, 'TooManyRequests'), headers: { 'retry-after': '60' } }));
    const error = await errorOf(client.get(configMaps, ref));
    expect(isTooManyRequests(error)).toBe(true);
    expect(error).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('is given up after five repetitions', async () => {
    const { client, clock, transport } = world(() => ({
      ...status(429, 'TooManyRequests'),
      headers: { 'retry-after': '0' },
    }));
    const pending = errorOf(client.get(configMaps, ref));
    await clock.advance(5000);
    expect(isTooManyRequests(await pending)).toBe(true);
    expect(transport.sent).toHaveLength(6);
  });

  it('stops waiting when the caller aborts', async () => {
    const { client, clock } = world(() => ({ ...status(429, 'TooManyRequests'), headers: { 'retry-after': '5' } }));
    const caller = new AbortController();
    const pending = errorOf(client.get(configMaps, ref, { signal: caller.signal }));
    await clock.advance(1000);
    const reason = new Error('shutting down');
    caller.abort(reason);
    expect(await pending).toBe(reason);
    expect(clock.pending).toBe(0);
  });
});

describe('a server that', () => {
  it.each<[string, Answer]>([
    ['never answers', 'hang'],
    ['sends headers and nothing else', { thenHang: true }],
    ['stops within the body', { chunks: ['{"kind":'], thenHang: true }],
    ['stops within a refusal', { status: 500, chunks: ['{'], thenHang: true }],
  ])('%s is given up after the time-out', async (_title, answer) => {
    const { client, clock } = world(() => answer, { timeoutMs: 3000 });
    const pending = errorOf(client.get(configMaps, ref));
    await clock.advance(2999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    const error = await pending;
    expect(error).toMatchObject({ name: 'ConnectionError', kind: 'timeout', verb: 'get', resource: 'configmaps', ref });
    expect(error.message).toBe('get configmaps shop/cart: no answer from https://north:6443 within 3000 ms');
    expect(clock.pending).toBe(0);
  });

  it('never answers does not hold a caller who aborts', async () => {
    const { client, clock } = world(() => 'hang');
    const caller = new AbortController();
    const pending = errorOf(client.get(configMaps, ref, { signal: caller.signal }));
    caller.abort(new Error('stop'));
    expect((await pending).message).toBe('stop');
    expect((await errorOf(client.get(configMaps, ref, { signal: caller.signal }))).message).toBe('stop');
    expect(clock.pending).toBe(0);
  });

  it.each<[string, string, RegExp]>([
    ['sends no JSON', '<html>token abc</html>', /is not JSON$/],
    ['sends half an object', '{"kind":"Secret","data":{"token":"c2VjcmV0', /is not JSON$/],
    ['sends nothing', '', /is not JSON$/],
    ['sends a number', '5', /the object is not an object$/],
    ['sends another kind', '{"kind":"Secret","metadata":{"name":"cart"}}', /of another kind$/],
    ['sends no metadata', '{"kind":"ConfigMap"}', /has no metadata$/],
    ['sends no name', '{"metadata":{}}', /has no name$/],
    ['sends a name that is none', '{"metadata":{"name":7}}', /metadata\.name of the object has the wrong type$/],
    [
      'sends labels that are none',
      '{"metadata":{"name":"a","labels":{"b":1}}}',
      /metadata\.labels of the object has the wrong type$/,
    ],
    ['sends owners that are none', '{"metadata":{"name":"a","ownerReferences":[{}]}}', /metadata\.ownerReferences/],
  ])('%s is an error that names the request and repeats nothing of the answer', async (_title, body, message) => {
    const { client } = world(() => ({ body }));
    const error = await errorOf(client.get(configMaps, ref));
    expect(error).toMatchObject({ name: 'ConnectionError', kind: 'protocol' });
    expect(error.message).toMatch(
      /^get configmaps shop\/cart: https:\/\/north:6443 did not answer like an API server: /,
    );
    expect(error.message).toMatch(message);
    expect(`${error.stack}${String(error.cause)}`).not.toMatch(/token|c2Vj/);
  });

  it('sends more than the bound is cut off', async () => {
    async function* endless() {
      for (;;) yield ' '.repeat(1024);
    }
    const { client, transport } = world(() => ({ chunks: endless() }), { limits: { objectBytes: 10_000 } });
    const error = await errorOf(client.get(configMaps, ref));
    expect(error).toMatchObject({ kind: 'protocol' });
    expect(error.message).toContain('larger than 10000 bytes');
    expect(transport.closedEarly).toBe(1);
  });

  it.each([
    ['ECONNREFUSED', 'refused'],
    ['ENOTFOUND', 'dns'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ECONNRESET', 'reset'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['HPE_INVALID_CONSTANT', 'protocol'],
    ['EWHATEVER', 'other'],
  ])('fails with %s is a ConnectionError of the kind %s', async (code, kind) => {
    const cause = Object.assign(new Error(`connect ${code}`), { code });
    const { client } = world(() => cause);
    const error = await errorOf(client.get(configMaps, ref));
    expect(error).toMatchObject({ name: 'ConnectionError', kind, cause });
    expect(error.message).toContain(`get configmaps shop/cart: connect ${code}`);
  });

  it('of a proxy has advice about the proxy, not about the API server behind it', async () => {
    const cause = Object.assign(new Error('proxy http://p:3128: connect ECONNREFUSED'), {
      code: 'ECONNREFUSED',
      isOfProxy: true,
    });
    const { client } = world(() => Object.assign(new Error('https://north: proxy', { cause }), { code: cause.code }));
    const { message } = await errorOf(client.get(configMaps, ref));
    expect(message).toBe(
      'get configmaps shop/cart: https://north: proxy; check that the proxy runs and that proxy-url is right',
    );
  });
});

describe('a list', () => {
  const item = (name: string) => ({ metadata: { namespace: 'shop', name, resourceVersion: '1' } });
  const page = (names: readonly string[], next?: string) => ({
    body: {
      kind: 'ConfigMapList',
      metadata: { resourceVersion: '9', ...(next && { continue: next }) },
      items: names.map(item),
    },
  });

  it('asks for pages of 500 by default', async () => {
    const { client, transport } = world(() => page([]));
    expect((await client.list(configMaps)).items).toEqual([]);
    expect(transport.sent[0]?.query).toEqual({ limit: '500' });
  });

  /** A server with objects of that many bytes, which answers pages as it is asked to. */
  function withObjects(sizes: readonly number[]): Parameters<typeof world>[0] {
    return ({ query = {} }) => {
      const from = Number(query['continue'] ?? 0);
      const to = from + Number(query['limit']);
      const names = sizes.slice(from, to).map((size, at) => `${from + at}-${'x'.repeat(size)}`);
      return page(names, to < sizes.length ? String(to) : undefined);
    };
  }
  const limitsOf = (sent: readonly { readonly query?: Readonly<Record<string, string>> | undefined }[]) =>
    sent.map(({ query }) => Number(query?.['limit']));

  it('asks for fewer objects where a page is too large, and for more again where pages are small', async () => {
    const sizes = [...Array.from({ length: 20 }, () => 1_000), ...Array.from({ length: 200 }, () => 1)];
    const { client, transport } = world(withObjects(sizes), { limits: { pageBytes: 5_000 } });
    const { items } = await client.list(configMaps);
    expect(items.map(({ metadata }) => metadata.name.split('-')[0])).toEqual(sizes.map((_, at) => String(at)));
    const limits = limitsOf(transport.sent);
    expect(limits.slice(0, 4)).toEqual([500, 63, 8, 1]);
    expect(Math.max(...limits.slice(4))).toBeGreaterThan(8);
  });

  it('takes one object at a time however large, up to the bound of the list', async () => {
    const { client } = world(withObjects([9_000, 9_000]), { limits: { pageBytes: 5_000 } });
    expect((await client.list(configMaps)).items).toHaveLength(2);
    const bounded = world(withObjects([9_000, 9_000]), { limits: { pageBytes: 5_000, listBytes: 10_000 } });
    expect((await errorOf(bounded.client.list(configMaps))).message).toContain('larger than');
  });

  it('asks for fewer objects where a page that has begun does not arrive in time, not where nothing comes', async () => {
    const answers = [{ chunks: ['{'], thenHang: true }, page(['a'])];
    const slow = world((_request, index) => answers[index] ?? 'hang');
    const listing = slow.client.list(configMaps);
    await slow.clock.advance(10_000);
    expect((await listing).items).toHaveLength(1);
    expect(limitsOf(slow.transport.sent)).toEqual([500, 63]);
    const silent = world(() => 'hang');
    const failing = errorOf(silent.client.list(configMaps));
    await silent.clock.advance(10_000);
    expect(await failing).toMatchObject({ kind: 'timeout' });
    expect(silent.transport.sent).toHaveLength(1);
  });

  it('starts over once, in one piece, where the continue token has expired', async () => {
    const answers = [page(['a'], 't1'), status(410, 'Expired'), page(['a', 'b'])];
    const { client, transport } = world((_request, index) => answers[index] ?? 'hang');
    expect((await client.list(configMaps)).items.map((found) => found.metadata.name)).toEqual(['a', 'b']);
    expect(transport.sent.map((request) => request.query)).toEqual([
      { limit: '500' },
      { limit: '500', continue: 't1' },
      {},
    ]);
  });

  it('counts the size of the list again where it starts over', async () => {
    const [first, whole] = [page(['a'.repeat(600)], 't1'), page(['a'.repeat(600)])];
    const answers = [first, status(410, 'Expired'), whole];
    const { client } = world((_request, index) => answers[index] ?? 'hang', { limits: { listBytes: 1_000 } });
    expect((await client.list(configMaps)).items).toHaveLength(1);
  });

  it('fails where that expires as well, or the first page does', async () => {
    const answers = [page(['a'], 't1'), status(410, 'Expired'), page(['b'], 't2'), status(410, 'Expired')];
    expect(isExpired(await errorOf(world((_request, index) => answers[index] ?? 'hang').client.list(configMaps)))).toBe(
      true,
    );
    const first = world(() => status(410, 'Expired'));
    expect(isExpired(await errorOf(first.client.list(configMaps)))).toBe(true);
    expect(first.transport.sent).toHaveLength(1);
  });

  it('takes null for no items, and passes objects of another kind or without a name on', async () => {
    const bodies = [
      { items: null },
      { items: [{ kind: 'Secret', metadata: { name: 'x' } }, { metadata: { labels: null } }] },
    ];
    const { client } = world((_request, index) => ({ body: bodies[index] }));
    expect(await client.list(configMaps)).toEqual({ resourceVersion: '', items: [] });
    expect((await client.list(configMaps)).items).toEqual([
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '' } },
    ]);
  });

  it.each([
    ['items that are not an array', { items: {} }, 'the items of the list are not an array'],
    ['an item that is not an object', { items: [item('a'), null] }, 'item 1 is not an object'],
    ['an array', [], 'the list is not an object'],
  ])('of %s is an error', async (_title, body, message) => {
    const error = await errorOf(world(() => ({ body })).client.list(configMaps, { namespace: 'shop' }));
    expect(error.message).toBe(
      `list configmaps in Namespace shop: https://north:6443 did not answer like an API server: ${message}`,
    );
  });

  it('that never ends is given up, by its size or by its pages', async () => {
    const endless = world(() => page(['a'], 'again'), { limits: { listBytes: 3000 } });
    expect((await errorOf(endless.client.list(configMaps))).message).toContain('larger than');
    const empty = world(() => page([], 'again'));
    expect((await errorOf(empty.client.list(configMaps))).message).toContain('has not ended after 10000 pages');
  });
});

describe('a watch', () => {
  const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
  const options = { resourceVersion: '5', timeoutSeconds: 290, idleMs: 30_000 };

  async function collect<T>(
    events: AsyncIterable<T>,
  ): Promise<{ readonly seen: readonly T[]; readonly error?: unknown }> {
    const seen: T[] = [];
    try {
      for await (const event of events) seen.push(event);
    } catch (error) {
      return { seen, error };
    }
    return { seen };
  }

  it('joins a line that came in pieces and takes one without a newline at the end', async () => {
    const text = line('ADDED', cart({ a: 'ü😀' }));
    const bytes = Buffer.from(text);
    const chunks = [bytes.subarray(0, 10), bytes.subarray(10, -12), bytes.subarray(-12, -1)];
    expect((await collect(world(() => ({ chunks })).client.watch(configMaps, options))).seen).toEqual([
      { type: 'ADDED', object: cart({ a: 'ü😀' }) },
    ]);
  });

  it('throws what the server reports in an ERROR line, after what came before', async () => {
    const chunks = [
      line('ADDED', cart()),
      line('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' }),
    ];
    const { seen, error } = await collect(world(() => ({ chunks })).client.watch(configMaps, options));
    expect(seen).toHaveLength(1);
    expect(isExpired(error)).toBe(true);
    expect(String(error)).toContain('watch configmaps: too old resource version (410 Expired)');
  });

  it('throws at once where it is refused, and leaves repeating to the caller', async () => {
    const { client, transport } = world(() => ({
      ...status(429, 'TooManyRequests'),
      headers: { 'retry-after': '30' },
    }));
    const { error } = await collect(client.watch(configMaps, options));
    expect(error).toMatchObject({ code: 429, retryAfterMs: 30_000 });
    expect(transport.sent).toHaveLength(1);
  });

  it('is dropped when nothing came for idleMs, and not before', async () => {
    const { client, clock, transport } = world(() => ({ chunks: [line('ADDED', cart())], thenHang: true }));
    const pending = collect(client.watch(configMaps, options));
    await clock.advance(29_999);
    expect(transport.closedEarly).toBe(0);
    await clock.advance(1);
    const { seen, error } = await pending;
    expect(seen).toHaveLength(1);
    expect(error).toMatchObject({
      kind: 'timeout',
      message: 'watch configmaps: no answer from https://north:6443 within 30000 ms',
    });
    expect(transport.closedEarly).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('is dropped when the headers do not come within the time-out', async () => {
    const { client, clock } = world(() => 'hang');
    const pending = collect(client.watch(configMaps, options));
    await clock.advance(10_000);
    expect((await pending).error).toMatchObject({ kind: 'timeout' });
  });

  it('does not count the time that the consumer takes', async () => {
    const { client, clock } = world(() => ({ chunks: [line('ADDED', cart()), line('MODIFIED', cart())] }));
    const seen: string[] = [];
    const consuming = (async () => {
      for await (const event of client.watch(configMaps, options)) {
        seen.push(event.type);
        await new Promise<void>((resolve) => void clock.after(60_000, resolve));
      }
    })();
    await clock.advance(120_000);
    await consuming;
    expect(seen).toEqual(['ADDED', 'MODIFIED']);
  });

  it('closes the connection when the consumer leaves, or aborts', async () => {
    const first = world(() => ({ chunks: [line('ADDED', cart())], thenHang: true }));
    for await (const _event of first.client.watch(configMaps, options)) break;
    await first.clock.settle();
    expect([first.transport.closedEarly, first.clock.pending]).toEqual([1, 0]);

    const second = world(() => ({ chunks: [], thenHang: true }));
    const caller = new AbortController();
    const pending = collect(second.client.watch(configMaps, { ...options, signal: caller.signal }));
    await second.clock.settle();
    const reason = new Error('stop');
    caller.abort(reason);
    expect((await pending).error).toBe(reason);
    expect([second.transport.closedEarly, second.clock.pending]).toEqual([1, 0]);
  });

  it.each([
    ['no JSON', 'hello\n', 'is not JSON'],
    ['an event without an object', '{"type":"ADDED"}\n', 'a line of the watch is not an event'],
    ['an object without metadata', line('ADDED', {}), 'has no metadata'],
    ['an unknown type', line('RENAMED', cart()), 'an unknown type of event'],
    ['a bookmark without resourceVersion', line('BOOKMARK', { metadata: {} }), 'a bookmark has no resourceVersion'],
    ['an error that is not a Status', line('ERROR', { metadata: {} }), 'is not a Status'],
    ['half a line', '{"type":"ADDED","object":{"metadata"', 'is not JSON'],
    ['a line without end', `{"type":"${'x'.repeat(5000)}`, 'a line is larger than 4096 bytes'],
  ])('that brings %s ends with an error', async (_title, text, message) => {
    const { client } = world(() => ({ chunks: [text] }), { limits: { lineBytes: 4096 } });
    const { seen, error } = await collect(client.watch(configMaps, options));
    expect(seen).toEqual([]);
    expect(error).toMatchObject({ name: 'ConnectionError', kind: 'protocol' });
    expect(String(error)).toContain(message);
  });
});

it('reports each exchange, for metrics', async () => {
  const told: Exchanged[] = [];
  const answers: readonly Answer[] = [
    { ...status(429, 'TooManyRequests'), headers: { 'retry-after': '1' } },
    { body: cart() },
    'hang',
  ];
  const { client, clock } = world((_request, index) => answers[index] ?? 'hang', {
    onExchange: (exchanged) => told.push(exchanged),
  });
  const pending = client.get(configMaps, ref);
  await clock.advance(1000);
  await pending;
  const hanging = errorOf(client.update(configMaps, { metadata: ref }));
  await clock.advance(10_000);
  await hanging;
  expect(told).toEqual([
    { verb: 'get', resource: 'configmaps', result: 429, ms: 0 },
    { verb: 'get', resource: 'configmaps', result: 200, ms: 0 },
    { verb: 'update', resource: 'configmaps', result: 'timeout', ms: 10_000 },
  ]);
});
