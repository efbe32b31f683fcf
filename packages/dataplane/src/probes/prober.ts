import type { Clock } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';
import type { GatewayRecord, GatewayReport } from './gateway-record.ts';
import { addResult, isSilent, newRecord, reportOf } from './gateway-record.ts';
import type { Health } from './health.ts';
import { roundsBetweenProbes } from './health.ts';
import type { ProbeResult } from './probe.ts';
import { createSilentKeys } from './silent-keys.ts';
import type { ProbedGateway } from './targets.ts';

/** Probes gateways continuously. */
export interface Prober {
  /**
   * Probes these gateways from now on, by key, and keeps the results of those that were probed
   * before.
   */
  watch(gateways: ReadonlyMap<string, ProbedGateway>): void;
  /** The keys of gateways that do not answer. The same object until that changes. */
  silent(): ReadonlySet<string>;
  reports(): readonly GatewayReport[];
  /** Calls `listener` when {@link Prober.silent} has changed. Returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
  /** Resolves when each gateway has been probed once; not before {@link Prober.run} runs. */
  probedOnce(): Promise<void>;
  /** Runs until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** A gateway that dies right after an answer is dead after 600 + 2 × 600 + 600 ms at most. */
const probeEveryMs = 600;
const probeTimeoutMs = 600;
export interface ProberOptions {
  /** Sends one probe. Never rejects. */
  readonly probe: (gateway: ProbedGateway, timeoutMs: number) => Promise<ProbeResult>;
  /** How long to wait between two probes of one gateway. Default: 600 ms. */
  readonly everyMs?: (() => number) | undefined;
  /** Each gateway is probed in one of so many rounds, or more rarely. Default: 1. */
  readonly rounds?: (() => number) | undefined;
  readonly clock: Clock;
  /** Called when the state of a gateway changes. */
  readonly onStateChange?: ((report: GatewayReport, before: Health['state']) => void) | undefined;
}

export function createProber({
  probe,
  clock,
  everyMs = () => probeEveryMs,
  rounds = () => 1,
  onStateChange = () => {},
}: ProberOptions): Prober {
  const watched = new Map<string, GatewayRecord>();
  const listeners = new Set<() => void>();
  const silent = createSilentKeys();
  /** The keys of gateways that have not been probed yet. */
  const unprobed = new Set<string>();
  let lastWatched: ReadonlyMap<string, ProbedGateway> | undefined;
  const waiting: (() => void)[] = [];
  let isRunning = false;
  let wake = (): void => {};

  function notify(hasChanged: boolean): void {
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

  async function probeOne(key: string, one: GatewayRecord): Promise<void> {
    const startedMs = clock.monotonic();
    const result = await probe(one.gateway, probeTimeoutMs);
    const nowMs = clock.monotonic();
    if (watched.get(key) !== one) return;
    unprobed.delete(key);
    // The process was suspended meanwhile, and received no answers at all.
    if (result.kind === 'missed' && nowMs - startedMs > 2 * probeTimeoutMs) return notify(false);
    const before = one.health.state;
    addResult(one, result, nowMs);
    if (one.health.state !== before) onStateChange(reportOf(one), before);
    notify(silent.sort(key, isSilent(one)));
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
        hasChanged = silent.sort(key, false) || hasChanged;
      }
      for (const [key, gateway] of gateways) {
        const one = watched.get(key) ?? newRecord(gateway, clock.monotonic());
        one.gateway = gateway;
        hasChanged = silent.sort(key, isSilent(one)) || hasChanged;
        if (watched.has(key)) continue;
        watched.set(key, one);
        unprobed.add(key);
        if (isRunning) void probeOne(key, one);
      }
      if (watched.size > 0) wake();
      notify(hasChanged);
    },
    silent: () => silent.list(),
    reports: () => [...watched.values()].map(reportOf),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    probedOnce: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        notify(false);
      }),
    async run(signal) {
      isRunning = true;
      for (let round = 0; !signal.aborted; round++) {
        const nowMs = clock.monotonic();
        const least = rounds();
        let turn = round;
        // The last probe may not have ended: a slow answer does not delay the next probe.
        for (const [key, one] of watched)
          if (turn++ % Math.max(roundsBetweenProbes(one.health, nowMs), least) === 0) void probeOne(key, one);
        // Gateways that are added meanwhile are probed when they are added.
        if (watched.size === 0) await somethingToProbe(signal);
        await sleep(clock, everyMs(), signal).catch(() => {});
      }
      isRunning = false;
    },
  };
}
