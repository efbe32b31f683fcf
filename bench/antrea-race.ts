// Row antrea: Antrea's controllers and ours in turn, on the same machine in the same run, so that
// whatever else the machine does befalls both alike.
import { EndpointSlice, Label, Service, ServiceImportV1alpha1, importedPrefix } from '@isthmus/api';
import { changesOf, whenManyArrived } from './arrival.ts';
import type { BenchOptions } from './bench-options.ts';
import { changedServices } from './endpoint-change.ts';
import { endpointsOf, exportServices, serviceNames } from './exported-services.ts';
import { changeFigures, inTurn } from './in-turn.ts';
import { killedLeader, kills } from './killed-leader.ts';
import { usageOf } from './machine.ts';
import type { BothMakes, Make } from './make.ts';
import { comparedMakes, fleetOfMake, makes } from './make.ts';
import { pause } from './pause.ts';
import type { Figure } from './report.ts';
import { percentile } from './statistics.ts';
import { markAudit, writesSince } from './writes.ts';

/** The costs of one make for so many Services of one exporter, in a leader and two members. */
interface Bulk {
  readonly seconds: number;
  /** Seconds of processor time of the three controllers, from their start until all was there. */
  readonly cpu: number;
  /** Megabytes of each controller after twenty seconds without work. */
  readonly leaderMB: number;
  readonly importerMB: number;
  readonly exporterMB: number;
  /** Per exported Service. */
  readonly leaderWrites: number;
  readonly reads: number;
  /**
   * Milliseconds from the kill of the leader's controller, which is started again at once, until a
   * Service exported meanwhile is imported.
   */
  readonly back: readonly number[];
}

const members = ['west', 'east'];
const namespace = 'shop';
const smallCount = 100;
const warmUp = changedServices.length;

/** Errors: no program of Antrea was named. */
export async function measureAntreaRace(options: BenchOptions, note: (figure: Figure) => void): Promise<void> {
  const race = <T>(what: string, measure: (make: Make) => Promise<T>): Promise<BothMakes<T>> =>
    inTurn(makes, 1, (make) => {
      options.say(`${what}: ${make}`);
      return measure(make);
    });
  if (options.compileCache) {
    options.say('our controllers fill the compile cache');
    await measureBulk('Isthmus', { ...options, services: smallCount }, smallCount);
  }
  for (const count of new Set([Math.min(smallCount, options.services), options.services])) {
    const bulks = await race(`${count} Services`, (make) => measureBulk(make, options, count));
    const tell = (what: string, unit: string, value: (bulk: Bulk) => number) =>
      note(compared(`${count} Services, cold: ${what}`, unit, bulks, value));
    tell('until all are in the other member', 's', ({ seconds }) => seconds);
    tell('processor time of the three controllers', 's', ({ cpu }) => cpu);
    tell('memory of the leader', 'MB', ({ leaderMB }) => leaderMB);
    tell('memory of the importer', 'MB', ({ importerMB }) => importerMB);
    tell('memory of the exporter', 'MB', ({ exporterMB }) => exporterMB);
    tell('writes at the leader for each', '', ({ leaderWrites }) => leaderWrites);
    tell('reads everywhere for each', '', ({ reads }) => reads);
    tell(`the killed leader is back, median of ${kills}`, 's', ({ back }) => percentile(back, 0.5) / 1_000);
  }
  const changes = await race('endpoint changes', (make) => measureChanges(make, options));
  changeFigures(options.changes, changes, compared).forEach(note);
}

async function measureBulk(make: Make, options: BenchOptions, count: number): Promise<Bulk> {
  await using own = await fleetOfMake(make, options, { members, namespace, endpointIPType: 'ClusterIP' });
  const { fleet, controllers } = own;
  const [west, east] = [fleet.cluster('west'), fleet.cluster('east')];
  await exportServices(west, namespace, serviceNames(count), options.signal);
  const mark = markAudit(fleet);
  const signal = AbortSignal.any([options.signal, controllers.failed]);
  const from = performance.now();
  controllers.start();
  const there = { client: east.admin, namespace, signal };
  const isImported = (name = '') => name.startsWith(importedPrefix);
  await whenManyArrived({ ...there, type: Service }, count, ({ metadata }) => isImported(metadata.name));
  await whenManyArrived({ ...there, type: ServiceImportV1alpha1 }, count);
  await whenManyArrived({ ...there, type: EndpointSlice }, count, ({ metadata }) =>
    isImported(metadata.labels?.[Label.serviceName]),
  );
  const seconds = (performance.now() - from) / 1_000;
  const usage = (name: string) => usageOf(controllers.pids.get(name) ?? 0);
  const cpu = [...controllers.pids.keys()].reduce((sum, name) => sum + usage(name).cpuSeconds, 0);
  const { counts, reads } = writesSince(fleet, mark);
  const leaderWrites = counts
    .filter(({ cluster, resource }) => cluster === 'north' && !resource.startsWith('clustersets'))
    .reduce((sum, one) => sum + one.count, 0);
  await pause(20_000);
  const [leaderMB, importerMB, exporterMB] = [
    usage('north').residentMB,
    usage('east').residentMB,
    usage('west').residentMB,
  ];
  const back = await killedLeader({ fleet, controllers, namespace, exporter: 'west', importer: 'east' }, options);
  return {
    seconds,
    cpu,
    leaderMB,
    importerMB,
    exporterMB,
    leaderWrites: leaderWrites / count,
    reads: reads / count,
    back,
  };
}

/** Milliseconds of each change, one after the other. */
async function measureChanges(make: Make, options: BenchOptions): Promise<readonly number[]> {
  await using own = await fleetOfMake(make, options, { members, namespace, endpointIPType: 'PodIP' });
  const { fleet, controllers } = own;
  const [west, east] = [fleet.cluster('west'), fleet.cluster('east')];
  await exportServices(west, namespace, changedServices, options.signal);
  controllers.start();
  const end = new AbortController();
  const signal = AbortSignal.any([options.signal, controllers.failed, end.signal]);
  const waiting = new Map<string, (atMs: number) => void>();
  const following = (async () => {
    for await (const { after } of changesOf({
      client: east.admin,
      type: EndpointSlice,
      namespace,
      signal,
    }))
      for (const { addresses } of after?.endpoints ?? []) waiting.get(addresses[0] ?? '')?.(performance.now());
  })();
  following.catch(() => {});
  const times: number[] = [];
  for (let index = 0; index < warmUp + options.changes; index++) {
    await pause(60 + (index % 7) * 10);
    const service = changedServices[index % changedServices.length] ?? '';
    const address = `10.77.${index >> 8}.${index & 255}`;
    const { promise, resolve } = Promise.withResolvers<number>();
    waiting.set(address, resolve);
    const { metadata, endpoints } = endpointsOf(namespace, service, [address, '10.76.0.1']);
    const sentAt = performance.now();
    await west.admin.patch(EndpointSlice, metadata, { type: 'merge', body: { endpoints } }, { signal });
    const at = await Promise.race([promise, following.then(() => Promise.reject(new Error('the watch has ended')))]);
    waiting.delete(address);
    if (index >= warmUp) times.push(at - sentAt);
  }
  end.abort(new Error('over'));
  return times;
}

const compared = <T>(what: string, unit: string, both: BothMakes<T>, value: (one: T) => number): Figure =>
  comparedMakes({ row: 'antrea', what, unit }, both, value);
