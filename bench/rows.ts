import type { BenchOptions } from './bench-options.ts';
import type { Bare, Converged, Cost } from './convergence.ts';
import { converge, convergeBare, residentAfterQuiet, writesWhenUnchanged } from './convergence.ts';
import { measureAntreaRace } from './antrea-race.ts';
import { measureChurn, measureFlapping, measureMany } from './churn.ts';
import { measureIdentities, measureJoins, measureRestart } from './control-plane.ts';
import { measureEndpointChanges } from './endpoint-change.ts';
import { joinedFleet } from './fleet.ts';
import { measureFirstImports } from './first-import.ts';
import { measureJudge } from './judge.ts';
import { measureNetwork } from './network/measure.ts';
import { measureRace } from './race.ts';
import type { Figure } from './report.ts';
import { networkRows, sandboxRows } from './row-names.ts';
import { measureSandboxRows } from './sandbox/measure.ts';
import { measureUpgrade } from './upgrade/measure.ts';
import { BrokenBase, growthExponent, percentile, ratioToBase } from './statistics.ts';

/** Rows that are measured in one fleet, and how. */
export interface Scenario {
  readonly name: string;
  readonly rows: readonly string[];
  measure(options: BenchOptions, wanted: ReadonlySet<string>, note: (figure: Figure) => void): Promise<void>;
}

export const fleetScenarios: readonly Scenario[] = [
  // Measurements in milliseconds come first: after thousands of writes, the disk is busy for a
  // while.
  { name: 'one endpoint change', rows: ['2'], measure: measureChange },
  { name: 'first import', rows: ['4'], measure: measureStart },
  { name: 'cold convergence', rows: ['1', '3', '5'], measure: measureConvergence },
  { name: 'growth', rows: ['growth'], measure: measureGrowth },
  { name: "Antrea's controllers", rows: ['antrea'], measure: (options, _, note) => measureAntreaRace(options, note) },
  { name: 'this version and another one', rows: ['race'], measure: (options, _, note) => measureRace(options, note) },
];

export const sandboxScenarios: readonly Scenario[] = [
  { name: 'the sandbox', rows: sandboxRows, measure: measureSandboxRows },
];

export const upgradeScenarios: readonly Scenario[] = [
  { name: 'the rules of upgrades', rows: ['plan', 'crd', 'live'], measure: measureUpgrade },
  { name: 'the judge of networks', rows: ['judge'], measure: async (_options, _wanted, note) => measureJudge(note) },
];

export const networkScenarios: readonly Scenario[] = [
  { name: 'packets between clusters', rows: networkRows, measure: measureNetwork },
];

export const churnScenarios: readonly Scenario[] = [
  { name: 'churn', rows: ['churn'], measure: (options, _, note) => measureChurn(options, note) },
  { name: 'one flapping Service', rows: ['flap'], measure: (options, _, note) => measureFlapping(options, note) },
  { name: 'many exports of one member', rows: ['many'], measure: (options, _, note) => measureMany(options, note) },
  { name: 'label identities', rows: ['identities'], measure: (options, _, note) => measureIdentities(options, note) },
  { name: 'members that join at once', rows: ['joins'], measure: (options, _, note) => measureJoins(options, note) },
  {
    name: 'a leader that starts again',
    rows: ['restart'],
    measure: (options, _, note) => measureRestart(options, note),
  },
];

async function measureConvergence(
  options: BenchOptions,
  wanted: ReadonlySet<string>,
  note: (figure: Figure) => void,
): Promise<void> {
  await using converged = await converge(options, options.services);
  const { cost } = converged;
  options.say(`converged in ${seconds(cost.ms)}`);
  if (wanted.has('5')) noteMemory(await residentAfterQuiet(converged), note);
  if (wanted.has('3')) await noteWrites(converged, note);
  await converged.controllers.stop();
  if (wanted.has('1')) noteConvergence(cost, await convergeBare(converged, options), options.services, note);
}

function noteConvergence(cost: Cost, bare: Bare, services: number, note: (figure: Figure) => void): void {
  const ratio = cost.ms / bare.ms;
  note({
    row: '1',
    what: `${services} Services from one cluster into two others and its own, cold, against the bare writer (${bare.writes} writes, ${bare.parallelism} in flight per API server)`,
    value: `${seconds(cost.ms)} / ${seconds(bare.ms)} = ${ratio.toFixed(2)}`,
    goal: 'within 2',
    met: ratio <= 2,
    data: { ratio, ours: cost, bare },
  });
  ratioToBase(cost.ms, { ms: bare.ms, what: 'row 1: the bare writer' });
  const [ours, base] = [cost.serverCpu + cost.writerCpu, bare.serverCpu + bare.writerCpu];
  note({
    row: '1',
    what: 'the same in processor time, API servers and writer together',
    value: `${ours.toFixed(1)} s (${cost.writerCpu.toFixed(1)} ours) / ${base.toFixed(1)} s = ${(ours / base).toFixed(2)}`,
    goal: '',
    met: undefined,
    data: { ratio: ours / base },
  });
}

