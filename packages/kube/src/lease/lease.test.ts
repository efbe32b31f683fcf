import { Lease, Pod, Role, RoleBinding } from '@isthmus/api';
import { seededRandom } from '@isthmus/machinery';
import { clusterAdmin } from '@isthmus/fleet-sim';
import { sweepRuns } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import type { Credentials } from '@isthmus/sandbox';
import { createClient } from '../client/create-client.ts';
import type { MemoryLog } from '../log/log.ts';
import { memoryLog } from '../log/log.ts';
import type { LeaseEnd, LeaseOptions } from './lease.ts';
import { runWithLease } from './lease.ts';
import { podIdentity } from './pod-holder.ts';
import { createTestCluster } from '../testing/cluster.ts';
import type { TestCluster } from '../testing/cluster.ts';
import type { Fate, BreakableTransport } from '../testing/breakable-transport.ts';
import { breakableTransport, SLOW_MS } from '../testing/breakable-transport.ts';

const ref = { namespace: 'shop', name: 'leader' };

interface Candidate {
  readonly transport: BreakableTransport;
  readonly log: MemoryLog;
  readonly ended: Promise<LeaseEnd>;
  readonly leads: boolean;
  readonly end: LeaseEnd | Error | undefined;
  stop(): void;
}

/**
 * A process of its own, whose work ends as soon as its signal aborts, unless `lead` does otherwise.
 */
