import { Annotation, CustomResourceDefinition, ServiceExport } from '@isthmus/api';
import type { ClusterSet, ResourceExport } from '@isthmus/api';
import { clusterAdmin, createVirtualClock, definitions } from '@isthmus/fleet-sim';
import type { ReadCache, ReconcileContext, Transport } from '@isthmus/kube';
import { again, createClient, memoryLog } from '@isthmus/kube';
import { resourceNameOf, rfc3339 } from '@isthmus/machinery';
import { createSandbox } from '@isthmus/sandbox';
import { describe, expect, it } from 'vitest';
import { createHeld } from '../../loss/held.ts';
import type { OwnCluster } from '../own-cluster.ts';
import { createMissingSources, missingSourcesAccess } from './missing-sources.ts';

const definition = resourceNameOf(ServiceExport);
const startMs = Date.parse('2026-01-02T00:00:00Z');
const dayMs = 86_400_000;
const held = again(60_000, `${definition} was deleted`);

/** A member that exported things for ServiceExports. */
async function member({
  credentials = clusterAdmin,
}: { readonly credentials?: Parameters<ReturnType<typeof createSandbox>['transport']>[0] } = {}) {
  const clock = createVirtualClock({ startMs });
  const server = createSandbox({ name: 'east', clock, image: await definitions.ours() });
  const inner = server.transport(credentials);
  const world = {
    asked: 0,
    isAway: false,
    served: { metadata: { namespace: 'isthmus', name: 'shop' } } as ClusterSet | undefined,
  };
  const transport: Transport = {
    send(...call) {
      world.asked++;
      return world.isAway ? Promise.reject(new Error('connect ECONNREFUSED')) : inner.send(...call);
    },
    close: () => inner.close(),
  };
  const heldExports = createHeld(clock);
  const reported: string[] = [];
  const wakers: ((change: { after: ClusterSet }) => void)[] = [];
  const cache = {
    synced: true,
    whenSynced: () => Promise.resolve(),
    list: () => [],
    subscribe: (listener: (typeof wakers)[number]) => {
      wakers.push(listener);
      return () => {};
    },
  } as unknown as ReadCache<ClusterSet>;
  const own = {
    client: createClient({ transport, clock }),
    heldExports,
    world: { clock },
    clusterSets: { cache },
    served: () => world.served,
    events: { report: (_: object, __: object, { message }: { message: string }) => void reported.push(message) },
  } as unknown as OwnCluster;
  const log = memoryLog();
  const context = { signal: new AbortController().signal, log } as unknown as ReconcileContext;
  heldExports.hold({ exchange: definition, key: 'of an earlier start', clusterID: '' });
  const sources = createMissingSources(own, ServiceExport);
  /** Something that was exported at this time, before the member started by default. */
  const exported = (createdMs: number | undefined = startMs - dayMs): ResourceExport => ({
    metadata: { name: 'a', creationTimestamp: createdMs === undefined ? undefined : rfc3339(createdMs) },
  });
  const doubt = (key: string, ...all: readonly ResourceExport[]) =>
    sources.doubt(key, all.length === 0 ? [exported()] : all, context);
  const ref = { name: definition };
  const crd = server.admin.get(CustomResourceDefinition, ref);
  if (crd === undefined) throw new Error(`${definition} is not served`);
  const undefine = () => server.admin.delete(CustomResourceDefinition, ref);
  const define = () => {
    const { name, labels, annotations } = crd.metadata;
    server.admin.put(CustomResourceDefinition, { ...crd, metadata: { name, labels, annotations } });
  };
  const allow = () => {
    const until = rfc3339(clock.now() + 60_000);
    world.served = {
      metadata: { namespace: 'isthmus', name: 'shop', annotations: { [Annotation.allowRemovalsUntil]: until } },
    };
  };
  const keys = () => heldExports.keys(definition);
  return {
    clock,
    server,
    world,
    sources,
    exported,
    doubt,
    undefine,
    define,
    allow,
    keys,
    reported,
    log,
    wakers,
    heldExports,
  };
}

