import type { ResourceExport } from '@isthmus/api';
import type { ReadCache } from '@isthmus/kube';
import { isLive } from '@isthmus/machinery';
import type { Clock } from '@isthmus/machinery';
import { isWithdrawn } from '@isthmus/wire';

/**
 * How long it takes to see if a loss is one of many. It counts from the last loss, since the
 * deletion of a list may take seconds.
 */
const settleMs = 1_000;
/**
 * How long to wait if a member loses all or most of its exports: a user may be cleaning up, so
 * nothing is exported again before.
 */
const massMs = 60_000;
/** Up to this many are exported again at once, unless they are all exports. */
const few = 10;

/**
 * Exports of this cluster that the leader has lost: gone, or being deleted, although this cluster
 * did not withdraw them. The memory lasts as long as the session. Without it they are exported
 * again at once.
 */
export interface ExportLosses {
  /**
   * For how many milliseconds the export of that name is not to be created again; 0: create it now.
   */
  waitMs(name: string): number;
  /**
   * Whether the export is gone from what this cluster sees. It may still exist without the label by
   * which it is watched.
   */
  isLost(name: string): boolean;
  /** The export is no longer wanted. */
  forget(name: string): void;
  /** This cluster is about to delete an export without marking it: its end is not a loss. */
  withdraw(name: string): void;
  /** The export is wanted: its end is a loss. */
  want(name: string): void;
  /** Whether any export still has to be created again. */
  readonly isPending: boolean;
  /** The Common Area was lost as a whole: exports can be created again at once. */
  hurry(): void;
  /** Begins to follow the cache. Returns a function that ends it. */
  follow(): () => void;
}

/**
 * `onPending` is called when an export has to be created again and none had to before: importers
 * have to know of it at once.
 */
export function createExportLosses(
  exports: ReadCache<ResourceExport>,
  clock: Clock,
  onPending: () => void,
): ExportLosses {
  const lostMs = new Map<string, number>();
  const withdrawn = new Set<string>();
  return {
    waitMs(name) {
      const sinceMs = lostMs.get(name);
      if (sinceMs === undefined) return 0;
      const nowMs = clock.monotonic();
      const lastMs = Math.max(...lostMs.values());
      const settledMs = Math.min(lastMs + settleMs, sinceMs + massMs) - nowMs;
      if (settledMs > 0) return settledMs;
      const left = exports.list().filter(isLive).length;
      const isMass = left === 0 || (lostMs.size > few && lostMs.size > left);
      return isMass ? Math.max(0, lastMs + massMs - nowMs) : 0;
    },
    isLost: (name) => lostMs.has(name),
    forget: (name) => void lostMs.delete(name),
    withdraw(name) {
      lostMs.delete(name);
      withdrawn.add(name);
    },
    want: (name) => void withdrawn.delete(name),
    get isPending() {
      return lostMs.size > 0;
    },
    hurry() {
      for (const name of lostMs.keys()) lostMs.set(name, Number.NEGATIVE_INFINITY);
    },
    follow: () =>
      exports.subscribe(({ before, after, byList }) => {
        const { name } = (after ?? before)?.metadata ?? { name: '' };
        if (after !== undefined && isLive(after)) lostMs.delete(name);
        else if (withdrawn.has(name)) {
          if (after === undefined) withdrawn.delete(name);
        } else if (before !== undefined && isLive(before) && !isWithdrawn(after ?? before)) {
          // Deletions by a user are seen one by one. Objects missing in a new list were lost by a
          // server that went back in time.
          const wasPending = lostMs.size > 0;
          lostMs.set(name, byList === true ? Number.NEGATIVE_INFINITY : clock.monotonic());
          if (!wasPending) onPending();
        }
      }),
  };
}
