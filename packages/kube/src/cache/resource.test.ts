import { describe, expect, it } from 'vitest';
import type { TestCluster } from '../testing/cluster.ts';
import { answer } from '../testing/breakable-transport.ts';
import { createTestCluster } from '../testing/cluster.ts';
import { Thing } from '../testing/thing.ts';
import { resourceOf } from './resource.ts';

const ref = { namespace: 'shop', name: 'cart' };
const signal = new AbortController().signal;

async function withCart(cluster: TestCluster) {
  cluster.server.admin.put<Thing>(Thing, { metadata: ref, spec: { size: 1 } });
  const cache = cluster.cache();
  await cluster.clock.settle();
  const cart = cache.get(ref);
  if (cart === undefined) throw new Error('the cache has no cart');
  return { cache, cart, things: resourceOf(Thing, cache, cluster.client) };
}

describe('a resource', () => {
  it('deletes the object that the caller saw, and not another one that has taken its name since', async () => {
    await using cluster = await createTestCluster();
    const { cache, cart, things } = await withCart(cluster);
    cluster.server.admin.remove(Thing, ref);
    const successor = cluster.server.admin.put<Thing>(Thing, { metadata: ref, spec: { size: 2 } });
    await things.delete(cart, signal);
    expect(cluster.server.admin.get(Thing, ref)).toEqual(successor);
    await cluster.clock.settle();
    expect(cache.get(ref)?.spec).toEqual({ size: 2 });
  });

  it('lists again when a write is answered with a kind that is not served', async () => {
    await using cluster = await createTestCluster();
    const { cache, things } = await withCart(cluster);
    cluster.transport.set(({ method, query }) =>
      method === 'POST' || (method === 'GET' && query?.['watch'] !== 'true') ? answer(404, '404 page') : undefined,
    );
    expect(cache.state.kind).toBe('watching');
    await expect(things.create({ metadata: { name: 'a', namespace: 'shop' } }, signal)).rejects.toThrow('404');
    await cluster.clock.settle();
    expect(cache.state).toMatchObject({ kind: 'failing', code: 404 });
    expect(cache.get(ref)).toBeDefined();
  });

  it('has deleted what is not there any more', async () => {
    await using cluster = await createTestCluster();
    const { cache, cart, things } = await withCart(cluster);
    cluster.server.admin.remove(Thing, ref);
    await things.delete(cart, signal);
    expect(cache.get(ref)).toBeUndefined();
  });

  it('shows an object that a finalizer holds as being deleted, at once', async () => {
    await using cluster = await createTestCluster();
    const { cache, cart, things } = await withCart(cluster);
    const held = await things.change(cart, { ...cart, metadata: { ...cart.metadata, finalizers: ['a.b/c'] } }, signal);
    await things.delete(held, signal);
    expect(cache.get(ref)?.metadata.deletionTimestamp).toBeDefined();
  });

  it('sends no second deletion while a finalizer holds the object', async () => {
    await using cluster = await createTestCluster();
    const { cache, cart, things } = await withCart(cluster);
    const held = await things.change(cart, { ...cart, metadata: { ...cart.metadata, finalizers: ['a.b/c'] } }, signal);
    await things.delete(held, signal);
    cluster.transport.set('refuse');
    const left = cache.get(ref);
    if (left !== undefined) await things.delete(left, signal);
    expect(cache.get(ref)).toBe(left);
  });

  it('passes on that the server does not let it delete', async () => {
    await using cluster = await createTestCluster();
    const { cache, cart, things } = await withCart(cluster);
    cluster.transport.set('refuse');
    await expect(things.delete(cart, signal)).rejects.toThrow('ECONNREFUSED');
    expect(cache.get(ref)).toBe(cart);
  });

  it('shows in its cache what it wrote and deleted, before the watch has reported it', async () => {
    await using cluster = await createTestCluster();
    const { cache, cart, things } = await withCart(cluster);
    cluster.transport.set(({ query }) => (query?.['watch'] === 'true' ? answer(200, '') : undefined));
    cluster.transport.breakOpen();
    await cluster.clock.settle();
    const changed = await things.change(cart, { ...cart, spec: { size: 3 } }, signal);
    expect(cache.get(ref)).toMatchObject({
      metadata: { resourceVersion: changed.metadata.resourceVersion },
      spec: { size: 3 },
    });
    const other = await things.create({ metadata: { namespace: 'shop', name: 'other' } }, signal);
    expect(cache.getByKey('shop/other')?.metadata.uid).toBe(other.metadata.uid);
    await things.delete(other, signal);
    expect(cache.getByKey('shop/other')).toBeUndefined();
    await things.delete(changed, signal);
    expect(cache.list()).toEqual([]);
  });

  it('forgets at once what somebody else had deleted before it', async () => {
    await using cluster = await createTestCluster();
    const { cache, cart, things } = await withCart(cluster);
    cluster.transport.set(({ query }) => (query?.['watch'] === 'true' ? answer(200, '') : undefined));
    cluster.transport.breakOpen();
    await cluster.clock.settle();
    cluster.server.admin.remove(Thing, ref);
    await things.delete(cart, signal);
    expect(cache.list()).toEqual([]);
  });

  it.each(['change', 'changeStatus'] as const)(
    'believes that an object is gone when a %s finds it missing, and creates it again',
    async (verb) => {
      await using cluster = await createTestCluster();
      const { cache, cart, things } = await withCart(cluster);
      cluster.transport.set('hang-watches');
      cluster.transport.breakOpen();
      await cluster.clock.advance(1_000);
      cluster.server.admin.remove(Thing, ref);
      const write =
        verb === 'change'
          ? things.change(cart, { ...cart, spec: { size: 3 } }, signal)
          : things.changeStatus(cart, { ready: true }, signal);
      await expect(write).rejects.toThrow('404');
      expect(cache.get(ref)).toBeUndefined();
      await things.create({ metadata: ref, spec: { size: 3 } }, signal);
      expect(cache.get(ref)?.spec).toEqual({ size: 3 });
    },
  );

  it('keeps an object that is there although a write was answered that it is not', async () => {
    await using cluster = await createTestCluster();
    const { cache, cart, things } = await withCart(cluster);
    cluster.transport.set(({ method }) => (method === 'PATCH' ? answer(404, '') : undefined));
    await expect(things.change(cart, { ...cart, spec: { size: 3 } }, signal)).rejects.toThrow('404');
    expect(cache.get(ref)).toBe(cart);
  });

  it('changes only what differs, and only in the object as the caller saw it', async () => {
    await using cluster = await createTestCluster();
    const { cart, things } = await withCart(cluster);
    expect(await things.change(cart, { ...cart, metadata: { ...cart.metadata, labels: {} } }, signal)).toBe(cart);
    const sent = cluster.transport.sent.length;
    await things.change(cart, { ...cart, spec: { size: 3 } }, signal);
    const { resourceVersion } = cart.metadata;
    expect(JSON.parse(String(cluster.transport.sent[sent]?.body))).toEqual({
      metadata: { resourceVersion },
      spec: { size: 3 },
    });
    await expect(things.change(cart, { ...cart, spec: { size: 4 } }, signal)).rejects.toThrow('409');
  });
});