describe('what was exported for an object that is missing', () => {
  it('stays while the definition is gone, and goes where it is there', async () => {
    const { doubt, undefine, keys, reported, log, exported } = await member();
    expect(keys()).toEqual([]);
    expect(await doubt('cart', exported(startMs + 60_000))).toBeUndefined();
    undefine();
    expect(await doubt('cart')).toEqual(held);
    expect(await doubt('till')).toEqual(held);
    expect(keys()).toEqual(['cart', 'till']);
    expect(reported).toEqual([expect.stringContaining(`CustomResourceDefinition ${definition} was deleted`)]);
    expect(log.entries).toHaveLength(1);
  });

  it('stays for a day after the definition came back without it', async () => {
    const { clock, doubt, define, undefine, keys, exported } = await member();
    undefine();
    await clock.advance(1_000);
    define();
    await clock.advance(dayMs - 1_000);
    expect(await doubt('cart')).toEqual(held);
    expect(await doubt('later', exported(startMs + 60_000))).toBeUndefined();
    await clock.advance(1_000);
    expect(await doubt('cart')).toBeUndefined();
    expect(keys()).toEqual([]);
  });

  it('is as old as the newest object that was seen, or else as the oldest export', async () => {
    const { doubt, sources, exported } = await member();
    const seen = (createdMs: number) => ({ metadata: { name: 'a', creationTimestamp: rfc3339(createdMs) } });
    const [before, after] = [startMs - 60_000, startMs + 60_000];
    sources.found('seen', seen(after));
    sources.found('seen', seen(before));
    expect(await doubt('seen', exported(before))).toBeUndefined();
    // It is forgotten with what was exported for it.
    expect(await doubt('seen', exported(before))).toEqual(held);
    expect(await doubt('several', exported(after), exported(before))).toEqual(held);
    expect(await doubt('unknown', { metadata: { name: 'a' } })).toBeUndefined();
  });

  it('is held no more once its object is found', async () => {
    const { doubt, undefine, sources, keys } = await member();
    undefine();
    await doubt('cart');
    sources.found('cart', { metadata: { name: 'a' } });
    expect(keys()).toEqual([]);
  });

  it('goes where nothing was exported, or where a person allows it', async () => {
    const { sources, doubt, undefine, allow, keys, world } = await member();
    undefine();
    const context = { signal: new AbortController().signal } as ReconcileContext;
    expect([await sources.doubt('cart', [], context), world.asked]).toEqual([undefined, 0]);
    expect(await doubt('cart')).toEqual(held);
    allow();
    expect(await doubt('cart')).toBeUndefined();
    expect(keys()).toEqual([]);
  });

  it('wakes when a person allows the removal, and not before', async () => {
    const { sources, doubt, undefine, allow, wakers } = await member();
    undefine();
    await doubt('cart');
    const woken: string[] = [];
    for (const source of sources.sources)
      source.start(
        (key) => void woken.push(key),
        () => {},
      );
    const wake = () => wakers.forEach((waker) => waker({ after: { metadata: { name: 'shop' } } }));
    wake();
    expect(woken).toEqual([]);
    allow();
    wake();
    expect(woken).toEqual(['cart']);
  });

  it('is reported only where there is a ClusterSet', async () => {
    const { doubt, undefine, world, reported, log } = await member();
    world.served = undefined;
    undefine();
    expect(await doubt('cart')).toEqual(held);
    expect([reported.length, log.entries.length]).toEqual([0, 1]);
  });

  it('goes where the member may not ask for the definition, and is asked for again where nobody answers', async () => {
    const forbidden = await member({ credentials: { kind: 'none' } });
    forbidden.undefine();
    expect(await forbidden.doubt('cart')).toBeUndefined();
    const away = await member();
    away.world.isAway = true;
    const failed = expect(away.doubt('cart')).rejects.toThrow('ECONNREFUSED');
    await away.clock.advance(60_000);
    await failed;
    away.world.isAway = false;
    expect(await away.doubt('cart')).toEqual(held);
  });

  it('is asked for once by all that ask while an earlier question is under way', async () => {
    const { doubt, undefine, world } = await member();
    undefine();
    await Promise.all(['a', 'b', 'c', 'd'].map((key) => doubt(key)));
    expect(world.asked).toBeLessThanOrEqual(2);
    const before = world.asked;
    await doubt('e');
    expect(world.asked).toBe(before + 1);
  });
});

it('a member may ask for the one definition alone', () => {
  expect(missingSourcesAccess(ServiceExport)).toMatchObject({
    at: 'local',
    scope: 'all',
    verbs: ['get'],
    resourceNames: [definition],
    optional: true,
  });
});
