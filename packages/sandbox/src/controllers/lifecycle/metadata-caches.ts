import type { Change, Client, PartialObjectMetadata, RunnableCache, World } from '@isthmus/kube';
import { createCache, metadataOf } from '@isthmus/kube';
import { jittered, resourceNameOf, sleep } from '@isthmus/machinery';
import type { ResourceType } from '@isthmus/machinery';
import type { Definition } from './definition-type.ts';
import { definitionType, typeOfDefinition } from './definition-type.ts';
import { discoverTypes } from './discovered-types.ts';
import { watchSeconds } from '../watch-seconds.ts';

/** One resource, whose metadata is watched. */
export interface Monitored {
  readonly type: ResourceType;
  readonly cache: RunnableCache<PartialObjectMetadata>;
}

/** A change of the metadata of any object. */
export interface MetadataChange extends Change<PartialObjectMetadata> {
  readonly of: Monitored;
}

/**
 * The metadata of everything that the API server keeps: each resource that discovery lists, and
 * each CRD as it comes and goes.
 */
export interface MetadataCaches {
  /** Keyed by `plural.group`. */
  readonly monitored: ReadonlyMap<string, Monitored>;
  /**
   * Whether discovery was read and every resource was listed once. What is not synced may lack
   * objects.
   */
  readonly synced: boolean;
  subscribe(listener: (change: MetadataChange) => void): () => void;
  /** Called when {@link synced} may have changed, or resources came or went. */
  onTypes(listener: () => void): () => void;
  run(signal: AbortSignal): Promise<void>;
}

export const MetadataIndex = { owner: 'owner', uid: 'uid' } as const;

export interface MetadataCachesOptions {
  readonly client: Client;
  readonly world: World;
  /**
   * The watched resources. Default: each resource that discovery lists, and each CRD as it comes
   * and goes.
   */
  readonly monitors?: readonly ResourceType[] | undefined;
}

export function createMetadataCaches(options: MetadataCachesOptions): MetadataCaches {
  const { client, world, monitors } = options;
  const monitored = new Map<string, Monitored>();
  const stops = new Map<string, () => void>();
  const listeners = new Set<(change: MetadataChange) => void>();
  const typeListeners = new Set<() => void>();
  const running = new Set<Promise<void>>();
  const definitions = createCache<Definition>({
    ...world,
    client,
    type: definitionType,
    name: 'monitored CRDs',
    watchSeconds,
  });
  let discovered = false;

  const tellTypes = (): void => {
    for (const listener of typeListeners) listener();
  };
  const start = (type: ResourceType, signal: AbortSignal): void => {
    const name = resourceNameOf(type);
    const before = monitored.get(name)?.type;
    if (before?.version === type.version && before.kind === type.kind) return;
    stop(name);
    const end = new AbortController();
    const cache = metadataCacheOf(type, options);
    const one: Monitored = { type, cache };
    cache.subscribe((change) => {
      for (const listener of listeners) listener({ ...change, of: one });
    });
    monitored.set(name, one);
    stops.set(name, () => end.abort(new Error(`${name} are not served any more`)));
    const run = cache.run(AbortSignal.any([signal, end.signal])).finally(() => running.delete(run));
    running.add(run);
    cache.whenSynced(signal).then(tellTypes, () => {});
  };
  const stop = (name: string): void => {
    stops.get(name)?.();
    stops.delete(name);
    monitored.delete(name);
  };
  const follow = (signal: AbortSignal) => (change: Change<Definition>) => {
    const before = change.before && typeOfDefinition(change.before);
    const after = change.after && typeOfDefinition(change.after);
    if (after !== undefined) start(after, signal);
    else if (before !== undefined) stop(resourceNameOf(before));
    tellTypes();
  };
  const discover = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      try {
        for (const type of await discoverTypes(client, signal)) {
          if (!monitored.has(resourceNameOf(type))) start(type, signal);
        }
        discovered = true;
        return tellTypes();
      } catch (error) {
        if (signal.aborted) return;
        world.log.error('the resources of the API server could not be read; trying again', error);
        await sleep(world.clock, jittered(world.random, retryMs, 0.5), signal).catch(() => {});
      }
    }
  };

  return {
    monitored,
    get synced() {
      return (
        (monitors !== undefined || (discovered && definitions.synced)) &&
        [...monitored.values()].every(({ cache }) => cache.synced)
      );
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onTypes(listener) {
      typeListeners.add(listener);
      return () => void typeListeners.delete(listener);
    },
    async run(signal) {
      if (monitors !== undefined) {
        for (const type of monitors) start(type, signal);
        await Promise.all(running);
        return;
      }
      definitions.subscribe(follow(signal));
      await Promise.all([definitions.run(signal), discover(signal)]);
      await Promise.all(running);
    },
  };
}

/** An unstarted cache of the metadata of a resource. */
function metadataCacheOf(
  type: ResourceType,
  { client, world }: MetadataCachesOptions,
): RunnableCache<PartialObjectMetadata> {
  return createCache<PartialObjectMetadata>({
    ...world,
    client,
    type: metadataOf(type),
    name: `metadata of ${resourceNameOf(type)}`,
    watchSeconds,
    indexes: {
      [MetadataIndex.owner]: ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid),
      [MetadataIndex.uid]: ({ metadata }) => (metadata.uid === undefined ? [] : [metadata.uid]),
    },
  });
}

const retryMs = 1_000;
