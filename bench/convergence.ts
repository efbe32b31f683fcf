// Rows 1, 3 and 5: many Services from cold, what that cost in writes, and what is resident
// afterwards.
import { EndpointSlice, Label, ServiceExport, ServiceImport } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { RealFleet } from '@isthmus/testkit';
import { readyOfImport } from '@isthmus/testkit';
import { whenManyArrived } from './arrival.ts';
import { readWritten } from './bare-objects.ts';
import { writeBare } from './bare-writer.ts';
import type { BenchOptions } from './bench-options.ts';
import type { Controllers } from './controllers.ts';
import { prepareControllers } from './controllers.ts';
import { exportServices, serviceNames } from './exported-services.ts';
import { joinedFleet, serverPids } from './fleet.ts';
import { usageOf } from './machine.ts';
import type { ProcessUsage } from './machine.ts';
import { pause } from './pause.ts';
import type { WritesSince } from './writes.ts';
import { markAudit, writesSince } from './writes.ts';

/** A piece of work and the processor time that it took on each side. */
export interface Cost {
  readonly ms: number;
  /** Seconds of the API servers and their etcds, less what they use at rest. */
  readonly serverCpu: number;
  /** Processor time of the writer, in seconds. */
  readonly writerCpu: number;
}

export interface Converged extends AsyncDisposable {
  readonly cost: Cost;
  /** Processors that the API servers use at rest. */
  readonly atRest: number;
  readonly fleet: RealFleet;
  readonly controllers: Controllers;
  readonly services: readonly string[];
  /** The writes from the start of the controllers until the last object existed. */
  readonly writes: () => WritesSince;
}

export const exporter = 'west';
export const namespace = 'shop';

/**
 * Exports `count` Services of `west` while no controller runs, starts all controllers, and waits
 * until each importer has judged every ServiceImport, and has every EndpointSlice, and each
 * ServiceExport is Ready. The clock runs from the start of the processes. `importers`: all members,
 * of which `west` is one.
 */
