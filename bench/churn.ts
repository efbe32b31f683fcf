// Long churn, thousands of exports of one member, and both at once, on real API servers.
import { constants, setPriority } from 'node:os';
import {
  ClusterSet,
  EndpointSlice,
  FixedName,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceExport,
} from '@isthmus/api';
import { clusterSetName } from '@isthmus/fleet-sim';
import { whenManyArrived } from './arrival.ts';
import type { BenchOptions } from './bench-options.ts';
import type { Controllers } from './controllers.ts';
import { prepareControllers } from './controllers.ts';
import { endpointsOf, exportServices, serviceNames } from './exported-services.ts';
import { joinedFleet } from './fleet.ts';
import { idleLoop } from './idle-loop.ts';
import { inParallel } from './in-parallel.ts';
import { usageOf } from './machine.ts';
import { pause } from './pause.ts';
import type { Figure } from './report.ts';
import { percentile } from './statistics.ts';

const namespace = 'shop';

/** Memory of the controllers, in megabytes, at one moment. */
interface Sample {
  readonly minute: number;
  readonly residentMB: Readonly<Record<string, number>>;
}

/**
 * Fifty changes a second for so many minutes: endpoints of 200 Services, each tenth change an
 * export that comes or goes. What is resident each minute, and how long one change takes from the
 * exporter's API server to the importer's while that goes on.
 */
export async function measureChurn(options: BenchOptions, note: (figure: Figure) => void): Promise<void> {
  const { signal, say, minutes } = options;
  await using fleet = await joinedFleet(['west', 'east']);
  await using controllers = await prepareControllers(fleet.clusters, {
    ...options,
    program: options.program.path,
    endpointIPType: 'ClusterIP',
    metrics: true,
  });
  const [west, east] = [fleet.cluster('west'), fleet.cluster('east')];
  for (const cluster of [west, east]) await cluster.user.namespace(namespace);
  const names = serviceNames(200);
  await exportServices(west, namespace, names, signal);
  controllers.start();
  await whenManyArrived({ client: east.admin, type: EndpointSlice, namespace, signal }, names.length);
  for (const pid of controllers.pids.values()) preferred(pid);
  await using idle = idleLoop();
  say(`churn for ${minutes} minutes begins`);
  const from = performance.now();
  const samples: Sample[] = [sampleOf(controllers, 0)];
  const [lags, idleLags]: [number[], number[]] = [[], []];
  let changes = 0;
  const change = async (index: number): Promise<void> => {
    const name = names[index % names.length] ?? '';
    const ref = { namespace, name };
    if (index % 10 === 9) {
      // It may come or go while another change of it is under way.
      const comes = Math.floor(index / names.length) % 2 === 1;
      if (comes) await west.admin.create(ServiceExport, { metadata: ref }, { signal }).catch(() => undefined);
      else await west.admin.delete(ServiceExport, ref, { signal }).catch(() => undefined);
      return;
    }
    const addresses = [`10.${50 + (index % 50)}.${(index >> 8) & 255}.${index & 255}`];
    const { metadata, endpoints } = endpointsOf(namespace, name, addresses);
    await west.admin.patch(EndpointSlice, metadata, { type: 'merge', body: { endpoints } }, { signal });
  };
  const underway = new Set<Promise<void>>();
  while (performance.now() - from < minutes * 60_000) {
    signal.throwIfAborted();
    controllers.failed.throwIfAborted();
    const one = change(changes).finally(() => underway.delete(one));
    underway.add(one);
    if (underway.size >= mostUnderway) await Promise.race(underway);
    changes++;
    const dueMs = from + changes * (1_000 / perSecond) - performance.now();
    if (dueMs > 0) await pause(dueMs);
    const minute = Math.floor((performance.now() - from) / 60_000);
    if (minute > (samples.at(-1)?.minute ?? 0)) {
      samples.push(sampleOf(controllers, minute));
      lags.push(...(await eventLoopLags(controllers)));
      idleLags.push(await idle.lagMs());
      say(`minute ${minute}: ${changes} changes, ${JSON.stringify(samples.at(-1)?.residentMB)}`);
    }
  }
  await Promise.all(underway);
  const rate = (1_000 * changes) / (performance.now() - from);
  const [first, last] = [samples[Math.min(2, samples.length - 1)], samples.at(-1)];
  for (const cluster of ['north', 'west', 'east']) {
    const [before, after] = [first?.residentMB[cluster] ?? 0, last?.residentMB[cluster] ?? 0];
    note({
      row: 'churn',
      what: `resident memory of ${cluster} after ${first?.minute} and after ${last?.minute} minutes of ${rate.toFixed(0)} changes a second (${changes} in all)`,
      value: `${Math.round(before)} MB, ${Math.round(after)} MB`,
      goal: 'level',
      met: after < before * 1.15 + 5,
      data: samples,
    });
  }
  const [longest, middle] = [Math.max(...lags), percentile(lags, 0.5)];
  const [idleLongest, idleMiddle] = [Math.max(...idleLags), percentile(idleLags, 0.5)];
  const shown = [middle, longest, idleMiddle, idleLongest].map((ms) => `${Math.round(ms)} ms`);
  note({
    row: 'churn',
    what: `event loop of a controller, p99 of each minute, median and longest of ${lags.length}; of an idle process beside them`,
    value: `${shown.slice(0, 2).join(', ')}; ${shown.slice(2).join(', ')}`,
    goal: 'median within 50 ms of the idle one',
    met: middle - idleMiddle < 50,
    data: { lags, idleLags },
  });
}

