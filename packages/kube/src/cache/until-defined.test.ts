import { seededRandom } from '@isthmus/machinery';
import { putDefinition } from '@isthmus/fleet-sim';
import { expect, it } from 'vitest';
import { answer } from '../testing/breakable-transport.ts';
import type { TestCluster } from '../testing/cluster.ts';
import { createTestCluster } from '../testing/cluster.ts';
import { Thing } from '../testing/thing.ts';
import { untilDefined } from './until-defined.ts';

const Other = { ...Thing, kind: 'Other', plural: 'others' };

/** What a wait of 30 s for the kind resolved to; undefined: it still waits. */
function wait({ client, clock, log, signal }: TestCluster, plural: string) {
  const options = { client, type: { group: Thing.group, plural }, clock, random: seededRandom(1), log };
  const until = untilDefined(options);
  const start = () => {
    const found: { value: boolean | undefined } = { value: undefined };
    void until(30_000, signal).then(
      (value) => (found.value = value),
      () => {},
    );
    return found;
  };
  return { start, found: start() };
}

it('waits for hours with two requests an hour, and ends when the kind is defined', async () => {
  await using cluster = await createTestCluster();
  const { found } = wait(cluster, 'others');
  await cluster.clock.advance(60_000);
  const before = cluster.transport.sent.length;
  await cluster.clock.advance(4 * 3_600_000);
  expect(cluster.transport.sent.length - before).toBeLessThanOrEqual(4 * 2);
  expect(found.value).toBeUndefined();
  putDefinition(cluster.server, Other);
  await cluster.clock.settle();
  expect(found.value).toBe(true);
});

it('waits as long as it is asked to if the kind is defined, which may not be served yet', async () => {
  await using cluster = await createTestCluster();
  const { found } = wait(cluster, 'things');
  await cluster.clock.advance(29_000);
  expect(found.value).toBeUndefined();
  await cluster.clock.advance(1_000);
  expect(found.value).toBe(false);
});

it('waits as long as it is asked to if definitions may not be watched, and checks that once an hour', async () => {
  await using cluster = await createTestCluster();
  cluster.transport.set(() => answer(403, 'forbidden'));
  const { found, start } = wait(cluster, 'others');
  await cluster.clock.advance(30_000);
  expect(found.value).toBe(false);
  const before = cluster.transport.sent.length;
  const second = start();
  await cluster.clock.advance(30_000);
  expect([second.value, cluster.transport.sent.length]).toEqual([false, before]);
  await cluster.clock.advance(3_600_000);
  cluster.transport.set('pass');
  const third = start();
  await cluster.clock.advance(60_000);
  expect(third.value).toBeUndefined();
});
