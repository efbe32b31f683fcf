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
  /**
   * Asks for a run of `key`, `afterMs` from now (default: now; at most a day, a longer wait ends
   * then), in a lane (default: the lane without an owner).
   */
  add(key: string, afterMs?: number, lane?: string): void;
  /**
   * The key that has been due for longest in the lane whose turn it is, which now counts as
   * running; undefined where none is due.
   */
  take(): string | undefined;
  /**
   * The run of `key` has ended. Returns in how many milliseconds it runs again, where that is
   * known.
   */
  finished(key: string, result: RunResult): number | undefined;
  /** Keys that are due and not running. */
  readonly depth: number;
  /** Forgets everything and cancels what was planned. */
  close(): void;
}

/**
 * Timers of a platform overflow at 24.8 days, into firing at once; a run that is early does no
 * harm.
 */
const LONGEST_WAIT_MS = 86_400_000;
const RETRY = { minMs: 5, maxMs: 30_000 };
/**
 * The longest back-off grows with the number of keys that fail: many are not tried more often than
 * one each 20 ms, until the pauses have this length.
 */
const RETRY_PER_FAILING_KEY_MS = 20;
const LONGEST_RETRY_MS = 300_000;
/** A change that came while a run failed waits for the back-off, but no longer than this. */
const LONGEST_HELD_BACKOFF_MS = 1_000;

/**
 * Decides which key runs when. A key is queued once; of two requests the earlier counts, so that a
 * later one never delays an earlier one; a request for a running key is held until that run has
 * ended, and then costs one run. Due keys run first come, first served within a lane, and lanes
 * take turns: who asks for many runs delays its own. A key for which several lanes asked runs in
 * the first of their turns.
 *
 * With `coalesceMs` a key that started less than that ago waits for the rest of it: a lone request
 * runs at once, a burst costs one more run. Failed runs are repeated after 5 ms, doubled each time
 * up to 30 s, with jitter; any other end resets that. No source shows that a person has corrected a
 * role or a policy, so that is how long it may take to be noticed. Where more than 1,500 keys fail,
 * it is 20 ms for each, up to 5 minutes.
 */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { name, clock, random, metrics, onDue, coalesceMs = 0 } = options;
  /** Key → since when it is due. */
  const due = new Map<string, number>();
  const lanes = createLanes();
  const planned = new Map<string, Planned>();
  const running = new Set<string>();
  /** Running key → the earliest moment for which another run was asked. */
  const held = new Map<string, number>();
  const failures = new Map<string, number>();
  const starts = createRecentStarts(coalesceMs);
  let closed = false;

  const makeDue = (key: string, now: number): void => {
    due.set(key, now);
    lanes.line(key);
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
    add(key, afterMs = 0, lane = '') {
      if (closed) return;
      lanes.ask(key, lane);
      if (due.has(key)) lanes.line(key);
      const at = clock.monotonic() + bounded(afterMs);
      if (running.has(key)) held.set(key, Math.min(at, held.get(key) ?? at));
      else plan(key, at);
    },
    take() {
      const key = lanes.take();
      if (key === undefined) return undefined;
      const now = clock.monotonic();
      const since = due.get(key) ?? now;
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
        const retryMs = backoffMs(count, { ...RETRY, maxMs: longestRetryMs(failures.size) }, random);
        wanted.push(now + retryMs);
        if (asked !== undefined) wanted.push(Math.max(asked, now + Math.min(retryMs, LONGEST_HELD_BACKOFF_MS)));
      } else {
        failures.delete(key);
        if (result.kind === 'again') wanted.push(now + bounded(result.afterMs));
        if (asked !== undefined) wanted.push(asked);
      }
      if (wanted.length === 0) {
        lanes.forget(key);
        return undefined;
      }
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
      for (const state of [due, planned, held, failures, lanes]) state.clear();
      metrics.queueDepth.set({ controller: name }, 0);
    },
  };
}

function longestRetryMs(failing: number): number {
  return Math.min(LONGEST_RETRY_MS, Math.max(RETRY.maxMs, failing * RETRY_PER_FAILING_KEY_MS));
}

function bounded(afterMs: number): number {
  return Math.min(LONGEST_WAIT_MS, Math.max(0, afterMs));
}

interface Planned {
  readonly at: number;
  readonly cancel: () => void;
}

interface Lane {
  readonly name: string;
  readonly keys: Set<string>;
  readonly next: () => readonly [string, string] | undefined;
}

/** Due keys in lanes that take turns. */
function createLanes() {
  /** Key → the lanes that asked for it since it last had nothing to wait for. */
  const asked = new Map<string, Set<string>>();
  const lanes = new Map<string, Lane>();
  const turns: Lane[] = [];
  let turn = 0;
  const laneOf = (name: string): Lane => {
    const found = lanes.get(name);
    if (found !== undefined) return found;
    const keys = new Set<string>();
    const lane = { name, keys, next: inOrder(keys) };
    lanes.set(name, lane);
    turns.push(lane);
    return lane;
  };
  return {
    ask(key: string, lane: string): void {
      asked.set(key, (asked.get(key) ?? new Set()).add(lane));
    },
    /** Puts a due key at the end of the lanes in which it does not wait yet. */
    line(key: string): void {
      for (const lane of asked.get(key) ?? ['']) laneOf(lane).keys.add(key);
    },
    take(): string | undefined {
      while (turns.length > 0) {
        turn %= turns.length;
        const lane = turns[turn];
        const key = lane?.next()?.[0];
        if (lane !== undefined && key !== undefined) {
          for (const other of asked.get(key) ?? [lane.name]) lanes.get(other)?.keys.delete(key);
          turn++;
          return key;
        }
        turns.splice(turn, 1);
        if (lane !== undefined) lanes.delete(lane.name);
      }
      return undefined;
    },
    forget: (key: string) => void asked.delete(key),
    clear() {
      for (const state of [asked, lanes]) state.clear();
      turns.length = 0;
    },
  };
}

/**
 * Returns the entries of a map or set one by one, in the order of insertion, including later ones;
 * undefined while there are none. A new iterator for each entry would pass all deleted entries in
 * front again and again: 100,000 due keys took 3.4 s instead of 0.5 s.
 */
function inOrder<K, V>(map: {
  entries(): MapIterator<[K, V]> | SetIterator<[K, V]>;
}): () => readonly [K, V] | undefined {
  let entries = map.entries();
  return () => {
    const next = entries.next();
    if (next.done !== true) return next.value;
    // An iterator that has reached the end stays there.
    entries = map.entries();
    return entries.next().value;
  };
}

/** When keys were last started, for as long as that matters. */
function createRecentStarts(coalesceMs: number) {
  // In the order of starting, so that outdated entries are in front.
  const startedAt = new Map<string, number>();
  const nextStarted = inOrder(startedAt);
  let oldest: readonly [string, number] | undefined;
  const forget = (now: number): void => {
    for (oldest ??= nextStarted(); oldest !== undefined; oldest = nextStarted()) {
      const [key, at] = oldest;
      // A key that was started again is also further behind.
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
