import type { Policy } from '../policy/policy.ts';
import type { Waves } from './input/plan-input.ts';

/** The user's waves, which win over those of the policies. */
export interface WantedWaves {
  /** How many clusters are canaries, or which: those names, of the families that have them. */
  readonly canary?: number | undefined;
  readonly canaries?: readonly string[] | undefined;
  readonly shares?: readonly number[] | undefined;
  readonly size?: number | undefined;
  readonly clustersAtOnce?: number | undefined;
  readonly nodesAtOnce?: number | undefined;
  readonly soakSeconds?: number | undefined;
}

/**
 * The waves that were asked for, else those of the policy that has any, else one canary, a quarter,
 * the rest, and one Node at a time.
 */
export function wavesOf(wanted: WantedWaves, policies: readonly Policy[]): Waves {
  const said = policies.map(({ spec }) => spec.waves).find((one) => one !== undefined);
  const shares = wanted.shares ?? said?.shares ?? [25];
  return {
    canary: wanted.canary ?? said?.canary ?? 1,
    canaries: wanted.canaries,
    percent: [...shares.filter((share) => share < 100), 100],
    size: wanted.size,
    clustersAtOnce: wanted.clustersAtOnce,
    nodesAtOnce: wanted.nodesAtOnce ?? said?.nodesAtOnce ?? 1,
    soakSeconds: wanted.soakSeconds ?? said?.soakSeconds ?? 0,
  };
}
