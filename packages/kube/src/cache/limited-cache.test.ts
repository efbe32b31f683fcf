import { describe, expect, it } from 'vitest';
import type { TestCluster } from '../testing/cluster.ts';
import { createTestCluster } from '../testing/cluster.ts';
import { Thing } from '../testing/thing.ts';
import type { CacheLimits } from './limited-cache.ts';
import { isReduced } from './limited-cache.ts';

const served = { ...Thing, statusSubresource: false };
const text = 'x'.repeat(1_000);
const limits: CacheLimits<Thing> = {
  objects: 3,
  bytes: 1_000_000,
  allBytes: 1_000_000,
  ownerOf: ({ metadata }) => metadata.labels?.['owner'] ?? '',
  reduce: ({ metadata: { name, namespace, resourceVersion, uid } }) => ({
    metadata: { name, namespace, resourceVersion, uid },
  }),
};
const put = (cluster: TestCluster, name: string, owner = 'east', size = 0) =>
  cluster.server.admin.put<Thing>(served, {
    metadata: { name, namespace: 'shop', labels: { owner }, annotations: { text } },
    spec: { size },
  });
const remove = (cluster: TestCluster, name: string) => cluster.server.admin.delete(served, { namespace: 'shop', name });
const held = (things: readonly Thing[]) =>
  things.map((object) => `${object.metadata.name}${isReduced(object) ? ' reduced' : ''}`);

describe('a cache with limits', () => {
  it.each([
    ['a list', true],
    ['the watch', false],
  ])('holds reduced what is over them, by %s, and names the owner', async (_, isListed) => {
    await using cluster = await createTestCluster();
    const putAll = () => ['a', 'b', 'c', 'd', 'e'].forEach((name) => put(cluster, name));
    if (isListed) putAll();
    const cache = cluster.cache({ limits });
    let told = 0;
    cache.onOverLimits(() => void told++);
    await cluster.clock.settle();
    if (!isListed) putAll();
    put(cluster, 'f', 'west');
    await cluster.clock.advance(3_000);
    expect(held(cache.list())).toEqual(['a', 'b', 'c', 'd reduced', 'e reduced', 'f']);
    expect(JSON.stringify(cache.list()).length).toBeLessThan(4 * 1_500 + 2 * 300);
    expect(cache.overLimits()).toMatchObject([{ owner: 'east', objects: 5, objectsOver: 2 }]);
    expect(told).toBe(1);
  });

  it('reads again what fits when something older goes', async () => {
    await using cluster = await createTestCluster();
    ['a', 'b', 'c', 'd', 'e'].forEach((name) => put(cluster, name));
    const cache = cluster.cache({ limits });
    await cluster.clock.settle();
    remove(cluster, 'b');
    remove(cluster, 'e');
    await cluster.clock.advance(29_000);
    expect(held(cache.list())).toEqual(['a', 'c', 'd reduced']);
    await cluster.clock.advance(3_000);
    expect(held(cache.list())).toEqual(['a', 'c', 'd']);
    expect(cache.overLimits()).toEqual([]);
  });

  it('follows changes and our own writes of what is reduced', async () => {
    await using cluster = await createTestCluster();
    ['a', 'b', 'c', 'd'].forEach((name) => put(cluster, name));
    const cache = cluster.cache({ limits });
    await cluster.clock.settle();
    const last = () => cache.get({ namespace: 'shop', name: 'd' });
    const before = last()?.metadata.resourceVersion;
    put(cluster, 'd', 'east', 5);
    await cluster.clock.settle();
    expect(last()?.metadata.resourceVersion).not.toBe(before);
    const answer = await cluster.client.patch(
      served,
      { namespace: 'shop', name: 'd' },
      { type: 'merge', body: { spec: { size: 6 } } },
    );
    cache.wrote(answer);
    expect([last()?.metadata.resourceVersion, held(cache.list()).at(-1)]).toEqual([
      answer.metadata.resourceVersion,
      'd reduced',
    ]);
  });
});