function candidate(
  cluster: TestCluster,
  identity: string,
  lead: LeaseOptions['lead'] = untilAborted,
  user: Credentials = clusterAdmin,
): Candidate {
  const { clock, server } = cluster;
  const transport = breakableTransport(server.transport(user), clock);
  const log = memoryLog();
  const stop = new AbortController();
  let leads = false;
  let end: LeaseEnd | Error | undefined;
  const ended = runWithLease({
    client: createClient({ transport, clock }),
    ...ref,
    identity,
    clock,
    random: seededRandom(identity.length * 7 + identity.charCodeAt(0)),
    log,
    signal: stop.signal,
    async lead(signal) {
      leads = true;
      try {
        await lead(signal);
      } finally {
        leads = false;
      }
    },
  });
  ended.then(
    (how) => (end = how),
    (error: Error) => (end = error),
  );
  return {
    transport,
    log,
    ended,
    get leads() {
      return leads;
    },
    get end() {
      return end;
    },
    stop: () => stop.abort(new Error('stop')),
  };
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
const record = (cluster: TestCluster) => cluster.server.admin.get(Lease, ref)?.spec;

describe('runWithLease', () => {
  it('makes the Lease, leads and renews it each five seconds', async () => {
    await using cluster = await createTestCluster();
    const { clock } = cluster;
    const a = candidate(cluster, 'a');
    await clock.advance(60_000);
    expect(a.leads).toBe(true);
    expect(record(cluster)).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-11-21T00:00:00.000000Z',
      renewTime: '2026-11-21T00:01:00.000000Z',
      leaseTransitions: 0,
    });
    // One read, one create, one update per renewal: nothing is read while no other client
    // interferes.
    expect(a.transport.sent.map(({ method }) => method)).toEqual([
      'GET',
      'POST',
      ...Array.from({ length: 12 }, () => 'PUT'),
    ]);
    a.stop();
    await a.ended;
  });

  it('gives the Lease back when it stops, and the next one leads within 2.2 s', async () => {
    await using cluster = await createTestCluster();
    const { clock } = cluster;
    const a = candidate(cluster, 'a');
    await clock.advance(1_000);
    const b = candidate(cluster, 'b');
    await clock.advance(30_000);
    expect([a.leads, b.leads]).toEqual([true, false]);
    a.stop();
    await clock.settle();
    expect(await a.ended).toEqual({ kind: 'stopped' });
    expect(record(cluster)?.holderIdentity).toBe('');
    await clock.runUntil(() => b.leads, { limitMs: 2_200, what: 'b leads' });
    expect(record(cluster)).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    b.stop();
    await b.ended;
  });

  it('takes over from a dead holder when its duration is over, and not before', async () => {
    await using cluster = await createTestCluster();
    const { clock, server } = cluster;
    const spec = {
      holderIdentity: 'dead',
      leaseDurationSeconds: 15,
      renewTime: '2020-01-01T00:00:00.000000Z',
      leaseTransitions: 3,
    };
    server.admin.put(Lease, { metadata: ref, spec });
    const b = candidate(cluster, 'b');
    await clock.advance(14_900);
    expect(b.leads).toBe(false);
    await clock.runUntil(() => b.leads, { limitMs: 4_500, what: 'b leads' });
    expect(record(cluster)).toMatchObject({ holderIdentity: 'b', leaseTransitions: 4 });
    b.stop();
    await b.ended;
  });

  it.each<Fate>(['hang', 'refuse', 'garbage', 'lose-answer'])(
    'stops leading in time when its way to the server is broken (%s)',
    async (fate) => {
      await using cluster = await createTestCluster();
      const { clock } = cluster;
      const a = candidate(cluster, 'a');
      const b = candidate(cluster, 'b');
      await clock.advance(20_000);
      const [first, second] = a.leads ? [a, b] : [b, a];
      expect([first.leads, second.leads]).toEqual([true, false]);
      // That the other was quicker is nothing to warn of.
      expect([...a.log.entries, ...b.log.entries].map(({ level }) => level)).not.toContain('warn');
      first.transport.set(fate);
      const brokenAt = clock.monotonic();
      await clock.runUntil(() => !first.leads, { limitMs: 12_000, what: 'the first has stopped' });
      // The last successful renewal was sent up to two seconds before the break.
      expect(clock.monotonic() - brokenAt).toBeGreaterThanOrEqual(8_000);
      expect(clock.monotonic() - brokenAt).toBeLessThanOrEqual(10_000);
      expect(second.leads).toBe(false);
      await clock.settle();
      expect(first.end).toMatchObject({ kind: 'lost', why: expect.stringContaining('not renewed for 10000 ms') });
      if (fate !== 'lose-answer')
        await clock.runUntil(() => second.leads, { limitMs: 12_000, what: 'the second leads' });
      else await clock.runUntil(() => second.leads, { limitMs: 30_000, what: 'the second leads' });
      second.stop();
      await second.ended;
    },
  );

  it('counts from when a renewal was sent, not from when its answer came', async () => {
    await using cluster = await createTestCluster();
    const { clock } = cluster;
    const a = candidate(cluster, 'a');
    await clock.advance(1_000);
    a.transport.set('slow-answer');
    // Sent at 5 s, answered at 8 s; the next is sent at 10 s and lost.
    await clock.advance(SLOW_MS + 4_500);
    a.transport.set('hang');
    await clock.runUntil(() => !a.leads, { limitMs: 10_000, what: 'a has stopped' });
    expect(clock.monotonic()).toBe(15_000);
  });

  it('goes on leading over a short outage', async () => {
    await using cluster = await createTestCluster();
    const { clock } = cluster;
    let aborted = false;
    const a = candidate(cluster, 'a', async (signal) => {
      await untilAborted(signal);
      aborted = true;
    });
    await clock.advance(5_000);
    for (const fate of ['refuse', 'lose-answer', 'hang'] as const) {
      a.transport.set(fate);
      await clock.advance(3_000);
      a.transport.set('pass');
      await clock.advance(10_000);
    }
    expect([a.leads, aborted]).toEqual([true, false]);
    a.stop();
    await clock.settle();
    await a.ended;
  });

  it('stops at once when it sees that another holds the Lease', async () => {
    await using cluster = await createTestCluster();
    const { clock, server } = cluster;
    const a = candidate(cluster, 'a');
    await clock.advance(5_000);
    server.admin.patch(Lease, ref, { spec: { holderIdentity: 'usurper' } });
    await clock.advance(5_000);
    expect([a.leads, a.end]).toEqual([false, { kind: 'lost', why: 'usurper has taken it' }]);
    expect(record(cluster)?.holderIdentity).toBe('usurper');
  });

  it('creates the Lease again when somebody deletes it', async () => {
    await using cluster = await createTestCluster();
    const { clock, server } = cluster;
    const a = candidate(cluster, 'a');
    await clock.advance(5_000);
    server.admin.delete(Lease, ref);
    await clock.advance(5_000);
    expect([a.leads, record(cluster)?.holderIdentity]).toEqual([true, 'a']);
    a.stop();
    await clock.settle();
    await a.ended;
  });

  it('keeps the Lease, and renews it, until work that winds down has ended', async () => {
    await using cluster = await createTestCluster();
    const { clock } = cluster;
    const end = Promise.withResolvers<void>();
    const a = candidate(cluster, 'a', () => end.promise);
    await clock.advance(1_000);
    a.stop();
    await clock.advance(30_000);
    expect([a.end, record(cluster)?.holderIdentity]).toEqual([undefined, 'a']);
    end.resolve();
    await clock.settle();
    expect([a.end, record(cluster)?.holderIdentity]).toEqual([{ kind: 'stopped' }, '']);
  });

  it('rejects when the Lease is lost and the work goes on all the same', async () => {
    await using cluster = await createTestCluster();
    const { clock } = cluster;
    const a = candidate(cluster, 'a', () => new Promise(() => {}));
    await clock.advance(1_000);
    a.transport.set('hang');
    await clock.advance(13_999);
    expect(a.end).toBeUndefined();
    await clock.advance(1);
    expect(a.end).toMatchObject({ message: expect.stringContaining('the work did not end within 5000 ms: exit') });
  });

  it.each([
    ['ends', async () => {}, { kind: 'finished' }],
    ['throws', () => Promise.reject(new Error('bug')), new Error('bug')],
  ])('gives the Lease back when the work %s by itself', async (_, lead, expected) => {
    await using cluster = await createTestCluster();
    const a = candidate(cluster, 'a', lead);
    await cluster.clock.settle();
    expect([a.end, record(cluster)?.holderIdentity, cluster.clock.pending]).toEqual([expected, '', 0]);
  });

  it('does not leave the Lease behind when it is stopped while it takes it', async () => {
    await using cluster = await createTestCluster();
    const { clock } = cluster;
    const a = candidate(cluster, 'a');
    a.transport.set('slow-answer');
    // The write has been applied, its answer is on its way.
    await clock.advance(SLOW_MS - 500);
    expect([a.leads, record(cluster)?.holderIdentity]).toEqual([false, 'a']);
    a.transport.set('pass');
    a.stop();
    await clock.settle();
    expect([a.end, record(cluster)?.holderIdentity]).toEqual([{ kind: 'stopped' }, '']);
  });

  describe('after the process that led was killed', () => {
    const uid = '6b3f2c1a-0d4e-4f5a-8b6c-7d8e9f0a1b2c';
    const dead = podIdentity({ name: 'pod-a', uid, container: 'first' });
    const killed = (cluster: TestCluster, holderIdentity = dead) =>
      cluster.server.admin.put(Lease, {
        metadata: ref,
        spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: '2026-11-20T23:59:59.000000Z' },
      });
    /** Makes the Pod, whose container holds the Lease. */
    const killedIn = (cluster: TestCluster, phase: 'Running' | 'Failed') => {
      cluster.server.admin.put(Pod, {
        metadata: { namespace: ref.namespace, name: 'pod-a' },
        spec: { containers: [{ name: 'a', image: 'a' }] },
        status: { phase },
      });
      const made = cluster.server.admin.get(Pod, { namespace: ref.namespace, name: 'pod-a' })?.metadata.uid ?? '';
      killed(cluster, podIdentity({ name: 'pod-a', uid: made, container: 'first' }));
    };

    it('leads at once in the next container of its Pod', async () => {
      await using cluster = await createTestCluster();
      killed(cluster);
      const next = candidate(cluster, podIdentity({ name: 'pod-a', uid, container: 'second' }));
      await cluster.clock.settle();
      expect([next.leads, cluster.clock.monotonic()]).toEqual([true, 0]);
      next.stop();
      await next.ended;
    });

    it('leads at once in another Pod where its own has failed', async () => {
      await using cluster = await createTestCluster();
      killedIn(cluster, 'Failed');
      const other = candidate(cluster, 'other');
      await cluster.clock.settle();
      expect([other.leads, cluster.clock.monotonic()]).toEqual([true, 0]);
      other.stop();
      await other.ended;
    });

    it('leads within 2.2 s in a Pod that waits, from when the Pod of the killed one has failed', async () => {
      await using cluster = await createTestCluster();
      killedIn(cluster, 'Running');
      const other = candidate(cluster, 'other');
      await cluster.clock.advance(5_000);
      expect(other.leads).toBe(false);
      cluster.server.admin.patch(Pod, { namespace: ref.namespace, name: 'pod-a' }, { status: { phase: 'Failed' } });
      await cluster.clock.runUntil(() => other.leads, { limitMs: 2_200, what: 'the other leads' });
      other.stop();
      await other.ended;
    });

    /** A user who may write Leases and not read Pods, as the manifests before have it. */
    const mayLead = ({ server }: TestCluster): Credentials => {
      const metadata = { namespace: ref.namespace, name: 'leases' };
      const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }];
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User' as const, name: 'old' }];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role' as const, name: 'leases' };
      server.admin.put(Role, { metadata, rules });
      server.admin.put(RoleBinding, { metadata, subjects, roleRef });
      return { kind: 'user', user: { username: 'old', groups: ['system:authenticated'] } };
    };

    it.each([
      ['its Pod runs', (cluster: TestCluster) => killedIn(cluster, 'Running')],
      [
        'its Pod is gone, which a Pod deleted by force is while it still runs',
        (cluster: TestCluster) => killed(cluster),
      ],
      [
        'a Pod of the same name is another one',
        (cluster: TestCluster) => {
          killedIn(cluster, 'Failed');
          killed(cluster);
        },
      ],
    ])('waits for the Lease to expire where %s', async (_, prepare) => {
      await using cluster = await createTestCluster();
      prepare(cluster);
      const other = candidate(cluster, 'other');
      await cluster.clock.advance(14_900);
      expect(other.leads).toBe(false);
      await cluster.clock.runUntil(() => other.leads, { limitMs: 5_000, what: 'the other leads' });
      other.stop();
      await other.ended;
    });

    it('waits for the Lease to expire where Pods cannot be read', async () => {
      await using cluster = await createTestCluster();
      killedIn(cluster, 'Failed');
      const other = candidate(cluster, 'other', untilAborted, mayLead(cluster));
      await cluster.clock.advance(14_900);
      expect(other.leads).toBe(false);
      await cluster.clock.runUntil(() => other.leads, { limitMs: 5_000, what: 'the other leads' });
      expect(other.log.entries.filter(({ level }) => level === 'warn')).toEqual([]);
      other.stop();
      await other.ended;
    });
  });

  it('never has two who lead, and always one again, whatever happens to their ways', async () => {
    const fates: readonly Fate[] = ['hang', 'refuse', 'garbage', 'lose-answer', 'slow-answer', 'not-json'];
    const seeds = sweepRuns(6, { oneIn: 3 });
    let reigns = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const random = seededRandom(seed);
      await using cluster = await createTestCluster();
      const { clock } = cluster;
      const leading = new Set<string>();
      const current = new Map<string, Candidate>();
      const start = (name: string) => {
        const lead = async (signal: AbortSignal) => {
          reigns++;
          leading.add(name);
          if (leading.size > 1)
            throw new Error(`seed ${seed}: ${[...leading].join(' and ')} lead at ${clock.monotonic()} ms`);
          await untilAborted(signal);
          leading.delete(name);
        };
        current.set(name, candidate(cluster, name, lead));
      };
      const people = ['a', 'b', 'c'];
      const restart = () => {
        for (const name of people) {
          const end = current.get(name)?.end;
          if (end instanceof Error) throw end;
          if (end !== undefined || !current.has(name)) start(name);
        }
      };
      for (let i = 0; i < 40; i++) {
        restart();
        const broken = [...leading][0] ?? people[Math.floor(random.next() * 3)] ?? 'a';
        const mended = people[Math.floor(random.next() * 3)] ?? 'b';
        current.get(broken)?.transport.set(fates[Math.floor(random.next() * fates.length)] ?? 'hang');
        current.get(mended)?.transport.set('pass');
        await clock.advance(Math.floor(random.next() * 20_000));
      }
      for (const { transport } of current.values()) transport.set('pass');
      for (let i = 0; i < 3; i++) {
        restart();
        await clock.advance(20_000);
      }
      expect(leading.size).toBe(1);
      for (const one of current.values()) one.stop();
      await clock.advance(20_000);
    }
    expect(reigns).toBeGreaterThan(7 * seeds);
  });
});
