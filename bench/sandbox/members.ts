// Row 2 of docs/benchmarks.md at many members: one endpoint change, from the exporter's API server
// to every importer's.
import { EndpointSlice, Label, Namespace } from '@isthmus/api';
import { inParallel } from '../in-parallel.ts';
import { endpointsOf, exportServices } from '../exported-services.ts';
import { pause } from '../pause.ts';
import type { MemoryCluster } from './memory-fleet.ts';
import { startMemoryFleet } from './memory-fleet.ts';

export interface Propagation {
  readonly members: number;
  /** Milliseconds from the start of the first cluster until every member had the first import. */
  readonly startMs: number;
  /**
   * Milliseconds of each change to each importer, from sending it until the importer's API server
   * has it.
   */
  readonly each: readonly number[];
  /** The same until the last importer had it. */
  readonly last: readonly number[];
}

export interface PropagationOptions {
  readonly members: number;
  readonly changes: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const namespace = 'shop';
const service = 'cart';

/**
 * One member exports, all others import. A change is made when the one before it has arrived
 * everywhere: bursts coalesce.
 */
export async function measurePropagation(options: PropagationOptions): Promise<Propagation> {
  const { members, changes, signal, say } = options;
  const from = performance.now();
  await using fleet = await startMemoryFleet(members);
  say(`${members + 1} clusters and their controllers run (${Math.round(performance.now() - from)} ms)`);
  const [exporter, ...importers] = fleet.clusters.filter(({ role }) => role === 'member');
  if (exporter === undefined) throw new Error('no member');
  await inParallel([exporter, ...importers], 16, async ({ admin }) => {
    await admin.create(Namespace, { metadata: { name: namespace } });
  });
  const arrival = watchArrivals(importers, signal);
  const first = arrival('10.76.0.1');
  await exportServices(exporter, namespace, [service], signal);
  await change(exporter, '10.76.0.1', signal);
  await first;
  const startMs = performance.now() - from;
  say(`all of them have the first import (${Math.round(startMs)} ms)`);
  const each: number[] = [];
  const last: number[] = [];
  for (let index = 1; index <= warmUp + changes; index++) {
    await pause(pauseMs + (index % 7) * 10);
    const address = `10.77.${index >> 8}.${index & 255}`;
    const everywhere = arrival(address);
    const sentAt = performance.now();
    await change(exporter, address, signal);
    const times = (await everywhere).map((at) => at - sentAt);
    if (index <= warmUp) continue;
    each.push(...times);
    last.push(Math.max(...times));
  }
  return { members, startMs, each, last };
}

async function change({ admin }: MemoryCluster, address: string, signal: AbortSignal): Promise<void> {
  const { metadata, endpoints } = endpointsOf(namespace, service, [address, '10.76.0.2']);
  const ref = { namespace, name: metadata.name };
  await admin.patch(EndpointSlice, ref, { type: 'merge', body: { endpoints } }, { signal });
}

/**
 * The moments at which an address is in the imported slice of each importer, once all have it. The
 * API servers themselves report it, within the write: two hundred more watches would be measured
 * too.
 */
function watchArrivals(
  importers: readonly MemoryCluster[],
  signal: AbortSignal,
): (address: string) => Promise<readonly number[]> {
  let wanted = '';
  let moments = new Map<string, number>();
  let told: (moments: readonly number[]) => void = () => {};
  for (const { name, cluster } of importers) {
    cluster.sandbox.admin.onChange(({ resource, after }) => {
      if (resource !== `${EndpointSlice.group}/${EndpointSlice.plural}` || after === undefined) return;
      if (after.metadata.labels?.[Label.mcsServiceName] !== service || moments.has(name)) return;
      const { endpoints } = after as EndpointSlice;
      if (endpoints?.some(({ addresses }) => addresses[0] === wanted) !== true) return;
      moments.set(name, performance.now());
      if (moments.size === importers.length) told([...moments.values()]);
    });
  }
  return (address) =>
    new Promise((resolve, reject) => {
      [wanted, moments, told] = [address, new Map(), resolve];
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
}

const warmUp = 5;
const pauseMs = 60;
