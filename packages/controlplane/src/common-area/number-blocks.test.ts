import { Annotation, ClusterSet, Namespace, ResourceExport, ResourceImport } from '@isthmus/api';
import { createClient, createEventRecorder, memoryLog, noMetrics } from '@isthmus/kube';
import { conditionOf, seededRandom } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import { clusterAdmin, createVirtualClock, definitions } from '@isthmus/fleet-sim';
import { leaderAdmission } from '@isthmus/install';
import type { ExportGroup } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { createLeader } from '../leader/leader.ts';
import { defineExchange } from '../define-exchange.ts';

const namespace = 'antrea-multicluster';
const clusterSet = { namespace, name: 'fleet' };
const keys = (object: ResourceExport | ResourceImport) =>
  object.spec?.kind === 'LabelIdentity' ? [object.metadata.name] : [];

/** Each export gets a number. An export that is gone returns it. */
const numbered = (last: number) =>
  defineExchange({
    name: 'Ticket',
    docs: 'Numbers.',
    statuses: [],
    leader: {
      controller: 'tickets',
      exportKeys: keys,
      importKeys: keys,
      importNames: (key) => [key],
      sources: ({ metadata }) => ({ by: 'name', name: metadata.name }),
      numbers: ({ spec }) => (spec?.labelIdentity?.id === undefined ? [] : [spec.labelIdentity.id]),
      allocates: { first: 1, last, needs: ({ exports, imports }) => exports.length > 0 && imports.length === 0 },
      decide: ({ exports, imports, free }: ExportGroup) => ({
        wanted:
          imports.length === 0 && typeof free === 'number'
            ? exports.map(({ metadata: { name } }) => ({
                metadata: { name },
                spec: { kind: 'LabelIdentity', labelIdentity: { id: free } },
              }))
            : [],
        unwanted: exports.length === 0 ? imports : [],
        statuses: [],
        released: [],
        incomplete: [],
        wait: free === 'exhausted' ? { forMs: 1_000, why: 'exhausted' } : undefined,
      }),
    },
    member: {
      access: [],
      importKinds: [],
      importKeys: keys,
      join: () => ({ exporters: () => [], importers: () => [], keepers: () => [], imported: [] }),
    },
  });

async function run(last: number) {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const server = createSandbox({ name: 'north', clock, image: await definitions.ours() });
  const { admin } = server;
  admin.put(Namespace, { metadata: { name: namespace } });
  admin.put(ClusterSet, {
    metadata: clusterSet,
    spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace },
  });
  let starts = 0;
  return {
    admin,
    clock,
    /** Starts one more process. Returns a function that ends it. */
    start() {
      const end = new AbortController();
      const { signal } = end;
      const world = { clock, random: seededRandom(++starts), log: memoryLog(), metrics: noMetrics };
      const client = createClient({ transport: server.transport(clusterAdmin), clock, server: 'north' });
      const events = createEventRecorder({ ...world, client, component: 'leader', instance: `${starts}`, signal });
      const leader = createLeader({
        client,
        namespace,
        version: '1',
        events,
        world,
        exchanges: [numbered(last)],
        admission: leaderAdmission({ client, namespace, world }),
      });
      void leader.run(signal);
      return () => end.abort(new Error('ended'));
    },
    put(name: string) {
      admin.put(ResourceExport, { metadata: { name, namespace }, spec: { kind: 'LabelIdentity', clusterID: 'east' } });
    },
    drop: (name: string) => admin.delete(ResourceExport, { name, namespace }),
    numbers: () =>
      Object.fromEntries(
        admin.list(ResourceImport, namespace).map(({ metadata, spec }) => [metadata.name, spec?.labelIdentity?.id]),
      ),
    until: (what: string, predicate: () => boolean) => clock.runUntil(predicate, { limitMs: 60_000, what }),
  };
}

describe('numbers that a leader gives away', () => {
  it('are given once each by two leaders that run at once, and noted before they are used', async () => {
    const area = await run(10_000);
    const ends = [area.start(), area.start()];
    await area.clock.advance(1_000);
    for (let index = 0; index < 60; index++) area.put(`ticket-${index}`);
    await area.until('all have numbers', () => Object.keys(area.numbers()).length === 60);
    const given = Object.values(area.numbers()).map(Number);
    expect(new Set(given).size).toBe(60);
    const noted = area.admin.get(ClusterSet, clusterSet)?.metadata.annotations?.[Annotation.nextNumbers];
    expect(Number(noted?.replace('Ticket=', ''))).toBeGreaterThan(Math.max(...given));
    ends.forEach((end) => end());
    await area.clock.settle();
  });

  it('begin behind those that are published where the note was lost, and come back only after all others', async () => {
    const area = await run(10_000);
    let end = area.start();
    area.put('a');
    area.put('b');
    await area.until('given', () => Object.keys(area.numbers()).length === 2);
    const before = area.numbers();
    end();
    const found = area.admin.get(ClusterSet, clusterSet);
    area.admin.put(ClusterSet, {
      ...found,
      metadata: { ...found?.metadata, name: 'fleet', annotations: { [Annotation.nextNumbers]: 'Ticket=none,x' } },
    });
    area.drop('a');
    end = area.start();
    await area.until('gone', () => Object.keys(area.numbers()).length === 1);
    area.put('c');
    await area.until('given again', () => Object.keys(area.numbers()).length === 2);
    expect(area.numbers()['b']).toBe(before['b']);
    expect(Number(area.numbers()['c'])).toBeGreaterThan(Math.max(Number(before['a']), Number(before['b'])) - 1);
    end();
    await area.clock.settle();
  });

  it('run out, which the ClusterSet reports, and those that become free are given again', async () => {
    const area = await run(3);
    const end = area.start();
    for (const name of ['a', 'b', 'c', 'd']) area.put(name);
    await area.until('three are given', () => Object.keys(area.numbers()).length === 3);
    await area.clock.advance(10_000);
    expect(new Set(Object.values(area.numbers()))).toEqual(new Set([1, 2, 3]));
    const reported = () => conditionOf(area.admin.get(ClusterSet, clusterSet)?.status?.conditions, 'NumbersExhausted');
    expect(reported()).toMatchObject({ status: 'True', reason: 'NumbersExhausted' });
    const [first = ''] = Object.keys(area.numbers());
    area.drop(first);
    await area.until(
      'the fourth has one',
      () => Object.keys(area.numbers()).length === 3 && !(first in area.numbers()),
    );
    expect(new Set(Object.values(area.numbers()))).toEqual(new Set([1, 2, 3]));
    await area.until('it is not reported any more', () => reported() === undefined);
    end();
    await area.clock.settle();
  });
});
