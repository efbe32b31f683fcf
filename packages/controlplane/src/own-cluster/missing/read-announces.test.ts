import { Annotation, MemberClusterAnnounce, Namespace } from '@isthmus/api';
import { clusterAdmin, createVirtualClock, definitions } from '@isthmus/fleet-sim';
import type { Transport } from '@isthmus/kube';
import { createClient } from '@isthmus/kube';
import { createSandbox } from '@isthmus/sandbox';
import { expect, it } from 'vitest';
import { createBeats } from '../../loss/beats.ts';
import type { LeaderSession } from '../leader-session.ts';
import { createReadAnnounces } from './read-announces.ts';

const namespace = 'area';
const { signal } = new AbortController();
const never = Number.NEGATIVE_INFINITY;

/** A member that reads the announcements of a leader, and how often it has asked. */
async function member() {
  const clock = createVirtualClock({ startMs: Date.parse('2026-01-01T00:00:00Z') });
  const server = createSandbox({ name: 'north', clock, image: await definitions.ours() });
  server.admin.put(Namespace, { metadata: { name: namespace } });
  const inner = server.transport(clusterAdmin);
  const world = { asked: 0, isAway: false };
  const transport: Transport = {
    send(...call) {
      world.asked++;
      return world.isAway ? Promise.reject(new Error('connect ECONNREFUSED')) : inner.send(...call);
    },
    close: () => inner.close(),
  };
  const session = { client: createClient({ transport, clock }), spec: { leaderNamespace: namespace } } as LeaderSession;
  const beats = createBeats(clock);
  const beat = (time: string) =>
    server.admin.put(MemberClusterAnnounce, {
      metadata: { namespace, name: 'member-announce-from-west', annotations: { [Annotation.touchTs]: time } },
      clusterID: 'west',
      clusterSetID: 'shop',
      leaderClusterID: 'north',
    });
  return { clock, world, beats, beat, read: createReadAnnounces(session, beats, clock) };
}

it('announcements are read again where what was read is older than half of the time between two looks', async () => {
  const { clock, world, read } = await member();
  await read(never, signal);
  expect(world.asked).toBe(1);
  await clock.advance(2_499);
  await read(never, signal);
  expect(world.asked).toBe(1);
  await clock.advance(1);
  await read(never, signal);
  expect(world.asked).toBe(2);
});

it('announcements are read again where what was read is from before the moment that counts', async () => {
  const { clock, world, read } = await member();
  await read(never, signal);
  const fromMs = clock.monotonic();
  await read(fromMs, signal);
  expect(world.asked).toBe(1);
  await clock.advance(10);
  await read(fromMs + 10, signal);
  expect(world.asked).toBe(2);
});

it('all that ask at one time share a reading, and hear of it what members state', async () => {
  const { clock, world, beats, beat, read } = await member();
  beat('1');
  await Promise.all([read(never, signal), read(never, signal)]);
  expect(world.asked).toBe(1);
  expect(beats.marks('west')).toBe(false);
  beat('2');
  await clock.advance(10_000);
  await read(never, signal);
  await clock.advance(700);
  expect(beats.connectedMs(['west'])).toBe(700);
});

it('a reading that failed is repeated by the next who asks', async () => {
  const { clock, world, read } = await member();
  world.isAway = true;
  const failed = expect(read(never, signal)).rejects.toThrow('ECONNREFUSED');
  await clock.advance(60_000);
  await failed;
  world.isAway = false;
  const before = world.asked;
  await read(never, signal);
  expect(world.asked).toBe(before + 1);
});
