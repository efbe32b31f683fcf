import { EndpointSlice, Label, ServiceImport } from '@isthmus/api';
import type { Access, Client, World } from '@isthmus/kube';
import { createCache } from '@isthmus/kube';
import type { DnsService, Zone } from './answer.ts';
import { unreadReasons } from '../status/unread-reasons.ts';
import { readImport } from './read-import.ts';
import type { Served } from './respond.ts';

/** The permissions of a DNS server. */
export const namesAccess: readonly Access[] = [
  { at: 'local', type: ServiceImport, scope: 'all', verbs: ['list', 'watch'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['list', 'watch'] },
];

/** The names of all imports of a cluster. */
export interface ImportNames {
  /**
   * The current knowledge. There is no zone until all objects were read once. From then on it is
   * the zone that was read last, even while the API server is unreachable.
   */
  served(): Served;
  /** Why names cannot be answered; empty if they can. */
  notReady(): readonly string[];
  /** Follows the objects until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export interface ImportNamesOptions {
  /** The client of the API server of the cluster whose imports are named. */
  readonly client: Client;
  /** In lower case, without a dot at the end. */
  readonly zoneName: string;
  readonly world: World;
}

const byImport = 'import';

/**
 * Reads ServiceImports and their EndpointSlices of all Namespaces. The result for an import is
 * computed with the first question for it.
 */
export function createImportNames({ client, zoneName, world }: ImportNamesOptions): ImportNames {
  const every = { ...world, client };
  const serviceImports = createCache<ServiceImport>({ ...every, type: ServiceImport });
  const endpointSlices = createCache<EndpointSlice>({
    ...every,
    type: EndpointSlice,
    labelSelector: Label.mcsServiceName,
    indexes: { [byImport]: (slice) => [importOf(slice)] },
  });
  const caches = { serviceImports, endpointSlices };
  const read = new Map<string, DnsService>();
  const importsIn = new Map<string, number>();
  let serial = 0;
  serviceImports.subscribe(({ key, before, after }) => {
    serial++;
    read.delete(key);
    const namespace = (after ?? before)?.metadata.namespace ?? '';
    const count = (importsIn.get(namespace) ?? 0) + (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    if (count > 0) importsIn.set(namespace, count);
    else importsIn.delete(namespace);
  });
  endpointSlices.subscribe(({ before, after }) => {
    serial++;
    for (const slice of [before, after]) if (slice !== undefined) read.delete(importOf(slice));
  });
  const zone: Zone = {
    name: zoneName,
    hasNamespace: (namespace) => importsIn.has(namespace),
    find(namespace, name) {
      const key = `${namespace}/${name}`;
      const known = read.get(key);
      if (known !== undefined) return known;
      const serviceImport = serviceImports.get({ namespace, name });
      if (serviceImport === undefined) return undefined;
      const found = readImport(serviceImport, endpointSlices.byIndex(byImport, key));
      read.set(key, found);
      return found;
    },
  };
  const notReady = () => unreadReasons(caches, { who: 'DNS server', manifest: 'deploy/dns.yaml' });
  return {
    served: () => ({ zoneName, zone: notReady().length === 0 ? zone : undefined, serial }),
    notReady,
    async run(signal) {
      await Promise.all(Object.values(caches).map((cache) => cache.run(signal)));
    },
  };
}

/** The key of the import that a slice belongs to. */
const importOf = ({ metadata: { namespace, labels } }: EndpointSlice) =>
  `${namespace}/${labels?.[Label.mcsServiceName]}`;
