import type { KnownCluster } from '@isthmus/api';
import type { RunnableCache, Source } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { equal } from '@isthmus/machinery';
import type { Grant, LeaderConfig } from '@isthmus/wire';
import { nothingNew, readGrant, withoutGrant } from '@isthmus/wire';

type Watched = Pick<
  RunnableCache<KnownCluster>,
  'getByKey' | 'synced' | 'state' | 'onState' | 'subscribe' | 'whenSynced'
>;

/** What each cluster may announce, as far as it is known. */
export interface Grants {
  of(clusterID: string): Grant;
  /** The KnownCluster of a cluster, if there is one that is about it. */
  objectOf(clusterID: string): KnownCluster | undefined;
  /**
   * Whether clusters are judged by grants. Not where the kind could never be read: with manifests
   * of an earlier release or of Antrea.
   */
  readonly areUsed: boolean;
  /**
   * Whether this process has seen that the grant of a cluster was deleted, and not written again.
   */
  wasDeleted(clusterID: string): boolean;
  /**
   * Wakes the keys of a cluster when what `uses` returns of its grant changes, and all keys when
   * grants can be read, or cannot be read any more.
   */
  source(
    uses: (spec: KnownCluster['spec']) => unknown,
    keysOf: (clusterID: string) => readonly string[],
    all: () => readonly string[],
  ): Source;
}

/**
 * Reads grants from the KnownClusters in the Namespace of a controller.
 *
 * With the manifests of an earlier release or of Antrea, the kind cannot be read; then clusters are
 * unknown. If it cannot be read any more, nothing new is used.
 */
export function grantsFrom(cache: Watched, { namespace, unknownClusters, clock }: GrantsOptions): Grants {
  const unknown = unknownClusters === 'Hold' ? nothingNew : withoutGrant;
  // The objects go before the kind does, and what was held must not be published meanwhile.
  const deleted = new Map<string, Grant>();
  cache.subscribe(({ before, after }) => {
    const { clusterID = '' } = (after ?? before)?.spec ?? {};
    if (after === undefined)
      deleted.set(clusterID, before === undefined ? nothingNew : afterDeletion(readGrant(before)));
    else deleted.delete(clusterID);
  });
  const objectOf = (clusterID: string) => {
    const object = cache.getByKey(`${namespace}/${clusterID}`);
    return object?.spec.clusterID === clusterID ? object : undefined;
  };
  return {
    wasDeleted: (clusterID) => deleted.has(clusterID),
    objectOf,
    get areUsed() {
      return cache.synced || !isUnreadable(cache, clock);
    },
    of(clusterID) {
      const object = objectOf(clusterID);
      if (object !== undefined) return readGrant(object);
      const last = deleted.get(clusterID);
      if (last !== undefined) return last;
      if (cache.synced) return deniedSinceMs(cache) === undefined ? unknown : nothingNew;
      return isUnreadable(cache, clock) ? unknown : nothingNew;
    },
    source: (uses, keysOf, all) => ({
      get synced() {
        return cache.synced || isUnreadable(cache, clock);
      },
      whenSynced: (signal) => whenRead(cache, clock, signal),
      start(wake) {
        const stops = [
          cache.subscribe(({ before, after }) => {
            if (before !== undefined && after !== undefined && equal(uses(before.spec), uses(after.spec))) return;
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

/**
 * What is granted to a cluster whose KnownCluster was deleted, until there is another one: nothing
 * new, and nothing that an administrator had refused.
 */
function afterDeletion(last: Grant): Grant {
  if (last.state === 'Accepted' && !last.isByPerson) return nothingNew;
  return last.state === 'Refused' ? last : { ...last, state: 'Held', areServicesFree: last.state === 'Accepted' };
}

interface GrantsOptions extends Pick<LeaderConfig, 'unknownClusters'> {
  readonly namespace: string;
  readonly clock: Clock;
}

/**
 * How long an API server that answers may lack kinds and rights: it loads both after it has
 * started.
 */
const startingMs = 5_000;

/**
 * Since when the API server does not serve the kind, or does not let the leader read it, in epoch
 * milliseconds.
 */
function deniedSinceMs({ state }: Pick<Watched, 'state'>): number | undefined {
  return state.kind === 'failing' && (state.code === 404 || state.code === 403) ? state.codeSinceMs : undefined;
}

function isUnreadable(cache: Pick<Watched, 'state'>, clock: Clock): boolean {
  const sinceMs = deniedSinceMs(cache);
  return sinceMs !== undefined && clock.now() - sinceMs >= startingMs;
}

/** Resolves when grants are read, or it is certain that they cannot be. */
async function whenRead(cache: Watched, clock: Clock, signal: AbortSignal): Promise<void> {
  const unreadable = Promise.withResolvers<void>();
  let cancel = (): void => undefined;
  const look = (): void => {
    cancel();
    if (isUnreadable(cache, clock)) unreadable.resolve();
    else if (deniedSinceMs(cache) !== undefined) cancel = clock.after(startingMs, look);
  };
  const stop = cache.onState(look);
  look();
  try {
    await Promise.race([cache.whenSynced(signal), unreadable.promise]);
  } finally {
    stop();
    cancel();
  }
}
