import type { Clock, Random } from '@isthmus/machinery';
import { sleep } from '@isthmus/machinery';
import { ApiError, isAlreadyExists, isConflict, isNotFound } from '../client/errors.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { noMetrics } from '../metrics/metrics.ts';
import type { Outcome } from './outcome.ts';
import { whenAborted } from '../waiting/abort.ts';
import { backoffMs } from '../waiting/backoff.ts';
import { createBlockedKeys } from './blocked-keys.ts';
import { createFailureStreaks } from './failure-streaks.ts';
import { errorText } from '../log/error-text.ts';
import type { ReconcileContext, Reconciler } from './reconciler.ts';
import type { Source } from './source.ts';
import type { RunResult, WorkQueue } from './work-queue.ts';
import { createWorkQueue } from './work-queue.ts';

export interface ControllerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  /** Ends the controller. */
  readonly signal: AbortSignal;
  /** How long the reconciles that run at that moment are waited for. Default 10 s. */
  readonly stopWithinMs?: number | undefined;
}

const CONCURRENCY = 8;
const STOP_WITHIN_MS = 10_000;
const SOURCE_RETRY = { minMs: 200, maxMs: 30_000 };
const SLOW_SYNC_MS = 30_000;
/**
 * Reconciles that have nothing to wait for run one after the other for this long; then timers and
 * sockets get their turn.
 */
const SLICE_MS = 50;
/**
 * A write conflict is not a failure, unless it happens so often that the pauses have grown to this.
 */
const CONFLICT_QUIET_MS = 1_000;

/**
 * Runs a reconciler until `signal` aborts.
 *
 * Expected flow: waits until the required sources are synced; starts all sources; runs up to
 * `concurrency` keys side by side, in the order in which they became due ({@link createWorkQueue}
 * has the rules). `done` and `blocked` end a key until a source wakes it; `again` repeats it; a
 * throw is counted and repeated with back-off, and logged ({@link createFailureStreaks}). A blocked
 * key is counted and logged ({@link createBlockedKeys}), and reported by {@link Reconciler.report},
 * here alone.
 *
 * Guarantees: never rejects; no throw of a reconcile or a source ends it. After the abort no
 * reconcile is started; those that run see their signal aborted and are waited for, `stopWithinMs`
 * at most.
 */
export async function runController(reconciler: Reconciler, options: ControllerOptions): Promise<void> {
  const { clock, random, metrics = noMetrics, signal } = options;
  const { name, coalesceMs } = reconciler;
  const log = options.log.with({ controller: name });
  const optional = new Set(reconciler.optionalSources);
  const required = reconciler.sources.filter((source) => !optional.has(source));
  await whenAllSynced(required, { ...options, log });
  if (signal.aborted) return;

  const running = new Set<Promise<void>>();
  const pump = createPump(clock, () => {
    if (signal.aborted) return 'idle';
    if (running.size >= (reconciler.concurrency ?? CONCURRENCY)) return 'full';
    const key = queue.take();
    if (key === undefined) return 'idle';
    const run = runKey(key).finally(() => {
      running.delete(run);
      metrics.running.set({ controller: name }, running.size);
      pump.wake();
    });
    running.add(run);
    metrics.running.set({ controller: name }, running.size);
    return 'started';
  });
  const blockedKeys = createBlockedKeys({ name, log, metrics });
  const streaks = createFailureStreaks(clock, log);
  const queue: WorkQueue = createWorkQueue({ name, clock, random, metrics, coalesceMs, onDue: pump.wake });

  const runKey = async (key: string): Promise<void> => {
    const startedAt = clock.monotonic();
    const outcome = await attempt(reconciler, key, { signal, log: log.with({ key }) });
    const ms = clock.monotonic() - startedAt;
    const retryInMs = queue.finished(key, resultOf(outcome));
    metrics.reconciles.inc({ controller: name, outcome: outcome.kind });
    metrics.reconcileSeconds.observe({ controller: name }, ms / 1_000);
    if (outcome.kind !== 'error') {
      streaks.ended(key);
      if (!signal.aborted) blockedKeys.ended(key, outcome);
      log.debug('reconciled', { key, outcome: outcome.kind, why: whyOf(outcome), ms });
    } else if (isWriteConflict(outcome.error) && (retryInMs ?? 0) < CONFLICT_QUIET_MS)
      log.debug('write conflict; requeueing', { key, why: errorText(outcome.error) });
    else if (signal.aborted) log.debug('reconcile stopped', { key, why: errorText(outcome.error) });
    else streaks.failed(key, outcome.error, retryInMs ?? 0);
  };

  const stops = [...required, ...optional].map((source) => startSource(source, queue, log));
  await whenAborted(signal);
  for (const stop of stops) stop();
  queue.close();
  blockedKeys.close();
  pump.close();
  await settled(running, clock, options.stopWithinMs ?? STOP_WITHIN_MS);
  if (running.size > 0) log.warn('stopping while reconciles are still running', { running: running.size });
}

