// Row race: this version and another one in turn, on the same machine in the same run, so that
// whatever else the machine does befalls both alike.
import type { BenchOptions } from './bench-options.ts';
import { converge, exporter, namespace } from './convergence.ts';
import { measureEndpointChanges } from './endpoint-change.ts';
import { joinedFleet } from './fleet.ts';
import type { InTurn } from './in-turn.ts';
import { changeFigures, compareMedians, inTurn } from './in-turn.ts';
import { killedLeader, kills } from './killed-leader.ts';
import { usageOf } from './machine.ts';
import { pause } from './pause.ts';
import type { Figure } from './report.ts';
import { percentile } from './statistics.ts';

/** The costs of one version for so many Services of one exporter, in a leader and two members. */
interface Bulk {
  readonly seconds: number;
  /** Seconds of processor time of the three controllers, from their start until all was there. */
  readonly cpu: number;
  /** The memory of the member that only imports, after ten seconds without work. */
  readonly memberMB: number;
  readonly leaderMB: number;
  /** Accepted writes per exported Service. */
  readonly atLeader: number;
  readonly inAll: number;
  /**
   * Milliseconds from the kill of the leader's controller, which is started again at once, until a
   * Service exported meanwhile is imported.
   */
  readonly back: readonly number[];
}

/** The two that race. */
const sides = ['this', 'other'] as const;
type Both<T> = InTurn<(typeof sides)[number], T>;

const members = [exporter, 'east'] as const;
const smallCount = 100;
const smallRounds = 3;

/** Errors: no other version was named. */
export async function measureRace(options: BenchOptions, note: (figure: Figure) => void): Promise<void> {
  const { against } = options;
  if (against === undefined) throw new Error('row race needs --against: the checkout of another version');
  const optionsOf = { this: options, other: { ...options, program: against.program } };
  const race = <T>(rounds: number, what: string, measure: (own: BenchOptions) => Promise<T>): Promise<Both<T>> =>
    inTurn(sides, rounds, (side, round) => {
      options.say(`${what}, ${side} version, round ${round + 1} of ${rounds}`);
      return measure(optionsOf[side]);
    });
  for (const { count, rounds } of sizesOf(options.services)) {
    const bulks = await race(rounds, `${count} Services`, (own) => measureBulk(own, count));
    noteBulks(`${count} Services from one cluster, leader and two members, cold`, bulks, note);
  }
  const changes = await race(1, 'endpoint changes', async (own) => {
    await using fleet = await joinedFleet(members);
    return (await measureEndpointChanges(fleet, own)).ours;
  });
  changeFigures(options.changes, changes, compared).forEach(note);
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
    back: await killedLeader({ ...converged, namespace, exporter, importer: 'east' }, options),
  };
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
  const { first, second, ratio } = compareMedians(both, sides, unit, value);
  return {
    row: 'race',
    what,
    value: `${first} / ${second} = ${ratio}`,
    goal: '',
    met: undefined,
    data: both,
  };
}
