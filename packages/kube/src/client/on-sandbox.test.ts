import { Namespace, Service } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { clusterAdmin, createVirtualClock, grantAccess, serviceAccount, withFaults } from '@isthmus/fleet-sim';
import { createSandbox } from '@isthmus/sandbox';
import { describe, expect, it } from 'vitest';
import type { Client, WatchEvent } from './client.ts';
import { createClient } from './create-client.ts';
import {
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isGone,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isNotServed,
} from './errors.ts';
import { metadataOf } from './metadata-type.ts';

const shop = { metadata: { name: 'shop' } };
const cart: Service = { metadata: { name: 'cart', namespace: 'shop' }, spec: { ports: [{ port: 80 }] } };
const ref = { namespace: 'shop', name: 'cart' };

function start() {
  const clock = createVirtualClock({ startMs: Date.UTC(2026, 0, 1) });
  const sandbox = createSandbox({ name: 'east', clock });
  sandbox.admin.put(Namespace, shop);
  const faulty = withFaults(sandbox.transport(clusterAdmin), clock);
  return { clock, sandbox, admin: sandbox.admin, faulty, client: createClient({ transport: faulty, clock }) };
}

/** Gathers the events of a watch. */
function gather(client: Client, resourceVersion: string, signal = new AbortController().signal) {
  const events: WatchEvent<Service>[] = [];
  const state = { events, end: 'open' as unknown };
  void (async () => {
    try {
      for await (const event of client.watch(Service, { resourceVersion, timeoutSeconds: 60, idleMs: 70_000, signal }))
        events.push(event);
      state.end = 'ended';
    } catch (error) {
      state.end = error;
    }
  })();
  return state;
}

