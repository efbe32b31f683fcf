import type { Clock } from '@isthmus/machinery';
import type { FormerNames } from '../merge/renamed-ports.ts';

/** For how long slices keep the former name of a port after the Service has the new one. */
const graceMs = 5_000;

/** The former names of ports that were renamed a moment ago. */
export interface RecentNames {
  /** `now`: by the derived Service as it is. With those of the last seconds where it has none any more. */
  read(key: string, now: FormerNames): FormerNames;
  /** When to look again; undefined: nothing was renamed lately. */
  leftMs(key: string): number | undefined;
}

/**
 * Who reads Services and slices, such as kube-proxy, watches the two apart, and may see the slices first: they serve both names until everyone has
 * seen the Service. Lost with the process, which costs only that.
 */
export function createRecentNames({ monotonic }: Pick<Clock, 'monotonic'>): RecentNames {
  const recent = new Map<string, { readonly names: FormerNames; readonly untilMs: number }>();
  const leftMs = (key: string) => {
    const ms = (recent.get(key)?.untilMs ?? 0) - monotonic();
    if (ms > 0) return ms;
    recent.delete(key);
    return undefined;
  };
  return {
    leftMs,
    read(key, now) {
      if (now.size > 0) {
        // Also those of imports that are gone, which nobody asks for again.
        for (const known of recent.keys()) leftMs(known);
        recent.set(key, { names: now, untilMs: monotonic() + graceMs });
      }
      return leftMs(key) === undefined ? now : (recent.get(key)?.names ?? now);
    },
  };
}
