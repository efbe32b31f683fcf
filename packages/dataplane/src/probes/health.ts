import type { ProbeResult } from './probe.ts';

/**
 * The state of the other end of a tunnel, from probes. Times are in milliseconds of a monotonic
 * clock.
 */
export interface Health {
  /** `new`: it has not answered yet. Only an `alive` end takes the place of others. */
  readonly state: 'new' | 'alive' | 'dead';
  /** Consecutive probes without an answer; while it is dead, with an answer. */
  readonly inARow: number;
  /** How often it has died without a calm period in between; 0 until it was alive. */
  readonly deaths: number;
  /** When it entered this state. */
  readonly sinceMs: number;
}

/** After so many consecutive misses it is dead. */
export const missesToDie = 3;
const fewestAnswers = 3;
const mostAnswers = 96;
/** After so long alive, its former deaths are forgotten. */
const calmMs = 120_000;

export function newHealth(nowMs: number): Health {
  return { state: 'new', inARow: 0, deaths: 0, sinceMs: nowMs };
}

/**
 * The state after one more probe. An end that dies again soon after its return needs twice as many
 * consecutive answers as before. A gateway that comes and goes therefore moves flows less and less
 * often.
 */
export function afterProbe(health: Health, { kind }: Pick<ProbeResult, 'kind'>, nowMs: number): Health {
  if (kind === 'impossible') return health;
  const isAnswer = kind === 'answered';
  switch (health.state) {
    case 'new':
      return isAnswer ? { ...health, state: 'alive', inARow: 0, sinceMs: nowMs } : died(health, nowMs);
    case 'alive':
      return isAnswer ? { ...health, inARow: 0 } : died(health, nowMs);
    case 'dead': {
      if (!isAnswer) return { ...health, inARow: 0 };
      const inARow = health.inARow + 1;
      if (inARow < answersToReturn(health)) return { ...health, inARow };
      return { ...health, state: 'alive', inARow: 0, sinceMs: nowMs };
    }
  }
}

/**
 * After so long dead, a gateway is probed only in some of the rounds: a ClusterSet may have many
 * gateways that are gone permanently.
 */
const longDeadMs = 60_000;
const roundsOfLongDead = 4;

/** A gateway that has been dead for a minute is probed more rarely, until it answers. */
export function roundsBetweenProbes({ state, inARow, sinceMs }: Health, nowMs: number): number {
  return state === 'dead' && inARow === 0 && nowMs - sinceMs >= longDeadMs ? roundsOfLongDead : 1;
}

/** How many consecutive answers make it alive again. If it was never alive, one is enough. */
const answersToReturn = ({ deaths }: Health) =>
  deaths === 0 ? 1 : Math.min(fewestAnswers * 2 ** (deaths - 1), mostAnswers);

function died(health: Health, nowMs: number): Health {
  const inARow = health.inARow + 1;
  if (inARow < missesToDie) return { ...health, inARow };
  if (health.state === 'new') return { ...health, state: 'dead', inARow: 0, sinceMs: nowMs };
  const wasCalm = nowMs - health.sinceMs >= calmMs;
  return { state: 'dead', inARow: 0, deaths: wasCalm ? 1 : health.deaths + 1, sinceMs: nowMs };
}
