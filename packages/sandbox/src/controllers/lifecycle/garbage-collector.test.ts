import { ConfigMap, Secret } from '@isthmus/api';
import { createClient, memoryLog, noMetrics } from '@isthmus/kube';
import { seededRandom } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import type { FaultRule } from '@isthmus/fleet-sim';
import { createVirtualClock, withFaults } from '@isthmus/fleet-sim';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admin as adminUser } from '../../authentication/authenticator.ts';
import { createSandbox } from '../../sandbox.ts';
import { createClusterControllers } from '../cluster-controllers.ts';

/** Objects 0, 1, …; each may be owned by ones before it. */
const owners = fc
  .array(fc.uniqueArray(fc.nat(7), { maxLength: 3 }), { minLength: 1, maxLength: 8 })
  .map((all) => all.map((some, index) => some.filter((owner) => owner < index)));

const policies = fc.constantFrom('Background', 'Foreground', 'Orphan');
const deletions = fc.uniqueArray(fc.record({ object: fc.nat(7), policy: policies }), {
  maxLength: 3,
  selector: ({ object }) => object,
});

/**
 * The objects that remain: those with a living owner. Orphans of a deletion lose only their
 * references.
 */
function survivors(
  graph: readonly (readonly number[])[],
  deleted: readonly { readonly object: number; readonly policy: string }[],
): readonly number[] {
  const gone = new Set<number>();
  let edges = graph;
  const collect = (): void => {
    for (const [index, some] of edges.entries()) {
      if (some.length > 0 && some.every((owner) => gone.has(owner))) gone.add(index);
      // A remaining object loses its references to deleted ones.
      edges = edges.with(index, gone.has(index) ? some : some.filter((owner) => !gone.has(owner)));
    }
  };
  for (const { object, policy } of deleted) {
    if (object >= graph.length || gone.has(object)) continue;
    gone.add(object);
    if (policy === 'Orphan') edges = edges.map((some) => some.filter((owner) => owner !== object));
    collect();
  }
  return [...graph.keys()].filter((index) => !gone.has(index));
}

/** The collector alone, at an API server of its own. */
async function startCollector() {
  const clock = createVirtualClock({ startMs: Date.parse('2026-11-21T10:00:00Z') });
  const { admin, transport } = createSandbox({ name: 'gc', clock });
  const faults = withFaults(transport({ kind: 'user', user: adminUser }), clock);
  const client = createClient({ transport: faults, clock });
  const log = memoryLog();
  const world = { clock, random: seededRandom(1), log, metrics: noMetrics };
  const stop = new AbortController();
  const run = createClusterControllers({ client, world, which: ['garbage-collector'] }).run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort(new Error('the test is over'));
    await clock.advance(20_000);
    await run;
    expect(log.entries.filter(({ level }) => level === 'error')).toEqual([]);
  };
  return { admin, clock, client, faults, end };
}

const ownerReference = ({ kind }: { readonly kind: string }, { metadata: { name, uid = '' } }: KubernetesObject) => ({
  apiVersion: 'v1',
  kind,
  name,
  uid,
  blockOwnerDeletion: true,
});

describe('the garbage collector', () => {
  it('takes away exactly what has lost all its owners, whatever the policies and the graph', async () => {
    const { admin, clock, client, end } = await startCollector();
    await clock.advance(1_000);
    const refOf = (index: number) => ({ namespace: 'default', name: `o${index}` });

    await fc.assert(
      fc.asyncProperty(owners, deletions, async (graph, deleted) => {
        for (const [index, some] of graph.entries()) {
          const ownerReferences = some.flatMap((owner) => {
            const found = admin.get(ConfigMap, refOf(owner));
            return found === undefined ? [] : [ownerReference(ConfigMap, found)];
          });
          admin.put(ConfigMap, { metadata: { ...refOf(index), ownerReferences } });
        }
        await clock.advance(1_000);
        for (const { object, policy } of deleted) {
          const propagationPolicy = policy as 'Background';
          const answer = client.delete(ConfigMap, refOf(object), { propagationPolicy });
          answer.catch(() => {});
          await clock.advance(1_000);
        }
        const left = admin.list(ConfigMap, 'default').map(({ metadata }) => metadata.name);
        expect(left).toEqual(survivors(graph, deleted).map((index) => `o${index}`));
        for (const name of left) admin.remove(ConfigMap, { namespace: 'default', name });
        await clock.advance(1_000);
      }),
      { numRuns: 60, seed: 3 },
    );
    await end();
  });

  it('takes an owner that was replaced by another of its name for gone', async () => {
    const { admin, clock, end } = await startCollector();
    await clock.advance(1_000);
    const first = admin.put(ConfigMap, { metadata: { name: 'owner', namespace: 'default' } });
    admin.remove(ConfigMap, { name: 'owner', namespace: 'default' });
    admin.put(ConfigMap, { metadata: { name: 'owner', namespace: 'default' } });
    const ownerReferences = [ownerReference(ConfigMap, first)];
    admin.put(ConfigMap, { metadata: { name: 'owned', namespace: 'default', ownerReferences } });
    await clock.advance(1_000);
    expect(admin.list(ConfigMap, 'default').map(({ metadata }) => metadata.name)).toEqual(['owner']);
    await end();
  });

  it('deletes nothing for an owner that its watch has not reported yet', async () => {
    const { admin, clock, faults, end } = await startCollector();
    const isWatchOfSecrets: FaultRule['match'] = ({ path, query }) =>
      path.endsWith('/secrets') && query?.['watch'] === 'true';
    faults.add({ match: isWatchOfSecrets, fault: { kind: 'stall-stream', afterLines: 0 } });
    await clock.advance(1_000);
    const owner = admin.put(Secret, { metadata: { name: 'owner', namespace: 'default' } });
    const ownerReferences = [ownerReference(Secret, owner)];
    admin.put(ConfigMap, { metadata: { name: 'owned', namespace: 'default', ownerReferences } });
    await clock.advance(1_000);
    expect(admin.list(ConfigMap, 'default').map(({ metadata }) => metadata.name)).toEqual(['owned']);
    await end();
  });
});
