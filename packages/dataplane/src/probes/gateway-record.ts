import type { Health } from './health.ts';
import { afterProbe, newHealth } from './health.ts';
import type { ProbeResult } from './probe.ts';
import type { ProbedGateway } from './targets.ts';

/** The known facts about one gateway. */
export interface GatewayReport extends Health {
  readonly gateway: ProbedGateway;
  /** How many probes were sent and have ended. */
  readonly probes: number;
  /** The round-trip time of the last answer. Undefined: there was none yet. */
  readonly roundTripMs: number | undefined;
  /** The median of at most the last {@link lossWindow} answers. Undefined: there was none yet. */
  readonly typicalRoundTripMs: number | undefined;
  /** The share of the last {@link lossWindow} probes without an answer, from 0 to 1. */
  readonly loss: number;
  /** Why the last probe could not be sent. */
  readonly impossible: string | undefined;
  /**
   * The largest packet that it answers, in bytes, if larger ones are lost on the way. Default: as
   * large as the tunnel carries, or not known.
   */
  readonly carries?: number | undefined;
}

/** The probes of one gateway, kept as they end. */
export interface GatewayRecord {
  gateway: ProbedGateway;
  health: Health;
  roundTripMs: number | undefined;
  /** Whether each of the last probes was answered. */
  readonly last: boolean[];
  /** The round-trip times of the last answers. */
  readonly roundTrips: number[];
  probes: number;
  impossible: string | undefined;
}

/** The number of probes in half a minute. */
const lossWindow = 50;

export const newRecord = (gateway: ProbedGateway, nowMs: number): GatewayRecord => ({
  gateway,
  health: newHealth(nowMs),
  roundTripMs: undefined,
  last: [],
  roundTrips: [],
  probes: 0,
  impossible: undefined,
});

/** Adds the result of a probe. */
export function addResult(one: GatewayRecord, result: ProbeResult, nowMs: number): void {
  one.impossible = result.kind === 'impossible' ? result.why : undefined;
  one.health = afterProbe(one.health, result, nowMs);
  if (result.kind === 'answered') {
    one.roundTripMs = result.roundTripMs;
    one.roundTrips.push(result.roundTripMs);
    if (one.roundTrips.length > lossWindow) one.roundTrips.shift();
  }
  one.probes++;
  if (result.kind !== 'impossible') one.last.push(result.kind === 'answered');
  if (one.last.length > lossWindow) one.last.shift();
}

/** A gateway that cannot be probed counts as silent if its Node object is not ready. */
export const isSilent = ({ gateway, health, impossible }: GatewayRecord): boolean =>
  health.state === 'new' && impossible !== undefined ? !gateway.isReady : health.state !== 'alive';

export function reportOf(one: GatewayRecord): GatewayReport {
  const { gateway, health, probes, roundTripMs, roundTrips, last, impossible } = one;
  const missed = last.filter((answered) => !answered).length;
  return {
    ...health,
    gateway,
    probes,
    roundTripMs,
    typicalRoundTripMs: roundTrips.toSorted((a, b) => a - b)[roundTrips.length >> 1],
    loss: last.length === 0 ? 0 : missed / last.length,
    impossible,
  };
}
