import type { ProbeResult } from './probe.ts';

/** What probes say about the other end of a tunnel. Times are in milliseconds of a monotonic clock. */
export interface Health {
  /** `new`: it has not answered yet. Only one that is `alive` takes the place of others. */
  readonly state: 'new' | 'alive' | 'dead';
  /** Probes in a row without an answer; while it is dead, with one. */
  readonly inARow: number;
  /** How often it has died without being calm in between; 0 until it was alive. */
  readonly deaths: number;
  /** When it came to this state. */
  readonly sinceMs: number;
}

/** Missed in a row: then it is dead. */
export const missesToDie = 3;
const fewestAnswers = 3;
const mostAnswers = 96;
/** Alive for so long, it has paid for its former deaths. */
const calmMs = 120_000;

export function newHealth(nowMs: number): Health {
  return { state: 'new', inARow: 0, deaths: 0, sinceMs: nowMs };
}

/**
 * The state after one more probe. One that dies again soon after its return has to answer twice as often in a row as before: a gateway that comes and goes
 * moves flows ever more rarely.
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

/** Dead for so long, a gateway is probed in every so many rounds only: a ClusterSet may have many that are gone for good. */
const longDeadMs = 60_000;
const roundsOfLongDead = 4;

/** One that has been dead for a minute is probed more rarely, until it answers. */
export function roundsBetweenProbes({ state, inARow, sinceMs }: Health, nowMs: number): number {
  return state === 'dead' && inARow === 0 && nowMs - sinceMs >= longDeadMs ? roundsOfLongDead : 1;
}

/** How many answers in a row bring it back from the dead; where it was never alive, there is nothing to bring back. */
const answersToReturn = ({ deaths }: Health) =>
  deaths === 0 ? 1 : Math.min(fewestAnswers * 2 ** (deaths - 1), mostAnswers);

function died(health: Health, nowMs: number): Health {
  const inARow = health.inARow + 1;
  if (inARow < missesToDie) return { ...health, inARow };
  if (health.state === 'new') return { ...health, state: 'dead', inARow: 0, sinceMs: nowMs };
  const wasCalm = nowMs - health.sinceMs >= calmMs;
  return { state: 'dead', inARow: 0, deaths: wasCalm ? 1 : health.deaths + 1, sinceMs: nowMs };
}
