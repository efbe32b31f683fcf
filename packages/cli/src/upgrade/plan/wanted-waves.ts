import { leftAlone, sharesProblem } from '@isthmus/upgrade';
import type { FleetSnapshot, Plan, WantedWaves } from '@isthmus/upgrade';
import type { GivenFlags } from '../../command/flag.ts';
import { UsageError } from '../../command/usage-error.ts';
import { namesText } from './chosen-clusters.ts';
import { durationSeconds } from '../flags/duration.ts';
import type { planFlags } from './plan-flags.ts';

type WaveFlags = Pick<
  GivenFlags<typeof planFlags>,
  'canary' | 'wave-share' | 'wave-size' | 'concurrency' | 'soak' | 'nodes' | 'max-unreachable'
>;

/**
 * The waves that the flags ask for. Errors: {@link UsageError} for text that is not a number, share
 * or duration, and for numbers that leave no cluster or Node to move.
 */
export function wantedWaves(flags: WaveFlags): WantedWaves {
  const { canary, nodes, soak } = flags;
  const unreachable = flags['max-unreachable'] ?? 0;
  for (const name of ['wave-size', 'concurrency'] as const) {
    if ((flags[name] ?? 1) < 1) throw new UsageError(`--${name} ${flags[name]}: it must be at least 1`);
  }
  if (nodes !== undefined && nodes < 1) throw new UsageError(`--nodes ${nodes}: it must be at least 1`);
  if (unreachable < 0) throw new UsageError(`--max-unreachable ${unreachable}: it must not be negative`);
  return {
    ...(canary === undefined ? {} : canaryOf(canary)),
    shares: flags['wave-share'] === undefined ? undefined : sharesOf(flags['wave-share']),
    size: flags['wave-size'],
    clustersAtOnce: flags.concurrency,
    nodesAtOnce: nodes,
    soakSeconds: soak === undefined ? undefined : durationSeconds(soak, '--soak'),
  };
}

/**
 * Errors: {@link UsageError} for a canary that is not a cluster of the snapshot, one that the plan
 * does not change, and one that moves before all waves.
 */
export function demandCanaries(
  { canaries = [] }: WantedWaves,
  { spec }: FleetSnapshot,
  leftOut: ReadonlyMap<string, string>,
): void {
  const byName = new Map(spec.clusters.map((one) => [one.name, one]));
  const others = spec.clusters.filter((one) => leftAlone(one, { leftOut }) === undefined);
  for (const name of canaries) {
    const cluster = byName.get(name);
    if (cluster === undefined)
      throw new UsageError(
        `--canary ${name}: the snapshot has no such cluster (there are: ${namesText(spec.clusters)})`,
      );
    const why = leftAlone(cluster, { leftOut });
    if (why !== undefined)
      throw new UsageError(`--canary ${name}: the plan does not change it: ${why}; name another cluster`);
    const [role] = cluster.roles.filter((one) => one === 'leader' || one === 'management');
    if (role === undefined || cluster.roles.includes('member')) continue;
    if (others.filter(({ roles }) => roles.includes(role)).length < 2)
      throw new UsageError(
        `--canary ${name}: it is the only ${role} cluster of the plan, which is upgraded before all waves; name a cluster of the waves`,
      );
  }
}

/**
 * A line for the canaries that a plan does not change: another cluster, which the user did not
 * choose, goes first. Empty: there are none.
 */
export function missedCanaries({ canaries = [] }: WantedWaves, { spec }: Plan): string {
  if (spec.outcome !== 'ready') return '';
  const changed = new Set(spec.changes.flatMap(({ cluster, steps }) => (steps.length > 0 ? (cluster ?? []) : [])));
  const blocked = new Set(spec.leftOut.map(({ cluster }) => cluster));
  const missed = canaries.filter((one) => !changed.has(one));
  if (missed.length === 0) return '';
  const reasons = missed.map(
    (one) => `${one} ${blocked.has(one) ? 'is blocked and left out' : 'has nothing to upgrade'}`,
  );
  return `warning: --canary: ${reasons.join(', ')}, so other clusters may be upgraded without a canary that you chose; name another cluster\n`;
}

function canaryOf(text: string): WantedWaves {
  if (!/^-?\d+$/.test(text)) return { canaries: text.split(',') };
  if (text.startsWith('-') || text.length > 9) throw new UsageError(`--canary ${text}: it must be 0 or more`);
  return { canary: Number(text) };
}

function sharesOf(text: string): readonly number[] {
  const shares = text.split(',').map((one) => (/^\d{1,3}%?$/.test(one) ? Number(one.replace('%', '')) : Number.NaN));
  const problem = shares.some(Number.isNaN) ? 'expected percents such as 10%,50%' : sharesProblem(shares);
  if (problem !== undefined) throw new UsageError(`--wave-share ${text}: ${problem}`);
  return shares;
}
