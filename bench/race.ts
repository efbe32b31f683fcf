// Row race: this version and another one in turn, on the same machine in the same run, so that whatever else the machine does befalls both alike.
import { ServiceImport } from '@isthmus/api';
import { whenArrived } from './arrival.ts';
import type { BenchOptions } from './bench-options.ts';
import type { Converged } from './convergence.ts';
import { converge, exporter, namespace } from './convergence.ts';
import { measureEndpointChanges } from './endpoint-change.ts';
import { exportServices } from './exported-services.ts';
import { joinedFleet } from './fleet.ts';
import { usageOf } from './machine.ts';
import { pause } from './pause.ts';
import type { Figure } from './report.ts';
import { percentile } from './statistics.ts';

/** What one version needed for so many Services of one exporter, in a leader and two members. */
interface Bulk {
  readonly seconds: number;
  /** Seconds of processor time of the three controllers, from their start until all was there. */
  readonly cpu: number;
  /** Of the member that only imports, after ten seconds without work. */
  readonly memberMB: number;
  readonly leaderMB: number;
  /** Accepted writes per exported Service. */
  readonly atLeader: number;
  readonly inAll: number;
  /** Milliseconds from the kill of the leader's controller, which is started again at once, until a Service exported meanwhile is imported. */
  readonly back: readonly number[];
}

/** The two that race. */
const sides = ['this', 'other'] as const;
type Side = (typeof sides)[number];
type Both<T> = Readonly<Record<Side, readonly T[]>>;

const members = [exporter, 'east'] as const;
const smallCount = 100;
const smallRounds = 3;
const kills = 3;

/** Errors: no other version was named. */
export async function measureRace(options: BenchOptions, note: (figure: Figure) => void): Promise<void> {
  const { against } = options;
  if (against === undefined) throw new Error('row race needs --against: the checkout of another version');
  const optionsOf = { this: options, other: { ...options, program: against.program } };
  const inTurn = async <T>(
    rounds: number,
    what: string,
    measure: (own: BenchOptions) => Promise<T>,
  ): Promise<Both<T>> => {
    const found: { this: T[]; other: T[] } = { this: [], other: [] };
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) {
        options.say(`${what}, ${side} version, round ${round + 1} of ${rounds}`);
        found[side].push(await measure(optionsOf[side]));
      }
    }
    return found;
  };
  for (const { count, rounds } of sizesOf(options.services)) {
    const bulks = await inTurn(rounds, `${count} Services`, (own) => measureBulk(own, count));
    noteBulks(`${count} Services from one cluster, leader and two members, cold`, bulks, note);
  }
  const changes = await inTurn(1, 'endpoint changes', async (own) => {
    await using fleet = await joinedFleet(members);
    return (await measureEndpointChanges(fleet, own)).ours;
  });
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    note(
      compared(
        `one endpoint change, exporter's API server to importer's, ${name} of ${options.changes}`,
        'ms',
        changes,
        (all) => percentile(all, share),
      ),
    );
  }
}

/** The small size, and the large one once. */
function sizesOf(large: number): readonly { readonly count: number; readonly rounds: number }[] {
  const small = { count: Math.min(smallCount, large), rounds: smallRounds };
  return large > smallCount ? [small, { count: large, rounds: 1 }] : [small];
}

async function measureBulk(options: BenchOptions, count: number): Promise<Bulk> {
  await using converged = await converge(options, count, members);
  const { cost, controllers } = converged;
  const { counts } = converged.writes();
  // The state of members, which the ClusterSet shows, has nothing to do with Services.
  const ofServices = counts.filter(({ resource }) => !resource.startsWith('clustersets'));
  const sum = (found: typeof counts) => found.reduce((total, one) => total + one.count, 0) / count;
  await pause(10_000);
  const residentMB = (name: string) => usageOf(controllers.pids.get(name) ?? 0).residentMB;
  return {
    seconds: cost.ms / 1000,
    cpu: cost.writerCpu,
    memberMB: residentMB('east'),
    leaderMB: residentMB('north'),
    atLeader: sum(ofServices.filter(({ cluster }) => cluster === 'north')),
    inAll: sum(ofServices),
    back: await killedLeader(converged, options),
  };
}

/** As on a Node: the container that was killed is started again at once, under the name of its Pod. */
async function killedLeader(
  { fleet, controllers, services }: Converged,
  options: BenchOptions,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < kills; round++) {
    const name = `after-kill-${round}`;
    const end = new AbortController();
    const signal = AbortSignal.any([options.signal, controllers.failed, end.signal]);
    const awaited = { client: fleet.cluster('east').admin, type: ServiceImport, namespace, signal };
    const arrival = whenArrived(awaited, 1, ({ metadata }) => metadata.name === name);
    const from = performance.now();
    try {
      await controllers.kill('north');
      controllers.start();
      await exportServices(fleet.cluster(exporter), namespace, [name], options.signal);
      times.push((await arrival) - from);
    } finally {
      end.abort(new Error('over'));
      await arrival.catch(() => {});
    }
    options.say(`${services.length} Services: the killed leader was back after ${Math.round(times.at(-1) ?? 0)} ms`);
  }
  return times;
}

function noteBulks(what: string, bulks: Both<Bulk>, note: (figure: Figure) => void): void {
  note(compared(`${what}: time`, 's', bulks, ({ seconds }) => seconds));
  note(compared(`${what}: processor time of the controllers`, 's', bulks, ({ cpu }) => cpu));
  note(compared(`${what}: resident memory of the importing member`, 'MB', bulks, ({ memberMB }) => memberMB));
  note(compared(`${what}: resident memory of the leader's controller`, 'MB', bulks, ({ leaderMB }) => leaderMB));
  note(compared(`${what}: writes at the leader for each`, '', bulks, ({ atLeader }) => atLeader));
  note(compared(`${what}: writes in all three clusters for each`, '', bulks, ({ inAll }) => inAll));
  note(
    compared(
      `${what}: a killed leader is back, median of ${kills}`,
      's',
      bulks,
      ({ back }) => percentile(back, 0.5) / 1000,
    ),
  );
}

/** The medians of both sides, and how many times as much this version needs. */
function compared<T>(what: string, unit: string, both: Both<T>, value: (one: T) => number): Figure {
  const [mine, theirs] = sides.map((side) => percentile(both[side].map(value), 0.5));
  const text = (found = 0) => `${found.toFixed(unit === 'MB' ? 0 : 2)}${unit === '' ? '' : ` ${unit}`}`;
  return {
    row: 'race',
    what,
    value: `${text(mine)} / ${text(theirs)} = ${((mine ?? 0) / (theirs ?? 1)).toFixed(2)}`,
    goal: '',
    met: undefined,
    data: both,
  };
}