describe('the client on a sandbox, in virtual time', () => {
  it('creates, reads, changes and deletes', async () => {
    const { client, clock } = start();
    const created = await client.create(Service, cart);
    expect(created).toMatchObject({
      apiVersion: 'v1',
      kind: 'Service',
      spec: { clusterIP: expect.stringMatching(/^10\.96\./) },
    });
    expect(await client.get(Service, ref)).toEqual(created);
    const patched = await client.patch(Service, ref, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    expect((await client.list(Service, { labelSelector: 'a=b' })).items).toEqual([patched]);
    await client.update(Service, {
      ...patched,
      spec: { ...patched.spec, type: 'LoadBalancer', ports: [{ port: 81 }] },
    });
    const lb = { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } };
    const withStatus = await client.patch(
      Service,
      ref,
      { type: 'merge', body: { status: lb } },
      { subresource: 'status' },
    );
    expect(withStatus).toMatchObject({ status: lb, spec: { ports: [{ port: 81, targetPort: 81 }] } });
    await client.delete(Service, ref, { preconditions: { uid: created.metadata.uid ?? '' } });
    await expect(client.get(Service, ref)).rejects.toSatisfy(isNotFound);
    expect([clock.monotonic(), clock.pending]).toEqual([0, 0]);
  });

  it.each<readonly [string, (client: Client) => Promise<unknown>, (error: unknown) => boolean]>([
    ['a taken name', (client) => client.create(Service, cart), isAlreadyExists],
    ['a missing object', (client) => client.get(Service, { namespace: 'shop', name: 'none' }), isNotFound],
    [
      'a missing Namespace',
      (client) => client.create(Service, { ...cart, metadata: { name: 'a', namespace: 'none' } }),
      isNotFound,
    ],
    [
      'an invalid object',
      (client) => client.create(Service, { metadata: { name: 'a', namespace: 'shop' } }),
      isInvalid,
    ],
    [
      'an old resourceVersion',
      (client) => client.update(Service, { ...cart, metadata: { ...cart.metadata, resourceVersion: '1' } }),
      isConflict,
    ],
    ['another uid', (client) => client.delete(Service, ref, { preconditions: { uid: 'x' } }), isConflict],
    [
      'a kind that is not served',
      (client) => client.list({ ...Service, group: 'x.io', plural: 'things' }),
      isNotServed,
    ],
  ])('%s is an error that names its kind', async (_title, call, is) => {
    const { client } = start();
    await client.create(Service, cart);
    await expect(call(client)).rejects.toSatisfy(is);
  });

  it('is forbidden what its user may not', async () => {
    const { sandbox, clock } = start();
    const access = [{ at: 'local', type: Service, scope: 'own', verbs: ['list'] }] as const;
    const to = { kind: 'ServiceAccount', namespace: 'shop', name: 'isthmus' };
    grantAccess(sandbox.admin, { name: 'isthmus', namespace: 'shop', access, to });
    const client = createClient({ transport: sandbox.transport(serviceAccount('shop', 'isthmus')), clock });
    expect((await client.list(Service, { namespace: 'shop' })).items).toEqual([]);
    await expect(client.list(Service)).rejects.toSatisfy(isForbidden);
  });

  it('learns that a Namespace is being deleted', async () => {
    const { client, admin } = start();
    admin.put(Service, { ...cart, metadata: { ...cart.metadata, finalizers: ['x.io/f'] } });
    await client.delete(Namespace, { name: 'shop' });
    await expect(client.create(Service, { ...cart, metadata: { name: 'b', namespace: 'shop' } })).rejects.toSatisfy(
      isNamespaceTerminating,
    );
  });

  it('lists page by page, and begins again where the pages expire in between', async () => {
    const { client, admin, faulty, clock } = start();
    for (let i = 0; i < 7; i++) admin.put(Service, { ...cart, metadata: { name: `s${i}`, namespace: 'shop' } });
    let pages = 0;
    faulty.add({
      match: () => {
        // Between the second page and the third.
        if (++pages === 3) {
          admin.put(Service, { ...cart, metadata: { name: 'late', namespace: 'shop' } });
          admin.compact();
        }
        return false;
      },
      fault: { kind: 'hang' },
    });
    const { items } = await client.list(Service, { namespace: 'shop', limit: 2 });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['late', 's0', 's1', 's2', 's3', 's4', 's5', 's6']);
    expect([pages, clock.monotonic()]).toEqual([4, 0]);
  });

  it('sees metadata alone where it asks for no more', async () => {
    const { client } = start();
    await client.create(Service, cart);
    const { items } = await client.list(metadataOf(Service), { namespace: 'shop' });
    expect(items.map((item) => [item.metadata.name, Object.hasOwn(item, 'spec')])).toEqual([['cart', false]]);
  });

  it('watches: changes, bookmarks, the end, and 410 for what is forgotten', async () => {
    const { client, clock, admin } = start();
    const { resourceVersion } = await client.list(Service);
    const watch = gather(client, resourceVersion);
    await clock.settle();
    await client.create(Service, cart);
    await client.delete(Service, ref);
    await clock.advance(60_000);
    expect(watch.end).toBe('ended');
    const deleted = watch.events.flatMap((event) =>
      event.type === 'DELETED' ? [event.object.metadata.resourceVersion] : [],
    )[0];
    expect(
      watch.events.map((event) => [event.type, 'object' in event ? event.object.metadata.name : event.resourceVersion]),
    ).toEqual([
      ['ADDED', 'cart'],
      ['DELETED', 'cart'],
      ['BOOKMARK', deleted],
    ]);
    admin.compact();
    const late = gather(client, resourceVersion);
    await clock.settle();
    expect(late.end).toSatisfy(isExpired);
    expect(late.end).toSatisfy(isGone);
    expect(clock.pending).toBe(0);
  });

  it('gives up on a watch that has gone silent', async () => {
    const { client, clock, faulty } = start();
    faulty.add({ match: ({ query }) => query?.['watch'] === 'true', fault: { kind: 'stall-stream', afterLines: 1 } });
    const watch = gather(client, '3');
    await client.create(Service, cart);
    await clock.advance(69_999);
    expect([watch.events.length, watch.end]).toEqual([1, 'open']);
    await clock.advance(1);
    expect(watch.end).toBeInstanceOf(Error);
  });

  it('gives up on a call that is never answered, at its time-out', async () => {
    const { client, clock, faulty } = start();
    faulty.add({ match: () => true, fault: { kind: 'hang' } });
    let error: unknown;
    client.get(Service, ref).catch((reason: unknown) => (error = reason));
    await clock.advance(9_999);
    expect(error).toBeUndefined();
    await clock.advance(1);
    expect(String(error)).toContain('10');
    expect(clock.pending).toBe(0);
  });

  it('comes again when a 429 asks for it', async () => {
    const { client, clock, faulty } = start();
    faulty.add({ match: () => true, fault: { kind: 'status', code: 429, retryAfterSeconds: 2 }, times: 1 });
    let created: KubernetesObject | undefined;
    void client.create(Service, cart).then((object) => (created = object));
    await clock.runUntil(() => created !== undefined, { limitMs: 9_000 });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(2_000);
  });
});
