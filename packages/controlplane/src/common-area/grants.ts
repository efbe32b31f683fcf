import type { KnownCluster } from '@isthmus/api';
import type { RunnableCache, Source } from '@isthmus/kube';
import type { Grant, LeaderConfig } from '@isthmus/wire';
import { nothingNew, readGrant, withoutGrant } from '@isthmus/wire';

type Watched = Pick<
  RunnableCache<KnownCluster>,
  'getByKey' | 'synced' | 'state' | 'onState' | 'subscribe' | 'whenSynced'
>;

/** What each cluster may announce, as far as it is known. */
export interface Grants {
  of(clusterID: string): Grant;
  /**
   * Wakes the keys of a cluster whose grant changes, and all keys when grants can be read, or cannot
   * be read any more.
   */
  source(keysOf: (clusterID: string) => readonly string[], all: () => readonly string[]): Source;
}

/**
 * Reads grants from the KnownClusters of a leader's Namespace.
 *
 * With the manifests of an earlier release or of Antrea, the kind cannot be read; then clusters are
 * unknown. If it cannot be read any more, nothing new is published.
 */
export function grantsFrom(cache: Watched, { namespace, unknownClusters }: GrantsOptions): Grants {
  const unknown = unknownClusters === 'Hold' ? nothingNew : withoutGrant;
  return {
    of(clusterID) {
      const object = cache.getByKey(`${namespace}/${clusterID}`);
      if (object !== undefined) return readGrant(object);
      if (cache.synced) return isDenied(cache) ? nothingNew : unknown;
      return isDenied(cache) ? unknown : nothingNew;
    },
    source: (keysOf, all) => ({
      get synced() {
        return cache.synced || isDenied(cache);
      },
      whenSynced: (signal) => whenRead(cache, signal),
      start(wake) {
        const stops = [
          cache.subscribe(({ before, after }) => {
            for (const key of keysOf((after ?? before)?.spec.clusterID ?? '')) wake(key);
          }),
          cache.onState(() => {
            for (const key of all()) wake(key);
          }),
        ];
        return () => stops.forEach((stop) => stop());
      },
    }),
  };
}

interface GrantsOptions extends Pick<LeaderConfig, 'unknownClusters'> {
  readonly namespace: string;
}

/** Whether the API server does not serve the kind, or does not let the leader read it. */
function isDenied({ state }: Pick<Watched, 'state'>): boolean {
  return state.kind === 'failing' && (state.code === 404 || state.code === 403);
}

/** Resolves when grants are read, or it is known that they cannot be. */
async function whenRead(cache: Watched, signal: AbortSignal): Promise<void> {
  if (isDenied(cache)) return;
  const denied = Promise.withResolvers<void>();
  const stop = cache.onState(() => {
    if (isDenied(cache)) denied.resolve();
  });
  try {
    await Promise.race([cache.whenSynced(signal), denied.promise]);
  } finally {
    stop();
  }
}
