import type { Clock, Random } from '@isthmus/machinery';
import type { Metrics } from '../metrics/metrics.ts';
import { backoffMs } from '../waiting/backoff.ts';

/** How the run of a key ended, as far as the queue is concerned. */
export type RunResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'failed' };

export interface WorkQueueOptions {
  /** The label of its metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** As {@link Reconciler.coalesceMs}. */
  readonly coalesceMs?: number | undefined;
  /** Called when a key has become due; never from within `take`. */
  readonly onDue: () => void;
}

export interface WorkQueue {
  /** Asks for a run of `key`, `afterMs` from now (default: now; at most a day, a longer wait ends then). */
  add(key: string, afterMs?: number): void;
  /** The key that has been due for longest, which now counts as running; undefined where none is due. */
  take(): string | undefined;
  /** The run of `key` has ended. Returns in how many milliseconds it runs again, where that is known. */
  finished(key: string, result: RunResult): number | undefined;
  /** Keys that are due and not running. */
  readonly depth: number;
  /** Forgets everything and cancels what was planned. */
  close(): void;
}

/** Timers of a platform overflow at 24.8 days, into firing at once; a run that is early does no harm. */
const LONGEST_WAIT_MS = 86_400_000;
const RETRY = { minMs: 5, maxMs: 300_000 };
/** A change that came while a run failed waits for the back-off, but no longer than this. */
const LONGEST_HELD_BACKOFF_MS = 1_000;

/**
 * Decides which key runs when. A key is queued once; of two requests the earlier counts, so that a later one never delays an earlier one; a
 * request for a running key is held until that run has ended, and then costs one run. Due keys run first come, first served.
 *
 * With `coalesceMs` a key that started less than that ago waits for the rest of it: a lone request runs at once, a burst costs one
 * more run. Failed runs are repeated after 5 ms, doubled each time up to 5 minutes, with jitter; any other end resets that.
 */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { name, clock, random, metrics, onDue, coalesceMs = 0 } = options;
  /** Key → since when it is due, in the order of becoming due. */
  const due = new Map<string, number>();
  const nextDue = inOrder(due);
  const planned = new Map<string, Planned>();
  const running = new Set<string>();
  /** Running key → the earliest moment for which another run was asked. */
  const held = new Map<string, number>();
  const failures = new Map<string, number>();
  const starts = createRecentStarts(coalesceMs);
  let closed = false;

  const makeDue = (key: string, now: number): void => {
    due.set(key, now);
    metrics.queueDepth.set({ controller: name }, due.size);
    onDue();
  };
  const plan = (key: string, at: number): void => {
    const now = clock.monotonic();
    const earliest = Math.max(at, starts.earliestNext(key, now));
    if (due.has(key)) return;
    const before = planned.get(key);
    if (before !== undefined && before.at <= earliest) return;
    before?.cancel();
    planned.delete(key);
    if (earliest <= now) return makeDue(key, now);
    const cancel = clock.after(earliest - now, () => {
      planned.delete(key);
      makeDue(key, clock.monotonic());
    });
    planned.set(key, { at: earliest, cancel });
  };

  return {
    add(key, afterMs = 0) {
      if (closed) return;
      const at = clock.monotonic() + bounded(afterMs);
      if (running.has(key)) held.set(key, Math.min(at, held.get(key) ?? at));
      else plan(key, at);
    },
    take() {
      const next = nextDue();
      if (next === undefined) return undefined;
      const [key, since] = next;
      const now = clock.monotonic();
      due.delete(key);
      running.add(key);
      starts.started(key, now);
      metrics.queueDepth.set({ controller: name }, due.size);
      metrics.queueSeconds.observe({ controller: name }, (now - since) / 1_000);
      return key;
    },
    finished(key, result) {
      if (!running.delete(key) || closed) return undefined;
      const now = clock.monotonic();
      const asked = held.get(key);
      held.delete(key);
      const wanted: number[] = [];
      if (result.kind === 'failed') {
        const count = (failures.get(key) ?? 0) + 1;
        failures.set(key, count);
        const retryMs = backoffMs(count, RETRY, random);
        wanted.push(now + retryMs);
        if (asked !== undefined) wanted.push(Math.max(asked, now + Math.min(retryMs, LONGEST_HELD_BACKOFF_MS)));
      } else {
        failures.delete(key);
        if (result.kind === 'again') wanted.push(now + bounded(result.afterMs));
        if (asked !== undefined) wanted.push(asked);
      }
      if (wanted.length === 0) return undefined;
      const at = Math.min(...wanted);
      plan(key, at);
      return Math.max(0, at - now);
    },
    get depth() {
      return due.size;
    },
    close() {
      closed = true;
      for (const { cancel } of planned.values()) cancel();
      for (const state of [due, planned, held, failures]) state.clear();
      metrics.queueDepth.set({ controller: name }, 0);
    },
  };
}

function bounded(afterMs: number): number {
  return Math.min(LONGEST_WAIT_MS, Math.max(0, afterMs));
}

interface Planned {
  readonly at: number;
  readonly cancel: () => void;
}

/**
 * Gives the entries of a map one by one, in the order of insertion, those that are added later too; undefined while there is none. With an iterator
 * for each, all that was deleted in front would be passed again and again: 100,000 due keys took 3.4 s instead of 0.5 s.
 */
function inOrder<K, V>(map: ReadonlyMap<K, V>): () => readonly [K, V] | undefined {
  let entries = map.entries();
  return () => {
    const next = entries.next();
    if (next.done !== true) return next.value;
    // An iterator that has come to the end stays there.
    entries = map.entries();
    return entries.next().value;
  };
}

/** When keys were last started, for as long as that matters. */
function createRecentStarts(coalesceMs: number) {
  // In the order of starting, so that what has become irrelevant stands in front.
  const startedAt = new Map<string, number>();
  const nextStarted = inOrder(startedAt);
  let oldest: readonly [string, number] | undefined;
  const forget = (now: number): void => {
    for (oldest ??= nextStarted(); oldest !== undefined; oldest = nextStarted()) {
      const [key, at] = oldest;
      // One that was started again stands further behind.
      if (startedAt.get(key) !== at) continue;
      if (at + coalesceMs > now) return;
      startedAt.delete(key);
    }
  };
  return {
    started(key: string, now: number): void {
      if (coalesceMs <= 0) return;
      startedAt.delete(key);
      startedAt.set(key, now);
      forget(now);
    },
    earliestNext(key: string, now: number): number {
      const at = startedAt.get(key);
      return at === undefined ? now : at + coalesceMs;
    },
  };
}