async function noteWrites(converged: Converged, note: (figure: Figure) => void): Promise<void> {
  const cold = converged.writes();
  if (cold.total === 0) throw new BrokenBase('row 3: the audit logs contain no write of the controllers');
  const count = converged.services.length;
  const { quiet, quietMs, restarted } = await writesWhenUnchanged(converged);
  // The state of members, which the ClusterSet shows, has nothing to do with Services.
  const ofMembers = cold.counts.filter(({ resource }) => resource.startsWith('clustersets'));
  const perService = (cold.total - ofMembers.reduce((sum, one) => sum + one.count, 0)) / count;
  note({
    row: '3',
    what: 'writes per exported Service: 13 objects (2 exports, 2 imports, 3 in each of 3 members) and 4 statuses',
    value: `${perService.toFixed(2)} (${cold.refused} refused)`,
    goal: '17',
    met: perService <= 17,
    data: { perService, cold },
  });
  note({
    row: '3',
    what: `writes in ${quietMs / 1000} s without changes, heartbeats aside`,
    value: String(quiet.total + quiet.refused),
    goal: 'none',
    met: quiet.total + quiet.refused === 0,
    data: quiet,
  });
  note({
    row: '3',
    what: 'writes when every controller is restarted, heartbeats aside',
    value: String(restarted.total + restarted.refused),
    goal: 'none',
    met: restarted.total + restarted.refused === 0,
    data: restarted,
  });
}

function noteMemory(resident: Awaited<ReturnType<typeof residentAfterQuiet>>, note: (figure: Figure) => void): void {
  const { member, exporter, leader, imports } = resident;
  note({
    row: '5',
    what: `resident memory of a member process with ${imports} imports, bundled, after 20 s of quiet`,
    value: `${Math.round(member.residentMB)} MB (peak ${Math.round(member.peakResidentMB)}); with ${imports} exports too ${Math.round(exporter.residentMB)}; leader ${Math.round(leader.residentMB)}`,
    goal: 'under 90 MB',
    met: member.residentMB < 90,
    data: resident,
  });
}

async function measureChange(
  options: BenchOptions,
  _: ReadonlySet<string>,
  note: (figure: Figure) => void,
): Promise<void> {
  await using fleet = await joinedFleet(['west', 'east']);
  const { ours, bare } = await measureEndpointChanges(fleet, options);
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const [mine, base] = [percentile(ours, share), percentile(bare, share)];
    const ratio = mine / base;
    note({
      row: '2',
      what: `one endpoint change, exporter's API server to importer's, ${name} of ${ours.length}, against the bare chain`,
      value: `${mine.toFixed(1)} ms / ${base.toFixed(1)} ms = ${ratio.toFixed(2)}`,
      goal: name === 'p99' ? 'within 2' : '',
      met: name === 'p99' ? ratio <= 2 : undefined,
      data: { ratio, ours: mine, bare: base, all: name === 'p50' ? { ours, bare } : undefined },
    });
    if (name === 'p50') ratioToBase(mine, { ms: base, what: 'row 2: the bare chain (p50)' });
  }
}

async function measureStart(
  options: BenchOptions,
  _: ReadonlySet<string>,
  note: (figure: Figure) => void,
): Promise<void> {
  const times = await measureFirstImports(options);
  for (const [kind, how, goal] of [
    ['bundle', 'three bundled processes', 'under 1 s'],
    ['sources', 'three processes from the sources', ''],
    ['inProcess', 'in one process that runs', ''],
  ] as const) {
    const median = percentile(times[kind], 0.5);
    note({
      row: '4',
      what: `controller start to first import, 3 clusters, median of ${times[kind].length}: ${how}`,
      value: `${Math.round(median)} ms (${times[kind].map((ms) => Math.round(ms)).join(', ')})`,
      goal,
      met: goal === '' ? undefined : median < 1000,
      data: times[kind],
    });
  }
}

async function measureGrowth(
  options: BenchOptions,
  _: ReadonlySet<string>,
  note: (figure: Figure) => void,
): Promise<void> {
  const points: { readonly size: number; readonly cost: number; readonly cpu: number }[] = [];
  for (const size of [100, 1_000, 5_000]) {
    await using converged = await converge(options, size);
    const { ms, serverCpu, writerCpu } = converged.cost;
    const before = points.at(-1);
    const point = { size, cost: ms, cpu: serverCpu + writerCpu };
    const exponent = before === undefined ? undefined : growthExponent(before, point);
    points.push(point);
    note({
      row: 'growth',
      what: `cold convergence of ${size} Services`,
      value: `${seconds(ms)}, ${(ms / size).toFixed(1)} ms each (processors: ${((1000 * point.cpu) / size).toFixed(1)} ms each, ${((1000 * writerCpu) / size).toFixed(1)} ours)${exponent === undefined ? '' : `; exponent ${exponent.toFixed(2)}`}`,
      goal: 'near linear',
      met: exponent === undefined ? undefined : exponent < 1.2,
      data: { size, ...converged.cost, exponent },
    });
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
