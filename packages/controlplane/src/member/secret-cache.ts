import { Secret } from '@isthmus/api';
import type { Client, RunnableCache, World } from '@isthmus/kube';
import { createCache } from '@isthmus/kube';
import { sleep } from '@isthmus/machinery';
import type { SecretCache } from './cluster-set/reconcile.ts';
import { lookAgainMs } from './denied-access.ts';

export interface SecretCacheOptions {
  /**
   * Not a client that records denied requests: the Secret, and so the access to it, changes with
   * the ClusterSet.
   */
  readonly client: Client;
  readonly namespace: string;
  readonly world: World;
}

interface Watched {
  readonly name: string;
  readonly cache: RunnableCache<Secret>;
  readonly end: AbortController;
}

/**
 * Watches one Secret by name, so that a rotated token is seen without a restart (defect B3). It
 * never reads another Secret: a Role may be limited to this one. Runs until `signal` aborts.
 */
export function createSecretCache({ client, namespace, world }: SecretCacheOptions, signal: AbortSignal): SecretCache {
  let watched: Watched | undefined;
  const listeners = new Set<() => void>();
  const tell = () => listeners.forEach((listener) => listener());
  signal.addEventListener('abort', () => watched?.end.abort(signal.reason), { once: true });

  return {
    watch(name) {
      if (watched?.name === name || signal.aborted) return;
      watched?.end.abort(new Error('another Secret is named'));
      watched = undefined;
      if (name === undefined || name === '') return;
      const cache = createCache<Secret>({
        ...world,
        client,
        type: Secret,
        namespace,
        fieldSelector: `metadata.name=${name}`,
      });
      const end = new AbortController();
      watched = { name, cache, end };
      cache.subscribe(tell);
      let isAsking = false;
      cache.onState(() => {
        tell();
        if (isAsking || !isDenied(cache)) return;
        isAsking = true;
        void askAgain(cache, end.signal).finally(() => (isAsking = false));
      });
      void cache.run(end.signal);
      void cache.whenSynced(end.signal).then(tell, () => undefined);
    },
    get denied() {
      return watched !== undefined && isDenied(watched.cache) ? watched.name : undefined;
    },
    get found() {
      if (watched === undefined) return { secret: undefined };
      return watched.cache.synced ? { secret: watched.cache.get({ namespace, name: watched.name }) } : undefined;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };

  /** After a while, the pauses of the cache are longer than this. */
  async function askAgain(cache: Watched['cache'], end: AbortSignal): Promise<void> {
    while (isDenied(cache) && !end.aborted) {
      await sleep(world.clock, lookAgainMs, end).catch(() => undefined);
      if (isDenied(cache)) cache.renew();
    }
  }
}

function isDenied({ state }: Watched['cache']): boolean {
  return state.kind === 'failing' && state.code === 403;
}
