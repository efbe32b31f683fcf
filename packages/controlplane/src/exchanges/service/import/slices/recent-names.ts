import type { Clock } from '@isthmus/machinery';
import type { FormerNames } from '@isthmus/wire';

/** For how long slices keep the former name of a port after the Service has the new one. */
const graceMs = 5_000;

/** The former names of ports that were renamed a moment ago. */
export interface RecentNames {
  /** `now`: by the derived Service as it is. With those of the last seconds where it has none any more. */
  read(key: string, now: FormerNames): FormerNames;
  /** When to read again, because the last reading gave names; undefined: it gave none. At least a second, also where their time ran out since. */
  lookAgainMs(key: string): number | undefined;
  /** The import is gone. */
  forget(key: string): void;
}

/**
 * Who reads Services and slices, such as kube-proxy, watches the two apart, and may see the slices first: they serve both names until everyone has
 * seen the Service. Lost with the process, which costs only that.
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