/**
 * Gives a process priority over others, where this user may. Otherwise its delays show how many API
 * servers want the same processors, not how long the process itself keeps its event loop busy.
 */
function preferred(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST + 5);
  } catch {
    // Only root may.
  }
}

const perSecond = 50;
const mostUnderway = 32;
const flapsPerSecond = 100;

function sampleOf({ pids }: Controllers, minute: number): Sample {
  return { minute, residentMB: Object.fromEntries([...pids].map(([name, pid]) => [name, usageOf(pid).residentMB])) };
}

/**
 * The 99th percentile of the delay of each controller's event loop, in milliseconds, by its own
 * metrics.
 */
async function eventLoopLags({ metricsOf }: Controllers): Promise<readonly number[]> {
  const found: number[] = [];
  for (const [, url] of metricsOf) {
    const text = await (await fetch(url)).text();
    const seconds = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)$/m.exec(text)?.[1];
    if (seconds !== undefined) found.push(Number(seconds) * 1_000);
  }
  return found;
}

/** So many small exports of one member at the leader, which it had while no controller ran. */
export async function measureMany(options: BenchOptions, note: (figure: Figure) => void): Promise<void> {
  const { signal, say } = options;
  const count = options.exports;
  await using fleet = await joinedFleet([]);
  const [leader] = fleet.clusters;
  if (leader === undefined) throw new Error('the fleet has no leader');
  await using controllers = await prepareControllers(fleet.clusters, {
    ...options,
    program: options.program.path,
    endpointIPType: 'ClusterIP',
  });
  const area = FixedName.leaderNamespace;
  const ports = [{ name: 'http', protocol: 'TCP', port: 80 }] as const;
  const names = Array.from({ length: count }, (_, index) => `s-${String(index).padStart(5, '0')}`);
  await inParallel(names, 16, async (name) => {
    const spec = { clusterID: 'west', namespace, name };
    const labels = { sourceClusterID: 'west' };
    const metadata = (kind: string) => ({ name: `west-${namespace}-${name}-${kind}`, namespace: area, labels });
    const service = { serviceSpec: { ports } };
    const endpoints = { subsets: [{ addresses: [{ ip: '10.96.7.7' }], ports }] };
    await leader.admin.create(ResourceExport, {
      metadata: metadata('service'),
      spec: { ...spec, kind: 'Service', service },
    });
    await leader.admin.create(ResourceExport, {
      metadata: metadata('endpoints'),
      spec: { ...spec, kind: 'Endpoints', endpoints },
    });
  });
  say(`${count} Services of one member are exported`);
  const from = performance.now();
  controllers.start();
  const limit = AbortSignal.any([signal, controllers.failed]);
  await whenManyArrived({ client: leader.admin, type: ResourceImport, namespace: area, signal: limit }, 3 * count);
  const seconds = (performance.now() - from) / 1_000;
  await pause(5_000);
  const usage = usageOf(controllers.pids.get('north') ?? 0);
  const clusterSet = await leader.admin.get(ClusterSet, { namespace: area, name: clusterSetName });
  const isIgnored = (clusterSet.status?.conditions ?? []).some(({ type }) => type === 'ExportsIgnored');
  note({
    row: 'many',
    what: `${count} small exports of one member, all published by the leader from cold`,
    value: `${seconds.toFixed(1)} s, ${((1_000 * seconds) / count).toFixed(1)} ms each; leader ${Math.round(usage.residentMB)} MB${isIgnored ? '; some ignored' : ''}`,
    goal: 'none ignored',
    met: !isIgnored,
    data: { seconds, usage },
  });
}

