import type { ClusterPlace, FleetState, Instance } from './fleet-state.ts';

/**
 * The instances of one type in some part of a fleet, by version: rules about versions look at each
 * version once.
 */
export type Versions = ReadonlyMap<string, readonly Instance[]>;

/** The key of client programs, which are in no cluster. */
const nowhere = '';

/**
 * Finds the versions that run in the scope of a rule. Built in one walk over the instances; the
 * wider scopes on demand. A planner keeps one index and changes it step by step, instead of
 * building a new one for each state.
 */
export class FleetIndex {
  /** The result for a type without instances. */
  readonly nothing: Versions = new Map();
  readonly #places: ReadonlyMap<string, ClusterPlace>;
  readonly #byType = new Map<string, Map<string, Map<string, Instance[]>>>();
  /** Merged versions of wider scopes, by type and scope. */
  readonly #wider = new Map<string, Map<string, Versions>>();

  constructor(state: FleetState) {
    this.#places = new Map(state.clusters.map((place) => [place.name, place]));
    for (const instance of state.instances) this.add(instance);
  }

  add(instance: Instance): void {
    this.#wider.delete(instance.type);
    const clusters = within(this.#byType, instance.type, () => new Map<string, Map<string, Instance[]>>());
    const versions = within(clusters, instance.cluster ?? nowhere, () => new Map<string, Instance[]>());
    within(versions, instance.version.text, () => []).push(instance);
  }

  /** Takes out one instance that equals this one; nothing happens where there is none. */
  remove(instance: Instance): void {
    const clusters = this.#byType.get(instance.type);
    const versions = clusters?.get(instance.cluster ?? nowhere);
    const all = versions?.get(instance.version.text);
    const at = all?.findIndex(
      (one) => one.component === instance.component && one.node === instance.node && one.name === instance.name,
    );
    if (all === undefined || at === undefined || at < 0) return;
    this.#wider.delete(instance.type);
    all.splice(at, 1);
    // Empty entries are removed, because a type counts as present if it has an entry.
    if (all.length === 0) versions?.delete(instance.version.text);
    if (versions?.size === 0) clusters?.delete(instance.cluster ?? nowhere);
    if (clusters?.size === 0) this.#byType.delete(instance.type);
  }

  get types(): Iterable<string> {
    return this.#byType.keys();
  }

  place(cluster: string): ClusterPlace | undefined {
    return this.#places.get(cluster);
  }

  has(type: string): boolean {
    return this.#byType.has(type);
  }

  /**
   * The names of the clusters in which a type runs; the empty one stands for programs of people.
   */
  clustersOf(type: string): Iterable<string> {
    return this.#byType.get(type)?.keys() ?? [];
  }

  in(type: string, cluster: string): Versions {
    return this.#byType.get(type)?.get(cluster) ?? this.nothing;
  }

  /** In one cluster, programs of people included: they may talk to any. */
  near(type: string, cluster: string): Versions {
    const here = this.in(type, cluster);
    const programs = this.in(type, nowhere);
    if (programs.size === 0) return here;
    return this.#merged(type, `in ${cluster}`, () => [here, programs]);
  }

  inClusterSet(type: string, clusterSet: string): Versions {
    return this.#merged(type, `of ${clusterSet}`, () => {
      const names = [...this.clustersOf(type)].filter((name) => name === nowhere || this.setOf(name) === clusterSet);
      return names.map((name) => this.in(type, name));
    });
  }

  inFleet(type: string): Versions {
    return this.#merged(type, 'fleet', () => [...this.clustersOf(type)].map((cluster) => this.in(type, cluster)));
  }

  setOf(cluster: string): string | undefined {
    return this.#places.get(cluster)?.clusterSet;
  }

  #merged(type: string, scope: string, parts: () => readonly Versions[]): Versions {
    const scopes = within(this.#wider, type, () => new Map<string, Versions>());
    return within(scopes, scope, () => merge(parts()));
  }
}

function merge(parts: readonly Versions[]): Versions {
  const all = new Map<string, Instance[]>();
  for (const part of parts)
    for (const [text, instances] of part) within(all, text, (): Instance[] => []).push(...instances);
  return all;
}

function within<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
