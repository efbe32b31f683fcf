import type { Client, Resource, RunnableCache, World } from '@isthmus/kube';
import { createCache, resourceOf } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { controllerOf, keyOf, resourceNameOf } from '@isthmus/machinery';
import { watchSeconds } from './watch-seconds.ts';

/** Indexes that every shared cache has. */
export const Index = {
  /** The uid of the owner that is the controller. */
  controller: 'controller',
  /** The index by `spec.nodeName`; objects without it are not in it. */
  node: 'node',
  /** The index by the key of the Service that the object belongs to by its label. */
  service: 'service',
} as const;

/** The kinds that several controllers read: one watch for each, however many ask. */
export interface SharedCaches {
  of<T extends KubernetesObject>(type: ResourceType<T>): Resource<T>;
  /** Takes the server's answer to a write that did not go through {@link Resource}. */
  wrote<T extends KubernetesObject>(type: ResourceType<T>, object: T): void;
  /** The caches that controllers have asked for, to be run. */
  readonly all: readonly RunnableCache<KubernetesObject>[];
}

/** Caches are created when a controller requests them, before any controller runs. */
export function createSharedCaches(options: { readonly client: Client; readonly world: World }): SharedCaches {
  const { client, world } = options;
  const resources = new Map<string, Resource<KubernetesObject>>();
  const caches = new Map<string, RunnableCache<KubernetesObject>>();
  const all: RunnableCache<KubernetesObject>[] = [];
  return {
    all,
    wrote: (type, object) => caches.get(resourceNameOf(type))?.wrote(object),
    of<T extends KubernetesObject>(type: ResourceType<T>): Resource<T> {
      const name = resourceNameOf(type);
      const known = resources.get(name);
      // One name stands for one type.
      if (known !== undefined) return known as unknown as Resource<T>;
      const cache = createCache<KubernetesObject>({ ...world, client, type, indexes, watchSeconds });
      const resource = resourceOf<KubernetesObject>(type, cache, client);
      resources.set(name, resource);
      caches.set(name, cache);
      all.push(cache);
      return resource as unknown as Resource<T>;
    },
  };
}

const indexes = {
  [Index.controller]: (object: KubernetesObject) => {
    const owner = controllerOf(object);
    return owner === undefined ? [] : [owner.uid];
  },
  [Index.node]: (object: KubernetesObject) => {
    const { spec } = object as { readonly spec?: { readonly nodeName?: unknown } | null };
    return typeof spec?.nodeName === 'string' && spec.nodeName !== '' ? [spec.nodeName] : [];
  },
  [Index.service]: ({ metadata: { namespace, labels } }: KubernetesObject) => {
    const name = labels?.['kubernetes.io/service-name'];
    return name === undefined ? [] : [keyOf({ namespace, name })];
  },
};
