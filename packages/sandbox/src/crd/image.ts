import { rfc3339 } from '@isthmus/machinery';
import { uid } from '../objects/created-metadata.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Core } from '../core/core.ts';
import { definitionsKey } from '../definition/definition.ts';
import type { Definition } from '../definition/definition.ts';

/**
 * Established definitions and their compiled forms: created once, and the start of any number of
 * sandboxes. It is never changed.
 */
export interface SandboxImage {
  readonly definitions: readonly ImageDefinition[];
}

export interface ImageDefinition {
  readonly definition: Definition;
  readonly served: readonly ServedResource[];
}

/** The definitions of a server as they are. */
export function imageOf({ store, registry }: Pick<Core, 'store' | 'registry'>): SandboxImage {
  const definitions = store.list(definitionsKey) as readonly Definition[];
  const customs = registry.all();
  return {
    definitions: definitions.map((definition) => {
      const storageKey = `${definition.spec.group}/${definition.spec.names.plural}`;
      return { definition, served: customs.filter((resource) => resource.storageKey === storageKey) };
    }),
  };
}

/**
 * Stores the definitions of an image as if they had just been created and established here: they
 * are this server's own.
 */
export function restoreImage({ store, clock, random }: Core, { definitions }: SandboxImage): void {
  const now = rfc3339(clock.now());
  for (const { definition } of definitions) {
    const { metadata, status } = definition;
    const managedFields = metadata.managedFields?.map((entry) => ({ ...(entry as object), time: now }));
    const conditions = status.conditions?.map((condition) => ({ ...condition, lastTransitionTime: now })) ?? null;
    store.put(definitionsKey, {
      ...definition,
      metadata: {
        ...metadata,
        uid: uid(random),
        creationTimestamp: now,
        ...(managedFields !== undefined && { managedFields }),
      },
      status: { ...status, conditions },
    });
  }
}