/**
 * One Service that flaps a hundred times a second beside a thousand others, of which one changes
 * now and then.
 */
export async function measureFlapping(options: BenchOptions, note: (figure: Figure) => void): Promise<void> {
  const { signal, say } = options;
  await using fleet = await joinedFleet(['west', 'east']);
  await using controllers = await prepareControllers(fleet.clusters, {
    ...options,
    program: options.program.path,
    endpointIPType: 'ClusterIP',
  });
  const [west, east] = [fleet.cluster('west'), fleet.cluster('east')];
  for (const cluster of [west, east]) await cluster.user.namespace(namespace);
  const names = serviceNames(options.services);
  await exportServices(west, namespace, names, signal);
  controllers.start();
  await whenManyArrived({ client: east.admin, type: EndpointSlice, namespace, signal }, names.length);
  await pause(5_000);
  const ports = (port: number) => [{ name: 'http', port, protocol: 'TCP' as const, targetPort: 8080 }];
  const change = async (index: number): Promise<number> => {
    const name = names[index] ?? '';
    const port = 9_000 + index;
    const from = performance.now();
    await west.admin.patch(Service, { namespace, name }, { type: 'merge', body: { spec: { ports: ports(port) } } });
    const arrived = async () =>
      (await east.admin.get(Service, { namespace, name: `antrea-mc-${name}` })).spec?.ports?.[0]?.port === port;
    while (!(await arrived())) await pause(20);
    return performance.now() - from;
  };
  const series = async (first: number): Promise<readonly number[]> => {
    const times: number[] = [];
    for (let index = first; index < first + 40; index++) {
      signal.throwIfAborted();
      times.push(await change(index));
    }
    return times;
  };
  const quiet = await series(1);
  const stop = new AbortController();
  let rate = 0;
  const flapping = (async () => {
    const begun = performance.now();
    for (let round = 0; !stop.signal.aborted; round++) {
      const ref = { namespace, name: names[0] ?? '' };
      if (round % 2 === 0) await west.admin.delete(ServiceExport, ref).catch(() => undefined);
      else await west.admin.create(ServiceExport, { metadata: ref }).catch(() => undefined);
      const dueMs = begun + (round + 1) * (1_000 / flapsPerSecond) - performance.now();
      if (dueMs > 0) await pause(dueMs);
      rate = (1_000 * (round + 1)) / (performance.now() - begun);
    }
  })();
  say('one Service flaps');
  const beside = await series(50);
  stop.abort();
  await flapping;
  const text = (times: readonly number[]) =>
    `${percentile(times, 0.5).toFixed(0)} / ${percentile(times, 0.99).toFixed(0)} ms`;
  const ratio = percentile(beside, 0.5) / percentile(quiet, 0.5);
  note({
    row: 'flap',
    what: `a change of one of ${names.length} Services until the importer has it, p50 and p99 of 40, alone and beside one that flaps ${rate.toFixed(0)} times a second`,
    value: `${text(quiet)}; ${text(beside)} = ${ratio.toFixed(2)}`,
    goal: 'p50 within 2',
    met: ratio < 2,
    data: { quiet, beside },
  });
}
