import type { Clock } from '@isthmus/machinery';
import type { FormerNames } from '@isthmus/wire';

/** How long slices keep the former name of a port after the Service has the new name. */
const graceMs = 5_000;

/** The former names of recently renamed ports. */
export interface RecentNames {
  /**
   * Adds former names of the last seconds to `now` if `now` has none any more. `now`: the former
   * names by the current derived Service.
   */
  read(key: string, now: FormerNames): FormerNames;
  /**
   * When to read again, because the last reading gave names. Undefined: it gave none. At least a
   * second, even if their time has run out since.
   */
  lookAgainMs(key: string): number | undefined;
  /** Called when the import is gone. */
  forget(key: string): void;
}

/**
 * Readers of Services and slices, such as kube-proxy, watch the two separately and may see the
 * slices first. The slices serve both names until every reader has seen the Service. A restart
 * loses this memory, which costs only this grace period.
 */
export function createRecentNames({ monotonic }: Pick<Clock, 'monotonic'>): RecentNames {
  const recent = new Map<string, { readonly names: FormerNames; readonly untilMs: number }>();
  return {
    lookAgainMs(key) {
      const given = recent.get(key);
      return given === undefined ? undefined : Math.max(1_000, given.untilMs - monotonic());
    },
    read(key, now) {
      if (now.size > 0) recent.set(key, { names: now, untilMs: monotonic() + graceMs });
      const given = recent.get(key);
      if (given === undefined) return now;
      if (given.untilMs > monotonic()) return given.names;
      recent.delete(key);
      return now;
    },
    forget: (key) => void recent.delete(key),
  };
}