export async function converge(
  options: BenchOptions,
  count: number,
  importers: readonly string[] = ['west', 'east', 'south'],
): Promise<Converged> {
  await using stack = new AsyncDisposableStack();
  const fleet = stack.use(await joinedFleet(importers));
  const controllers = stack.use(
    await prepareControllers(fleet.clusters, {
      ...options,
      program: options.program.path,
      endpointIPType: 'ClusterIP',
    }),
  );
  const services = serviceNames(count);
  await Promise.all(importers.map((name) => fleet.cluster(name).user.namespace(namespace)));
  await exportServices(fleet.cluster(exporter), namespace, services, options.signal);
  options.say(`${count} Services are exported from ${exporter}; the controllers start`);

  const atRest = await cpuShareAtRest(fleet);
  const mark = markAudit(fleet);
  const signal = AbortSignal.any([options.signal, controllers.failed]);
  const servers = totalCpu(serverPids(fleet));
  const from = performance.now();
  controllers.start();
  const ms = (await whenConverged(fleet, { count, importers, signal })) - from;
  const cost: Cost = {
    ms,
    serverCpu: totalCpu(serverPids(fleet)) - servers - (atRest * ms) / 1000,
    writerCpu: totalCpu([...controllers.pids.values()]),
  };
  const owned = stack.move();
  return {
    cost,
    atRest,
    fleet,
    controllers,
    services,
    writes: () => writesSince(fleet, mark),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The moment at which everything was there. What is written last is looked at first. */
async function whenConverged(
  fleet: RealFleet,
  {
    count,
    importers,
    signal,
  }: { readonly count: number; readonly importers: readonly string[]; readonly signal: AbortSignal },
): Promise<number> {
  const labelSelector = `${Label.mcsSourceCluster}=${exporter}`;
  const arrivals = importers.map(async (name) => {
    const where = { client: fleet.cluster(name).admin, namespace, signal };
    await whenManyArrived({ ...where, type: ServiceImport }, count, (object) => readyOfImport(object) === 'True Ready');
    return whenManyArrived({ ...where, type: EndpointSlice, labelSelector }, count);
  });
  await Promise.all(arrivals);
  return whenManyArrived(
    { client: fleet.cluster(exporter).admin, type: ServiceExport, namespace, signal },
    count,
    ({ status }) => conditionOf(status?.conditions, 'Ready')?.status === 'True',
  );
}

export interface Bare extends Cost {
  readonly parallelism: number;
  readonly writes: number;
  /** Milliseconds of the short run at each parallelism. */
  readonly probes: readonly { readonly parallelism: number; readonly ms: number }[];
}

/**
 * The same objects once more, by the bare writer, into fresh Namespaces of the same clusters. The
 * controllers must have been stopped. Short runs find the parallelism; the two fastest are run in
 * full, and the faster one counts.
 */
export async function convergeBare({ fleet, services, atRest }: Converged, { say }: BenchOptions): Promise<Bare> {
  using objects = await readWritten(fleet, namespace);
  const probes: { parallelism: number; ms: number }[] = [];
  for (const parallelism of [4, 8, 16, 32, 64]) {
    const writes = await objects.writesInto(`probe-${parallelism}`, services.slice(0, Math.ceil(services.length / 20)));
    probes.push({ parallelism, ms: await writeBare(writes, parallelism) });
  }
  const best = probes.toSorted((a, b) => a.ms - b.ms).slice(0, 2);
  const full: Bare[] = [];
  for (const { parallelism } of best) {
    const writes = await objects.writesInto(`bare-${parallelism}`, services);
    const [servers, own] = [totalCpu(serverPids(fleet)), ownCpu()];
    const ms = await writeBare(writes, parallelism);
    const requests = writes.flatMap(({ chains }) => chains).reduce((sum, chain) => sum + chain.length, 0);
    say(`bare writer, ${parallelism} in flight per API server: ${requests} writes in ${Math.round(ms)} ms`);
    full.push({
      ms,
      serverCpu: totalCpu(serverPids(fleet)) - servers - (atRest * ms) / 1000,
      writerCpu: ownCpu() - own,
      parallelism,
      writes: requests,
      probes,
    });
  }
  return full.reduce((a, b) => (b.ms < a.ms ? b : a));
}

export interface Resident {
  /** The use of the member that only imports, after 20 s without work. */
  readonly member: ProcessUsage;
  readonly exporter: ProcessUsage;
  readonly leader: ProcessUsage;
  readonly imports: number;
}

/**
 * A controller gives memory back when it has come to rest, and V8 returns the pages some seconds
 * later.
 */
const restMs = 20_000;

export async function residentAfterQuiet({ controllers, services }: Converged): Promise<Resident> {
  await pause(restMs);
  const usage = (name: string) => usageOf(controllers.pids.get(name) ?? 0);
  return { member: usage('east'), exporter: usage(exporter), leader: usage('north'), imports: services.length };
}

export interface QuietWrites {
  /** In a stretch without changes. */
  readonly quiet: WritesSince;
  readonly quietMs: number;
  /** After every controller was stopped and started again. */
  readonly restarted: WritesSince;
}

/** The writes while nothing changes. */
export async function writesWhenUnchanged({ fleet, controllers }: Converged): Promise<QuietWrites> {
  const quietMs = 20_000;
  const mark = markAudit(fleet);
  await pause(quietMs);
  const quiet = writesSince(fleet, mark);
  const before = markAudit(fleet);
  await controllers.stop();
  controllers.start();
  await pause(12_000);
  return { quiet, quietMs, restarted: writesSince(fleet, before) };
}

async function cpuShareAtRest(fleet: RealFleet): Promise<number> {
  await pause(2_000);
  const [from, before] = [performance.now(), totalCpu(serverPids(fleet))];
  await pause(4_000);
  return (1000 * (totalCpu(serverPids(fleet)) - before)) / (performance.now() - from);
}

function totalCpu(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + usageOf(pid).cpuSeconds, 0);
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}
