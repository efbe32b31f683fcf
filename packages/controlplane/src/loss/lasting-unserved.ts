import type { ReadCache, World } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';

type Watched = Pick<ReadCache<KubernetesObject>, 'synced' | 'state' | 'onState'>;

/** How long an API server that answers may take to load its CRDs and rules. */
const startingMs = 10_000;

/**
 * Whether a cache cannot read for a lasting reason. An API server that has just started rejects
 * requests and lacks kinds for some seconds; that does not count.
 */
export function isLasting(
  { synced, state }: Pick<Watched, 'synced' | 'state'>,
  { clock }: Pick<World, 'clock'>,
): boolean {
  return !synced || (state.kind === 'failing' && clock.now() - state.codeSinceMs >= startingMs);
}

/**
 * Calls `listener` when a cache fails, when that lasts, and when it reads again. Returns the
 * unsubscriber.
 */
export function onLastingState(
  caches: readonly Pick<Watched, 'onState'>[],
  { clock }: Pick<World, 'clock'>,
  listener: () => void,
): () => void {
  const stops = caches.map((cache) => {
    let cancel = (): void => undefined;
    const stop = cache.onState(({ kind }) => {
      cancel();
      listener();
      if (kind === 'failing') cancel = clock.after(startingMs, listener);
    });
    return () => {
      stop();
      cancel();
    };
  });
  return () => stops.forEach((stop) => stop());
}

/**
 * The kinds that an API server does not serve for a lasting time, among those that the caches read.
 * The caches are named by their resources.
 */
export function lastingUnserved(
  caches: Readonly<Record<string, Pick<Watched, 'synced' | 'state'>>>,
  world: Pick<World, 'clock'>,
): readonly string[] {
  return Object.entries(caches).flatMap(([resource, cache]) =>
    cache.state.kind === 'failing' && cache.state.code === 404 && isLasting(cache, world) ? [resource] : [],
  );
}
