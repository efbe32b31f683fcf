// Row 2: one endpoint change, from the exporter's API server to the importer's.
import type { EndpointSlice as Slice, ResourceImport as ResourceImportObject } from '@isthmus/api';
import { EndpointSlice, Label, Namespace, ResourceExport, ResourceImport } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { changesOf } from './arrival.ts';
import { runBareChain } from './bare-chain.ts';
import type { BenchOptions } from './bench-options.ts';
import { prepareControllers } from './controllers.ts';
import { endpointsOf, exportServices } from './exported-services.ts';
import { baseClient, joinedFleet } from './fleet.ts';
import { pause } from './pause.ts';

export interface EndpointChange {
  /** Milliseconds of each change, from sending it until a watch shows it in the other cluster. */
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

const namespace = 'shop';
const service = 'cart';

/** Both chains in one fleet, one after the other. */
export async function measureEndpointChanges(options: BenchOptions): Promise<EndpointChange> {
  await using fleet = await joinedFleet(['west', 'east']);
  const ours = await throughControllers(fleet, options);
  options.say(`${ours.length} changes went through the controllers; now the bare chain`);
  return { ours, bare: await throughBareChain(fleet, options) };
}

async function throughControllers(fleet: RealFleet, options: BenchOptions): Promise<readonly number[]> {
  const { program, profileInto } = options;
  await using controllers = await prepareControllers(fleet.clusters, {
    program: program.path,
    endpointIPType: 'PodIP',
    profileInto,
  });
  const [west, east] = [fleet.cluster('west'), fleet.cluster('east')];
  await Promise.all([west, east].map(({ user }) => user.namespace(namespace)));
  await exportServices(west, namespace, [service], options.signal);
  controllers.start();
  const signal = AbortSignal.any([options.signal, controllers.failed]);
  const path = { from: west.admin, to: east.admin, slice: endpointsOf(namespace, service, []) };
  return await timeChanges({ ...path, labelSelector: `${Label.mcsServiceName}=${service}`, signal }, options.changes);
}

async function throughBareChain(fleet: RealFleet, options: BenchOptions): Promise<readonly number[]> {
  const [west, north, east] = [fleet.cluster('west'), fleet.cluster('north'), fleet.cluster('east')];
  const bare = { namespace: 'bare', name: 'cart' };
  for (const { admin } of [west, north, east]) await admin.create(Namespace, { metadata: { name: bare.namespace } });
  // The objects as the controllers had them: what the chain then changes has the size that it had there.
  await copyInto(bare, north.admin, east.admin);
  const slice = endpointsOf(bare.namespace, bare.name, ['10.76.0.1']);
  await west.admin.create(EndpointSlice, slice);
  await using stack = new AsyncDisposableStack();
  const client = async (cluster: RealCluster) => stack.adopt(await baseClient(cluster), (opened) => opened.close());
  const [exporter, leader, importer] = [await client(west), await client(north), await client(east)];
  const end = new AbortController();
  const signal = AbortSignal.any([options.signal, end.signal]);
  const chain = runBareChain({ exporter, leader, importer, ...bare, signal });
  await Promise.race([chain.ready, chain.ended]);
  const path = { from: west.admin, to: east.admin, slice, labelSelector: undefined, signal };
  const times = await Promise.race([timeChanges(path, options.changes), chain.ended.then(() => [])]);
  end.abort(new Error('over'));
  await chain.ended;
  return times;
}

async function copyInto(
  bare: { readonly namespace: string; readonly name: string },
  leader: Client,
  importer: Client,
): Promise<void> {
  const exports = (await leader.list(ResourceExport)).items.find(({ spec }) => spec?.kind === 'Endpoints');
  const imports = (await leader.list(ResourceImport)).items.find(
    ({ spec }: ResourceImportObject) => spec?.kind === 'EndpointSlices',
  );
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

/** Changes the endpoints of a slice again and again, each time after the last change has arrived and a pause. */
async function timeChanges(path: ChangePath, changes: number): Promise<readonly number[]> {
  const { from, to, slice, signal } = path;
  const { namespace: of = '', name } = slice.metadata;
  const end = new AbortController();
  const waiting = new Map<string, () => void>();
  const watching = (async () => {
    const watched = { client: to, type: EndpointSlice, namespace: of, labelSelector: path.labelSelector };
    for await (const { after } of changesOf({ ...watched, signal: AbortSignal.any([signal, end.signal]) })) {
      for (const { addresses } of after?.endpoints ?? []) waiting.get(addresses[0] ?? '')?.();
    }
  })();
  const change = async (index: number): Promise<number> => {
    const address = `10.77.${index >> 8}.${index & 255}`;
    const { promise, resolve } = Promise.withResolvers<number>();
    waiting.set(address, () => resolve(performance.now()));
    const { endpoints } = endpointsOf(of, name, [address, '10.76.0.1']);
    const sentAt = performance.now();
    await from.patch(EndpointSlice, { namespace: of, name }, { type: 'merge', body: { endpoints } }, { signal });
    const at = await Promise.race([promise, watching.then(() => Number.NaN), aborted(signal)]);
    waiting.delete(address);
    return at - sentAt;
  };
  try {
    // The first ones open connections and warm the code up; they are not counted.
    for (let index = 0; index < warmUp; index++) await change(index);
    const times: number[] = [];
    for (let index = 0; index < changes; index++) {
      await pause(pauseMs + (index % 7) * 10);
      times.push(await change(warmUp + index));
    }
    return times;
  } finally {
    end.abort(new Error('over'));
    await watching.catch(() => {});
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

const warmUp = 30;
/** A change on its own; bursts coalesce. */
const pauseMs = 60;
