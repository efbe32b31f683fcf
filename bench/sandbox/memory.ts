// The memory that ten thousand objects cost a server.
import { ConfigMap, Namespace, Service } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { inParallel } from '../in-parallel.ts';
import type { ProcessUsage } from '../machine.ts';
import { configMap, requestsInFlight } from './requests.ts';

export interface Footprint {
  readonly objects: number;
  /** Seconds to create them. */
  readonly seconds: number;
  /** Resident megabytes of the server's processes, without and with the objects. */
  readonly residentMB: readonly [before: number, after: number];
  /**
   * Bytes of heap in use after a garbage collection, likewise; undefined for a server that does not
   * report them.
   */
  readonly heapBytes: readonly [before: number, after: number] | undefined;
}

export interface FootprintOptions {
  readonly client: Client;
  readonly usage?: (() => Pick<ProcessUsage, 'residentMB'>) | undefined;
  readonly heapUsed?: (() => Promise<number>) | undefined;
  readonly objects: number;
  readonly signal: AbortSignal;
}

const namespace = 'many';

/**
 * Half ConfigMaps, half Services with two ports and an IPAddress each; read once as a whole, as
 * every informer does.
 */
export async function measureFootprint(options: FootprintOptions): Promise<Footprint> {
  const { client, usage, heapUsed, objects, signal } = options;
  await client.create(Namespace, { metadata: { name: namespace } });
  const state = async () => {
    const heap = await heapUsed?.();
    return { heap, resident: usage?.().residentMB ?? 0 };
  };
  const before = await state();
  const from = performance.now();
  const indexes = Array.from({ length: objects }, (_, index) => index);
  await inParallel(indexes, requestsInFlight, async (index) => {
    if (index % 2 === 0) await client.create(ConfigMap, configMap(namespace, index, 0), { signal });
    else await client.create(Service, serviceOf(index), { signal });
  });
  const seconds = (performance.now() - from) / 1000;
  const there = await Promise.all([ConfigMap, Service].map((type) => client.list(type, { namespace, signal })));
  const count = there.reduce((sum, { items }) => sum + items.length, 0);
  // kube-controller-manager puts its ConfigMap there.
  if (count < objects) throw new Error(`${count} of ${objects} objects are there`);
  const after = await state();
  return {
    objects,
    seconds,
    residentMB: [before.resident, after.resident],
    heapBytes: before.heap === undefined || after.heap === undefined ? undefined : [before.heap, after.heap],
  };
}

function serviceOf(index: number): Service {
  const name = `s-${String(index).padStart(5, '0')}`;
  return {
    metadata: { name, namespace, labels: { app: `app-${index % 10}`, tier: 'bench' } },
    // Without a selector: controllers would add an EndpointSlice to each.
    spec: {
      ports: [
        { name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 },
        { name: 'metrics', protocol: 'TCP', port: 9090, targetPort: 9090 },
      ],
    },
  };
}
