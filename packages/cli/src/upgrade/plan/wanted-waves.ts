import { sharesProblem } from '@isthmus/upgrade';
import type { FleetSnapshot, WantedWaves } from '@isthmus/upgrade';
import type { GivenFlags } from '../../command/flag.ts';
import { UsageError } from '../../usage-error.ts';
import { namesText } from './chosen-clusters.ts';
import { durationSeconds } from '../flags/duration.ts';
import type { planFlags } from './plan-flags.ts';

type WaveFlags = Pick<
  GivenFlags<typeof planFlags>,
  'canary' | 'wave-share' | 'wave-size' | 'concurrency' | 'soak' | 'nodes' | 'max-unreachable'
>;

/** What the flags say of waves. Errors: {@link UsageError} for what is not a number, share or duration, and for numbers that leave nothing to move. */
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

/** Errors: {@link UsageError} for a canary that is not a cluster of the snapshot, or one that moves before all waves. */
export function demandCanaries({ canaries = [] }: WantedWaves, { spec }: FleetSnapshot): void {
  const byName = new Map(spec.clusters.map((one) => [one.name, one]));
  for (const name of canaries) {
    const roles = byName.get(name)?.roles;
    if (roles === undefined)
      throw new UsageError(
        `--canary ${name}: the snapshot has no such cluster (there are: ${namesText(spec.clusters)})`,
      );
    const leads = roles.includes('leader') || roles.includes('management');
    if (leads && !roles.includes('member'))
      throw new UsageError(`--canary ${name}: it is a ${roles.join(' and ')}, which is upgraded before all waves`);
  }
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
