import type { ServedResource } from './served-resource.ts';

type ServedName = Pick<ServedResource, 'group' | 'version' | 'plural'>;

/**
 * The resources that are served at this moment: built-in kinds, and those of established
 * CustomResourceDefinitions.
 */
export class Registry {
  readonly #resources = new Map<string, ServedResource>();
  readonly #since = new Map<string, number>();
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

  /**
   * The built-in resources of these objects: more than one if a kind is served in several versions
   * or groups.
   */
  builtInVersions(storageKey: string): readonly ServedResource[] {
    return this.#builtIn.get(storageKey) ?? [];
  }

  all(): readonly ServedResource[] {
    return [...this.#resources.values()];
  }

  /**
   * The resourceVersion since which this is served by the same definition: 0 for built-in kinds,
   * undefined if it is not served. A real server builds the storage of a kind again when its
   * definition changes, and the new one has no earlier changes.
   */
  since({ group, version, plural }: ServedName): number | undefined {
    return this.#since.get(`${group}/${version}/${plural}`);
  }

  /**
   * Serves a resource, in place of an earlier form of the same version, by a definition of this
   * resource version.
   */
  serve(resource: ServedResource, since = 0): void {
    const name = `${resource.group}/${resource.version}/${resource.plural}`;
    this.#resources.set(name, resource);
    this.#since.set(name, since);
  }

  withdraw({ group, version, plural }: ServedName): void {
    this.#resources.delete(`${group}/${version}/${plural}`);
    this.#since.delete(`${group}/${version}/${plural}`);
  }
}
