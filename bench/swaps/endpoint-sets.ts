import { EndpointSlice, Label, importedPrefix } from '@isthmus/api';
import { createCache, noLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import type { RealCluster } from '@isthmus/testkit';

/** A set of endpoints that was empty for a moment. */
export interface EmptyMoment {
  readonly member: string;
  readonly service: string;
  readonly atMs: number;
}

/** The endpoints of all imported Services of one member, by every write to an EndpointSlice. */
export interface EndpointSets {
  readonly member: string;
  /** By name of the exported Service, its ready endpoints as `address:port`, sorted. */
  current(): ReadonlyMap<string, readonly string[]>;
  /** From now on the set of this Service may be empty: it is withdrawn. */
  release(service: string): void;
  /** Sets that had endpoints and were without, since the last call. */
  takeEmpty(): readonly EmptyMoment[];
  /** Resolves when the slices have been read. */
  ready(): Promise<void>;
}

/** Watches a member until `signal` aborts. */
export function watchEndpointSets(
  { name: member, admin: client }: RealCluster,
  namespace: string,
  signal: AbortSignal,
): EndpointSets {
  const clock = systemClock();
  const world = { clock, random: systemRandom(), log: noLog, metrics: noMetrics };
  const cache = createCache<EndpointSlice>({
    ...world,
    client,
    type: EndpointSlice,
    namespace,
    name: `${member}-slices`,
  });
  const empty: EmptyMoment[] = [];
  const filled = new Set<string>();
  const released = new Set<string>();
  const sets = (): Map<string, readonly string[]> => {
    const found = new Map<string, Set<string>>();
    for (const slice of cache.list()) {
      const service = slice.metadata.labels?.[Label.serviceName] ?? '';
      if (!service.startsWith(importedPrefix)) continue;
      const name = service.slice(importedPrefix.length);
      const set = found.get(name) ?? new Set();
      found.set(name, set);
      for (const { addresses, conditions } of slice.endpoints ?? [])
        if (conditions?.ready !== false)
          for (const address of addresses) set.add(`${address}:${slice.ports?.[0]?.port ?? ''}`);
    }
    return new Map([...found].map(([name, set]) => [name, [...set].toSorted()]));
  };
  cache.subscribe(() => {
    const now = sets();
    for (const [service, set] of now) if (set.length > 0 && !released.has(service)) filled.add(service);
    for (const service of filled) {
      if ((now.get(service) ?? []).length > 0) continue;
      filled.delete(service);
      empty.push({ member, service, atMs: clock.now() });
    }
  });
  void cache.run(signal);
  return {
    member,
    current: sets,
    release(service) {
      released.add(service);
      filled.delete(service);
    },
    takeEmpty: () => empty.splice(0),
    ready: () => cache.whenSynced(signal),
  };
}
