import type { ServedResource } from './served-resource.ts';

/** What is served at this moment: the built-in kinds, and those of established CustomResourceDefinitions. */
export class Registry {
  readonly #resources = new Map<string, ServedResource>();
  readonly #builtIn: ReadonlyMap<string, readonly ServedResource[]>;

  constructor(builtIn: Iterable<ServedResource>) {
    const resources = [...builtIn];
    for (const resource of resources) this.serve(resource);
    this.#builtIn = Map.groupBy(resources, ({ storageKey }) => storageKey);
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.get(`${group}/${version}/${plural}`);
  }

  /** A version of the resource that has these objects. */
  byStorageKey(storageKey: string): ServedResource | undefined {
    return this.all().find((resource) => resource.storageKey === storageKey);
  }

  /** The built-in resources that have these objects: more than one where a kind is served in several versions or groups. */
  builtInVersions(storageKey: string): readonly ServedResource[] {
    return this.#builtIn.get(storageKey) ?? [];
  }

  all(): readonly ServedResource[] {
    return [...this.#resources.values()];
  }

  /** Serves a resource, in place of an earlier form of the same version. */
  serve(resource: ServedResource): void {
    this.#resources.set(`${resource.group}/${resource.version}/${resource.plural}`, resource);
  }

  withdraw({ group, version, plural }: Pick<ServedResource, 'group' | 'version' | 'plural'>): void {
    this.#resources.delete(`${group}/${version}/${plural}`);
  }
}
