import type { Clock } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';
import type { Health } from './health.ts';
import { afterProbe, newHealth, roundsBetweenProbes } from './health.ts';
import type { ProbeResult } from './probe.ts';
import type { ProbedGateway } from './targets.ts';

/** What is known of one gateway. */
export interface GatewayReport extends Health {
  readonly gateway: ProbedGateway;
  /** How many were sent and over. */
  readonly probes: number;
  /** Of the last answer. Undefined: there was none yet. */
  readonly roundTripMs: number | undefined;
  /** The median of the last {@link lossWindow} answers at most. Undefined: there was none yet. */
  readonly typicalRoundTripMs: number | undefined;
  /** The share of the last {@link lossWindow} probes without an answer, from 0 to 1. */
  readonly loss: number;
  /** Why the last probe could not be sent. */
  readonly impossible: string | undefined;
}

/** Probes gateways all the time. */
export interface Prober {
  /** From now on these gateways, by key. What is known of those that stay is kept. The same map as the last time costs nothing. */
  watch(gateways: ReadonlyMap<string, ProbedGateway>): void;
  /** The keys of those that do not answer. The same object until that changes. */
  silent(): ReadonlySet<string>;
  reports(): readonly GatewayReport[];
  /** Calls `listener` when {@link Prober.silent} has changed. Returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
  /** Resolves when each gateway has been probed once since it is watched; not before {@link Prober.run} runs. */
  probedOnce(): Promise<void>;
  /** Until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** One that dies right after an answer is dead after 600 + 2 × 600 + 600 ms at most. */
const probeEveryMs = 600;
const probeTimeoutMs = 600;
/** Half a minute. */
const lossWindow = 50;

interface Watched {
  gateway: ProbedGateway;
  health: Health;
  roundTripMs: number | undefined;
  /** Whether each of the last probes was answered. */
  readonly last: boolean[];
  /** Of the last answers. */
  readonly roundTrips: number[];
  probes: number;
  impossible: string | undefined;
}

export interface ProberOptions {
  /** Sends one probe. Never rejects. */
  readonly probe: (gateway: ProbedGateway, timeoutMs: number) => Promise<ProbeResult>;
  /** How long to wait between two probes of one gateway. Default: 600 ms. */
  readonly everyMs?: (() => number) | undefined;
  /** A gateway is probed in one of so many rounds, or more rarely. Default: 1. */
  readonly rounds?: (() => number) | undefined;
  readonly clock: Clock;
  /** Called when a gateway comes to another state. */
  readonly onStateChange?: ((report: GatewayReport, before: Health['state']) => void) | undefined;
}

export function createProber({
  probe,
  clock,
  everyMs = () => probeEveryMs,
  rounds = () => 1,
  onStateChange = () => {},
}: ProberOptions): Prober {
  const watched = new Map<string, Watched>();
  const listeners = new Set<() => void>();
  // A probe ends every few milliseconds, so its result touches its own gateway alone.
  const silentKeys = new Set<string>();
  /** Those that have not been probed yet. */
  const unprobed = new Set<string>();
  /** A copy of `silentKeys` for others; undefined: it has changed. */
  let silent: ReadonlySet<string> | undefined = new Set();
  let lastWatched: ReadonlyMap<string, ProbedGateway> | undefined;
  const waiting: (() => void)[] = [];
  let isRunning = false;
  let wake = (): void => {};

  /** Puts one among the silent ones, or takes it out: whether that changed anything. */
  function sort(key: string, isAmongSilent: boolean): boolean {
    if (silentKeys.has(key) === isAmongSilent) return false;
    if (isAmongSilent) silentKeys.add(key);
    else silentKeys.delete(key);
    silent = undefined;
    return true;
  }

  function tell(hasChanged: boolean): void {
    if (hasChanged) for (const listener of listeners) listener();
    if (unprobed.size > 0) return;
    for (const resolve of waiting.splice(0)) resolve();
  }

  const somethingToProbe = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      if (signal.aborted) wake();
      else signal.addEventListener('abort', wake);
    });

  async function probeOne(key: string, one: Watched): Promise<void> {
    const startedMs = clock.monotonic();
    const result = await probe(one.gateway, probeTimeoutMs);
    const nowMs = clock.monotonic();
    if (watched.get(key) !== one) return;
    unprobed.delete(key);
    // A process that stood still meanwhile has heard nothing from anybody.
    if (result.kind === 'missed' && nowMs - startedMs > 2 * probeTimeoutMs) return tell(false);
    one.impossible = result.kind === 'impossible' ? result.why : undefined;
    const before = one.health.state;
    one.health = afterProbe(one.health, result, nowMs);
    if (result.kind === 'answered') {
      one.roundTripMs = result.roundTripMs;
      one.roundTrips.push(result.roundTripMs);
      if (one.roundTrips.length > lossWindow) one.roundTrips.shift();
    }
    one.probes++;
    if (result.kind !== 'impossible') one.last.push(result.kind === 'answered');
    if (one.last.length > lossWindow) one.last.shift();
    if (one.health.state !== before) onStateChange(reportOf(one), before);
    tell(sort(key, isSilent(one)));
  }

  return {
    watch(gateways) {
      if (gateways === lastWatched) return;
      lastWatched = gateways;
      let hasChanged = false;
      for (const key of watched.keys()) {
        if (gateways.has(key)) continue;
        watched.delete(key);
        unprobed.delete(key);
        hasChanged = sort(key, false) || hasChanged;
      }
      for (const [key, gateway] of gateways) {
        const known = watched.get(key);
        if (known !== undefined) {
          known.gateway = gateway;
          hasChanged = sort(key, isSilent(known)) || hasChanged;
          continue;
        }
        const health = newHealth(clock.monotonic());
        const one: Watched = {
          gateway,
          health,
          roundTripMs: undefined,
          last: [],
          roundTrips: [],
          probes: 0,
          impossible: undefined,
        };
        watched.set(key, one);
        unprobed.add(key);
        hasChanged = sort(key, isSilent(one)) || hasChanged;
        if (isRunning) void probeOne(key, one);
      }
      if (watched.size > 0) wake();
      tell(hasChanged);
    },
    silent: () => (silent ??= new Set(silentKeys)),
    reports: () => [...watched.values()].map(reportOf),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    probedOnce: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        tell(false);
      }),
    async run(signal) {
      isRunning = true;
      for (let round = 0; !signal.aborted; round++) {
        const nowMs = clock.monotonic();
        const least = rounds();
        let turn = round;
        // Each is probed again whether its last probe has ended or not, so that a slow answer delays nothing.
        for (const [key, one] of watched)
          if (turn++ % Math.max(roundsBetweenProbes(one.health, nowMs), least) === 0) void probeOne(key, one);
        // What there is to probe from then on has just been probed.
        if (watched.size === 0) await somethingToProbe(signal);
        await sleep(clock, everyMs(), signal).catch(() => {});
      }
      isRunning = false;
    },
  };
}

const isSilent = ({ gateway, health, impossible }: Watched) =>
  health.state === 'new' && impossible !== undefined ? !gateway.isReady : health.state !== 'alive';

function reportOf({ gateway, health, probes, roundTripMs, roundTrips, last, impossible }: Watched): GatewayReport {
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
