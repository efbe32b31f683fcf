import type { EndpointSlice, Service, ServiceImport } from '@isthmus/api';
import { exportedServiceName } from '@isthmus/api';
import type { ReadCache, Source } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { keyOfObject, presenceOf } from '@isthmus/machinery';
import { carriesOurLabel, isOurService, isOurSlice, sliceOriginOf } from '@isthmus/wire';
import { following } from '../../../../reporting/following.ts';
import type { LocalCluster } from '../../local/services.ts';
import type { ImportedOf } from './decide-share.ts';
import { unknownCluster } from './decide-share.ts';

/** What this cluster has imported of each other cluster. */
export interface ImportCounts {
  /** Follows the caches. Wakes nothing: a quota that has room again is looked at in a while. */
  readonly source: Source;
  /** Without the Service `key`. */
  importedOf(clusterID: string, key: string): ImportedOf;
  /** What this cluster has imported of all others. */
  total(): Omit<ImportedOf, 'withAddress'>;
  /** What is in use of one Service. */
  inUse(clusterID: string, key: string): Amount;
  /** The ClusterIPs of imports, and those of all other Services. */
  addresses(): { readonly imported: number; readonly own: number };
  /**
   * Counts a Service that is about to be imported, until its import exists. Without clusters: it is
   * not imported any more.
   */
  reserve(key: string, clusterIDs: readonly string[], hasAddress: boolean): void;
}

interface Counted {
  readonly clusterIDs: readonly string[];
  readonly hasAddress: boolean;
}

/** EndpointSlices for kube-proxy, and the endpoints in them. */
export interface Amount {
  slices: number;
  endpoints: number;
}

/** Follows the caches: counting again would take a look at all imports for each of them. */
export function createImportCounts({ services, slices, serviceImports }: LocalCluster): ImportCounts {
  const byKey = new Map<string, Counted>();
  const perCluster = new Map<string, { services: number; withAddress: number }>();
  /** By cluster and Service. */
  const amounts = new Map<string, Amount>();
  const totals = new Map<string, Amount>();
  const all: Amount = { slices: 0, endpoints: 0 };
  let own = 0;
  let imported = 0;

  const count = (key: string, now: Counted | undefined) => {
    const add = ({ clusterIDs, hasAddress }: Counted, by: 1 | -1) => {
      for (const clusterID of clusterIDs) {
        const known = perCluster.get(clusterID) ?? { services: 0, withAddress: 0 };
        known.services += by;
        if (hasAddress) known.withAddress += by;
        perCluster.set(clusterID, known);
      }
    };
    const before = byKey.get(key);
    if (before !== undefined) add(before, -1);
    if (now === undefined) byKey.delete(key);
    else {
      byKey.set(key, now);
      add(now, 1);
    }
  };
  const noteImport = (key: string, object: ServiceImport | undefined) => {
    if (object === undefined || !carriesOurLabel(object)) return count(key, undefined);
    const clusterIDs = (object.status?.clusters ?? []).map(({ cluster }) => cluster);
    // The exporters follow in a second write.
    if (clusterIDs.length > 0 || !byKey.has(key))
      count(key, {
        clusterIDs: clusterIDs.length > 0 ? clusterIDs : [unknownCluster],
        hasAddress: object.spec?.type !== 'Headless',
      });
  };
  const noteService = (object: Service | undefined, by: 1 | -1) => {
    const { clusterIP = '' } = object?.spec ?? {};
    if (object === undefined || clusterIP === '' || clusterIP === 'None') return;
    if (isOurService(object) && exportedServiceName(object.metadata.name) !== undefined) imported += by;
    else own += by;
  };
  const noteSlice = (object: EndpointSlice | undefined, by: 1 | -1) => {
    const origin = object !== undefined && isOurSlice(object) ? sliceOriginOf(object) : undefined;
    // Those for agents hold the Pods behind the endpoints of the others.
    if (object === undefined || origin === undefined || origin.arePods) return;
    const key = `${object.metadata.namespace ?? ''}/${origin.name}`;
    const { clusterID = unknownCluster } = origin;
    all.slices += by;
    all.endpoints += by * (object.endpoints?.length ?? 0);
    for (const [map, name] of [
      [totals, clusterID],
      [amounts, `${clusterID} ${key}`],
    ] as const) {
      const known = map.get(name) ?? { slices: 0, endpoints: 0 };
      known.slices += by;
      known.endpoints += by * (object.endpoints?.length ?? 0);
      if (known.slices === 0) map.delete(name);
      else map.set(name, known);
    }
  };
  const source = following(
    () => {
      for (const object of serviceImports.cache.list()) noteImport(keyOfObject(object), object);
      return serviceImports.cache.subscribe(({ before, after }) => {
        const object = after ?? before;
        if (object !== undefined) noteImport(keyOfObject(object), after);
      });
    },
    () => follow(services.cache, noteService),
    () => follow(slices.cache, noteSlice),
  );
  return {
    source,
    importedOf(clusterID, key) {
      const { services = 0, withAddress = 0 } = perCluster.get(clusterID) ?? {};
      const counted = byKey.get(key);
      const isCounted = counted?.clusterIDs.includes(clusterID) === true;
      const total = totals.get(clusterID) ?? nothing;
      const ofKey = amounts.get(`${clusterID} ${key}`) ?? nothing;
      return {
        services: services - Number(isCounted),
        withAddress: withAddress - Number(isCounted && counted.hasAddress),
        slices: total.slices - ofKey.slices,
        endpoints: total.endpoints - ofKey.endpoints,
      };
    },
    total: () => ({ services: byKey.size, ...all }),
    inUse: (clusterID, key) => amounts.get(`${clusterID} ${key}`) ?? nothing,
    addresses: () => ({ imported, own }),
    reserve(key, clusterIDs, hasAddress) {
      if (presenceOf(serviceImports.cache.getByKey(key)).state !== 'absent') return;
      count(key, clusterIDs.length === 0 ? undefined : { clusterIDs, hasAddress });
    },
  };
}

/** Adds each object of a cache, and takes away what it was before. */
function follow<T extends KubernetesObject>(
  cache: Pick<ReadCache<T>, 'list' | 'subscribe'>,
  note: (object: T | undefined, by: 1 | -1) => void,
): () => void {
  for (const object of cache.list()) note(object, 1);
  return cache.subscribe(({ before, after }) => {
    note(before, -1);
    note(after, 1);
  });
}

const nothing: Readonly<Amount> = { slices: 0, endpoints: 0 };
