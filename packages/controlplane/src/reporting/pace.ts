import type { ReadCache, Source } from '@isthmus/kube';
import type { Clock, KubernetesObject } from '@isthmus/machinery';
import { following, showsContent } from './following.ts';

/** Keeps what changes all the time from being written all the time. */
export interface Pace {
  /**
   * Notes that `owner` changed its part of `key`. `perMinute`: how often it may in a minute.
   */
  changed(key: string, owner: string, perMinute: number): void;
  /**
   * Begins to write `key`. Returns for how many milliseconds to wait instead; 0: it is written now.
   */
  begin(key: string): number;
}

/** Changes that are written at once, however close they are. */
const atOnce = 10;
/** The pause between further changes, until there are too many. */
const shortPauseMs = 1_000;
/**
 * No longer, because all else that concerns the key waits too: other clusters' endpoints, own Pods,
 * and what an administrator decides.
 */
const longestPauseMs = 5_000;
const minuteMs = 60_000;

interface Entry {
  /** The changes of the last two spans of a minute; the current span began at `sinceMs`. */
  before: number;
  now: number;
  sinceMs: number;
  perMinute: number;
  /** Whether there was a change since the last write. */
  isChanged: boolean;
  wroteMs: number;
  /** Writes since there are too many changes. */
  written: number;
}

/**
 * An owner that changes a key more often than it may has it written at growing intervals, up to
 * five seconds. Other keys do not wait, nor does this one when another owner changes it. A restart
 * loses this memory, and all keys are written at once.
 */
export function createPace(clock: Clock): Pace {
  // The keys that changed last are at the end.
  const entries = new Map<string, Map<string, Entry>>();
  return {
    changed(key, owner, perMinute) {
      const nowMs = clock.monotonic();
      const owners = entries.get(key) ?? new Map<string, Entry>();
      const entry = owners.get(owner) ?? fresh(nowMs);
      advance(entry, nowMs);
      entry.now += 1;
      entry.perMinute = perMinute;
      entry.isChanged = true;
      owners.set(owner, entry);
      entries.delete(key);
      forgetCalm(nowMs);
      entries.set(key, owners);
    },
    begin(key) {
      const nowMs = clock.monotonic();
      const changed = [...(entries.get(key)?.values() ?? [])].filter(({ isChanged }) => isChanged);
      for (const entry of changed) advance(entry, nowMs);
      const waits = changed.map((entry) => Math.max(0, entry.wroteMs + pauseMs(entry, nowMs) - nowMs));
      const waitMs = waits.length === 0 ? 0 : Math.min(...waits);
      if (waitMs > 0) return waitMs;
      changed.forEach((entry, at) => {
        entry.isChanged = false;
        // What waits goes along with what does not, and does not wait the longer for it.
        if (waits[at] !== 0) return;
        entry.written = rate(entry, nowMs) > entry.perMinute ? entry.written + 1 : 0;
        entry.wroteMs = nowMs;
      });
      return 0;
    },
  };

  function forgetCalm(nowMs: number): void {
    for (const [key, owners] of entries) {
      for (const [owner, { sinceMs, wroteMs, isChanged }] of owners)
        if (!isChanged && nowMs - Math.max(sinceMs, wroteMs) >= 2 * minuteMs) owners.delete(owner);
      if (owners.size > 0) return;
      entries.delete(key);
    }
  }
}

/** Who changes an object, how often it may in a minute, and the keys that it wakes. */
export interface PacedChange {
  readonly owner: string;
  readonly perMinute: number;
  readonly keys: readonly string[];
}

/** Counts the changes that a cache shows. Those of a status alone do not count. */
export function countsChanges<T extends KubernetesObject & { readonly spec?: unknown }>(
  pace: Pace,
  cache: Pick<ReadCache<T>, 'subscribe'>,
  changeOf: (object: T) => PacedChange,
): Source {
  return following(() =>
    cache.subscribe((change) => {
      const object = change.after ?? change.before;
      if (object === undefined || !showsContent(change)) return;
      const { owner, perMinute, keys } = changeOf(object);
      for (const key of keys) pace.changed(key, owner, perMinute);
    }),
  );
}

function fresh(nowMs: number): Entry {
  const never = Number.NEGATIVE_INFINITY;
  return { before: 0, now: 0, sinceMs: nowMs, perMinute: 1, isChanged: false, wroteMs: never, written: 0 };
}

function advance(entry: Entry, nowMs: number): void {
  const passedMs = nowMs - entry.sinceMs;
  if (passedMs < minuteMs) return;
  entry.before = passedMs < 2 * minuteMs ? entry.now : 0;
  entry.now = 0;
  entry.sinceMs = nowMs - (passedMs % minuteMs);
}

/** The changes of the last minute: of the span before, the share that is in it. */
function rate({ before, now, sinceMs }: Entry, nowMs: number): number {
  return now + before * (1 - (nowMs - sinceMs) / minuteMs);
}

function pauseMs(entry: Entry, nowMs: number): number {
  const changes = rate(entry, nowMs);
  if (changes > entry.perMinute) return Math.min(longestPauseMs, 1_000 * 2 ** entry.written);
  return changes > atOnce ? shortPauseMs : 0;
}
