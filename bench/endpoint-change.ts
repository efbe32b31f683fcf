// Row 2: one endpoint change, from the exporter's API server to the importer's.
import type { EndpointSlice as Slice, ResourceImport as ResourceImportObject } from '@isthmus/api';
import { EndpointSlice, Label, Namespace, ResourceExport, ResourceImport } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { changesOf } from './arrival.ts';
import { runBareChain } from './bare-chain.ts';
import type { BenchOptions } from './bench-options.ts';
import { prepareControllers } from './controllers.ts';
import { endpointsOf, exportServices } from './exported-services.ts';
import type { BenchCluster, BenchFleet } from './fleet.ts';
import { baseClient } from './fleet.ts';
import { pause } from './pause.ts';

export interface EndpointChange {
  /** Milliseconds of each change, from sending it until a watch shows it in the other cluster. */
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

const namespace = 'shop';
/**
 * The exported Services take turns. One that changed all the time would be exported once a second,
 * and a real one changes now and then.
 */
export const changedServices = Array.from({ length: 20 }, (_, index) => `cart-${index}`);

/**
 * Both ways in one fleet of leader `north` and members `west` and `east`, change by change in turn,
 * so that whatever else the machine does befalls both alike.
 */
export async function measureEndpointChanges(fleet: BenchFleet, options: BenchOptions): Promise<EndpointChange> {
  await using controllers = await prepareControllers(fleet.clusters, {
    ...options,
    program: options.program.path,
    endpointIPType: 'PodIP',
  });
  const end = new AbortController();
  const signal = AbortSignal.any([options.signal, controllers.failed, end.signal]);
  const [west, east] = [fleet.cluster('west'), fleet.cluster('east')];
  await Promise.all([west, east].map(({ admin }) => admin.create(Namespace, { metadata: { name: namespace } })));
  await exportServices(west, namespace, changedServices, options.signal);
  const ways = changedServices.map((service) =>
    watchedWay({
      from: west.admin,
      to: east.admin,
      slice: endpointsOf(namespace, service, []),
      labelSelector: `${Label.mcsServiceName}=${service}`,
      signal,
    }),
  );
  const ours: Way = {
    change: async (index) => (await ways[index % ways.length]?.change(index)) ?? Number.NaN,
    failed: Promise.race(ways.map(({ failed }) => failed)),
  };
  controllers.start();
  for (let index = 0; index < changedServices.length; index++) await ours.change(index);
  options.say('the first change went through the controllers; the bare chain is set up beside them');
  await using bare = await bareWay(fleet, signal);

  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  const failed = Promise.race([ours.failed, bare.failed]);
  for (let index = 1; index <= warmUp + options.changes; index++) {
    for (const [name, way] of [
      ['ours', ours],
      ['bare', bare],
    ] as const) {
      // A change on its own: bursts coalesce. The length varies, so that no rhythm of the machine
      // is met again and again.
      await pause(pauseMs + (index % 7) * 10);
      const ms = await Promise.race([way.change(index), failed]);
      // The first ones warm the code up.
      if (index > warmUp) times[name].push(ms);
    }
  }
  end.abort(new Error('over'));
  return times;
}

/** The bare chain with its objects, ready to carry changes. */
async function bareWay(fleet: BenchFleet, signal: AbortSignal): Promise<Way & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const [west, north, east] = [fleet.cluster('west'), fleet.cluster('north'), fleet.cluster('east')];
  const bare = { namespace: 'bare', name: 'cart' };
  for (const { admin } of [west, north, east]) await admin.create(Namespace, { metadata: { name: bare.namespace } });
  // The objects as the controllers have them: what the chain then changes has the size that it has
  // there.
  await copyInto(bare, north.admin, east.admin);
  const slice = endpointsOf(bare.namespace, bare.name, ['10.76.0.1']);
  await west.admin.create(EndpointSlice, slice);
  const client = async (cluster: BenchCluster) => stack.adopt(await baseClient(cluster), (opened) => opened.close());
  const [exporter, leader, importer] = [await client(west), await client(north), await client(east)];
  const chain = runBareChain({ exporter, leader, importer, ...bare, signal });
  await Promise.race([chain.ready, chain.ended]);
  const way = watchedWay({ from: west.admin, to: east.admin, slice, labelSelector: undefined, signal });
  const owned = stack.move();
  return {
    change: way.change,
    failed: Promise.race([way.failed, chain.ended.then(() => new Promise<never>(() => {}))]),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function copyInto(
  bare: { readonly namespace: string; readonly name: string },
  leader: Client,
  importer: Client,
): Promise<void> {
  const exports = (await leader.list(ResourceExport)).items.find(({ spec }) => spec?.kind === 'Endpoints');
  // With a single exporter, the merged import has them; in an earlier version, an import of its
  // own.
  const imports = (await leader.list(ResourceImport)).items
    .toSorted((a, b) => Number(b.spec?.kind === 'EndpointSlices') - Number(a.spec?.kind === 'EndpointSlices'))
    .find(({ spec }: ResourceImportObject) => spec?.endpointSlices !== undefined);
  const slices = (await importer.list(EndpointSlice, { namespace })).items[0];
  if (exports === undefined || imports === undefined || slices === undefined) {
    throw new Error('the controllers have left nothing to copy for the bare chain');
  }
  const labels = (object: {
    readonly metadata: { readonly labels?: Readonly<Record<string, string>> | undefined };
  }) => ({
    ...bare,
    // Not those by which a Service or the controllers would find it.
    labels: Object.fromEntries(
      Object.entries(object.metadata.labels ?? {}).map(([key, value]) => [`bare-${key.replaceAll('/', '-')}`, value]),
    ),
  });
  await leader.create(ResourceExport, { metadata: labels(exports), spec: exports.spec });
  await leader.create(ResourceImport, { metadata: labels(imports), spec: imports.spec });
  const { addressType, endpoints, ports } = slices;
  await importer.create(EndpointSlice, { metadata: labels(slices), addressType, endpoints, ports });
}

interface ChangePath {
  readonly from: Client;
  readonly to: Client;
  /** The slice to change; its Namespace is that of the imported one. */
  readonly slice: Slice;
  readonly labelSelector: string | undefined;
  readonly signal: AbortSignal;
}

/** A way for changes from one cluster to another, with a watch at its end. */
interface Way {
  /**
   * Sends the change of that number; returns the milliseconds from sending it until the watch shows
   * it.
   */
  change(index: number): Promise<number>;
  /** Rejects when the watch ends. */
  readonly failed: Promise<never>;
}

function watchedWay({ from, to, slice, labelSelector, signal }: ChangePath): Way {
  const { namespace: of = '', name } = slice.metadata;
  const waiting = new Map<string, (at: number) => void>();
  const follow = async (): Promise<never> => {
    for await (const { after } of changesOf({
      client: to,
      type: EndpointSlice,
      namespace: of,
      labelSelector,
      signal,
    })) {
      for (const { addresses } of after?.endpoints ?? []) waiting.get(addresses[0] ?? '')?.(performance.now());
    }
    throw new Error('the watch has ended');
  };
  const failed = follow();
  // Callers that wait for a change get the error.
  failed.catch(() => {});
  return {
    async change(index) {
      const address = `10.77.${index >> 8}.${index & 255}`;
      const { promise, resolve } = Promise.withResolvers<number>();
      waiting.set(address, resolve);
      const { endpoints } = endpointsOf(of, name, [address, '10.76.0.1']);
      const sentAt = performance.now();
      await from.patch(EndpointSlice, { namespace: of, name }, { type: 'merge', body: { endpoints } }, { signal });
      const at = await Promise.race([promise, failed]);
      waiting.delete(address);
      return at - sentAt;
    },
    failed,
  };
}

const warmUp = 30;
const pauseMs = 60;
