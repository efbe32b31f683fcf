import type { KnownCluster } from '@isthmus/api';
import type { CacheState } from '@isthmus/kube';
import { createVirtualClock } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { grantsFrom } from './grants.ts';

const clock = createVirtualClock({ startMs: 1_000_000 });
const east: KnownCluster = {
  metadata: { name: 'east', namespace: 'mc' },
  spec: { clusterID: 'east', state: 'Refused' },
};
const failing = (code: number, forMs: number): CacheState => {
  const sinceMs = clock.now() - forMs;
  return { kind: 'failing', why: 'x', sinceMs, code, codeSinceMs: sinceMs };
};

/** A cache of KnownClusters in this state, with what its listeners are. */
function cacheIn(state: CacheState, { synced = true, objects = [] as readonly KnownCluster[] } = {}) {
  const stateListeners = new Set<(state: CacheState) => void>();
  const changeListeners = new Set<Parameters<Parameters<typeof grantsFrom>[0]['subscribe']>[0]>();
  return {
    state,
    synced,
    getByKey: (key: string) => objects.find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key),
    whenSynced: (signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (synced) resolve();
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
    onState(listener: (state: CacheState) => void) {
      stateListeners.add(listener);
      return () => void stateListeners.delete(listener);
    },
    subscribe(listener: Parameters<Parameters<typeof grantsFrom>[0]['subscribe']>[0]) {
      changeListeners.add(listener);
      return () => void changeListeners.delete(listener);
    },
    stateListeners,
    changeListeners,
  };
}
const grants = (cache: ReturnType<typeof cacheIn>, unknownClusters: 'Observe' | 'Hold' = 'Observe') =>
  grantsFrom(cache, { namespace: 'mc', unknownClusters, clock });

describe('the grant of a cluster', () => {
  const watching: CacheState = { kind: 'watching' };

  it.each<[string, CacheState, boolean, 'Observe' | 'Hold', string]>([
    ['that is not known is without limits', watching, true, 'Observe', 'Accepted'],
    ['that is not known is held where unknown clusters are', watching, true, 'Hold', 'Held'],
    ['is held before grants are read', { kind: 'listing' }, false, 'Observe', 'Held'],
    ['is held while an API server that starts lacks the kind', failing(404, 1_000), false, 'Observe', 'Held'],
    ['is held while an API server that starts denies it', failing(403, 4_999), false, 'Observe', 'Held'],
    ['is held while the API server fails otherwise', failing(500, 60_000), false, 'Observe', 'Held'],
    ['is without limits where the kind was never there', failing(404, 5_000), false, 'Observe', 'Accepted'],
    ['is without limits where it was never readable', failing(403, 5_000), false, 'Observe', 'Accepted'],
    ['is held where unknown clusters are, and the kind was never there', failing(404, 5_000), false, 'Hold', 'Held'],
    ['is held when the kind is gone', failing(404, 0), true, 'Observe', 'Held'],
    ['that is not known is without limits while a watch is broken', failing(503, 60_000), true, 'Observe', 'Accepted'],
  ])('%s', (_what, state, synced, unknownClusters, expected) => {
    expect(grants(cacheIn(state, { synced }), unknownClusters).of('east').state).toBe(expected);
  });

  it('is the one that was read, whatever became of the kind', () => {
    const all = grants(cacheIn(failing(404, 60_000), { objects: [east] }));
    expect(all.of('east').state).toBe('Refused');
    expect(all.of('west').state).toBe('Held');
  });
});

describe('whether clusters are judged', () => {
  it.each<[string, CacheState, boolean, boolean]>([
    ['they are while grants are not read', { kind: 'listing' }, false, true],
    ['they are while an API server that starts lacks the kind', failing(404, 1_000), false, true],
    ['they are not where the kind was never there', failing(404, 5_000), false, false],
    ['they are when the kind is gone', failing(404, 60_000), true, true],
  ])('%s', (_what, state, synced, expected) => {
    expect(grants(cacheIn(state, { synced })).areUsed).toBe(expected);
  });

  it('a KnownCluster with the name of another cluster counts for neither', () => {
    const object = { ...east, spec: { ...east.spec, clusterID: 'west' } };
    const all = grants(cacheIn({ kind: 'watching' }, { objects: [object] }));
    expect([all.objectOf('east'), all.objectOf('west')]).toEqual([undefined, undefined]);
    expect(all.of('east').state).toBe('Accepted');
  });
});

describe('a grant that is deleted', () => {
  it('lets nothing new pass until it is written again', () => {
    const cache = cacheIn({ kind: 'watching' });
    const all = grants(cache);
    const change = (before: KnownCluster | undefined, after: KnownCluster | undefined) => {
      for (const listener of cache.changeListeners) listener({ key: 'mc/east', before, after });
    };
    expect([all.wasDeleted('east'), all.of('east').state]).toEqual([false, 'Accepted']);
    const deleted = (spec: Partial<KnownCluster['spec']>) => {
      change({ ...east, spec: { ...east.spec, ...spec } }, undefined);
      const { state, isByPerson, areServicesFree } = all.of('east');
      return [all.wasDeleted('east'), state, isByPerson, areServicesFree];
    };
    expect(deleted({ state: 'Refused' })).toEqual([true, 'Refused', true, undefined]);
    expect(deleted({ state: 'Held' })).toEqual([true, 'Held', true, false]);
    expect(deleted({ state: 'Accepted' })).toEqual([true, 'Held', true, true]);
    expect(deleted({ state: 'Accepted', origin: 'Observed' })).toEqual([true, 'Held', false, true]);
    expect(all.of('west').state).toBe('Accepted');
    change(undefined, east);
    expect([all.wasDeleted('east'), all.of('east').state]).toEqual([false, 'Accepted']);
  });
});

describe('the source of grants', () => {
  const { signal } = new AbortController();
  const sourceOf = (cache: ReturnType<typeof cacheIn>) =>
    grants(cache).source(
      (spec) => spec,
      (clusterID) => [clusterID],
      () => ['all'],
    );

  it('is ready when grants are read', async () => {
    const source = sourceOf(cacheIn({ kind: 'watching' }));
    expect(source.synced).toBe(true);
    await expect(source.whenSynced(signal)).resolves.toBeUndefined();
  });

  it('is ready when the API server has lacked the kind for five seconds, and not before', async () => {
    const source = sourceOf(cacheIn(failing(404, 0), { synced: false }));
    let isReady = false;
    const ready = source.whenSynced(signal).then(() => (isReady = true));
    await clock.advance(4_900);
    expect([isReady, source.synced]).toEqual([false, false]);
    await clock.advance(200);
    await ready;
    expect(source.synced).toBe(true);
  });

  it('wakes the cluster of a grant that changes, and all when it can be read or not any more', () => {
    const cache = cacheIn({ kind: 'watching' });
    const woken: string[] = [];
    const stop = sourceOf(cache).start((key) => void woken.push(key));
    for (const listener of cache.changeListeners) listener({ key: 'mc/east', before: east, after: undefined });
    for (const listener of cache.stateListeners) listener(failing(404, 0));
    expect(woken).toEqual(['east', 'all']);
    stop();
    // One listener remembers deletions, as long as the leader runs.
    expect([cache.changeListeners.size, cache.stateListeners.size]).toEqual([1, 0]);
  });
});