/** The outcome of a reconcile, including a throw. */
type Attempt = Outcome<string> | { readonly kind: 'error'; readonly error: unknown };

async function attempt(reconciler: Reconciler, key: string, context: ReconcileContext): Promise<Attempt> {
  try {
    const outcome = await reconciler.reconcile(key, context);
    if (!OUTCOMES.includes(outcome.kind) || (outcome.kind === 'again' && !Number.isFinite(outcome.afterMs)))
      throw new Error(`reconciler ${reconciler.name}: no usable outcome for ${key}; return done, again or blocked`);
    if (reconciler.report !== undefined)
      await reconciler.report(key, outcome.kind === 'blocked' ? outcome : undefined, context);
    return outcome;
  } catch (error) {
    return { kind: 'error', error };
  }
}

/**
 * Another writer has changed, created or deleted the object meanwhile; the watch brings that, or
 * has brought it by now.
 */
function isWriteConflict(error: unknown): boolean {
  if (isNotFound(error)) return !(error instanceof ApiError && error.status.details?.kind === 'namespaces');
  return isConflict(error) || isAlreadyExists(error);
}

const OUTCOMES: readonly Outcome['kind'][] = ['done', 'again', 'blocked'];

function resultOf(outcome: Attempt): RunResult {
  switch (outcome.kind) {
    case 'error':
      return { kind: 'failed' };
    case 'again':
      return outcome;
    case 'blocked':
      return outcome.lookAgainMs === undefined ? { kind: 'done' } : { kind: 'again', afterMs: outcome.lookAgainMs };
    case 'done':
      return outcome;
  }
}

function whyOf(outcome: Outcome<string>): string | undefined {
  return outcome.kind === 'again'
    ? outcome.why
    : outcome.kind === 'blocked'
      ? `${outcome.reason}: ${outcome.message}`
      : undefined;
}

function startSource(source: Source, queue: WorkQueue, log: Log): () => void {
  const report = (error: unknown) => log.error('event mapper failed', error);
  try {
    return source.start((key, lane) => queue.add(key, 0, lane), report);
  } catch (error) {
    log.error('cannot start a source; its changes trigger no reconciles', error);
    return () => {};
  }
}

async function whenAllSynced(sources: readonly Source[], options: ControllerOptions): Promise<void> {
  const { clock, log, signal } = options;
  const cancel = clock.after(SLOW_SYNC_MS, () => {
    const missing = sources.filter((source) => !source.synced).length;
    log.warn('still waiting for the first list of caches', { missing, of: sources.length });
  });
  await Promise.all(sources.map((source) => whenSynced(source, options)));
  cancel();
  if (!signal.aborted) log.debug('all sources are synced');
}

async function whenSynced(source: Source, options: ControllerOptions): Promise<void> {
  const { clock, log, random, signal } = options;
  for (let failures = 1; !signal.aborted; failures++) {
    try {
      return await source.whenSynced(signal);
    } catch (error) {
      if (signal.aborted) return;
      log.error('waiting for a source failed', error);
      await sleep(clock, backoffMs(failures, SOURCE_RETRY, random), signal).catch(() => {});
    }
  }
}

async function settled(running: ReadonlySet<Promise<void>>, clock: Clock, withinMs: number): Promise<void> {
  if (running.size === 0) return;
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(withinMs, late.resolve);
  await Promise.race([Promise.all(running), late.promise]);
  cancel();
}

/**
 * Calls `next` for as long as it starts something, outside of the caller's stack; again after each
 * `wake`.
 */
function createPump(clock: Clock, next: () => 'started' | 'full' | 'idle') {
  let state: 'resting' | 'scheduled' | 'pausing' = 'resting';
  let sliceFrom: number | undefined;
  let cancelPause = (): void => {};
  const run = (): void => {
    state = 'resting';
    const from = (sliceFrom ??= clock.monotonic());
    for (;;) {
      const result = next();
      if (result === 'idle') sliceFrom = undefined;
      if (result !== 'started') return;
      if (clock.monotonic() - from >= SLICE_MS) return pause();
    }
  };
  const pause = (): void => {
    state = 'pausing';
    cancelPause = clock.after(0, () => {
      sliceFrom = undefined;
      run();
    });
  };
  return {
    wake: (): void => {
      if (state !== 'resting') return;
      state = 'scheduled';
      queueMicrotask(run);
    },
    close: () => cancelPause(),
  };
}
