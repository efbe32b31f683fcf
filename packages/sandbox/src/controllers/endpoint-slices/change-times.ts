import type { Service } from '@isthmus/api';
import type { Pod } from '../kinds.ts';
import { readyChangedAt } from './endpoints-of.ts';

/**
 * Remembers the last changes of a Service and its Pods, to find the earliest change that the slices
 * do not contain yet.
 */
export interface ChangeTimes {
  /**
   * The earliest time among the changes since the last call for this Service; undefined if none has
   * a time.
   */
  note(key: string, service: Service, pods: readonly Pod[]): string | undefined;
  forget(key: string): void;
}

/**
 * The memory is only for an annotation by which latency is measured: after a restart everything
 * counts as a change.
 */
export function createChangeTimes(): ChangeTimes {
  const seen = new Map<string, ReadonlyMap<string, string>>();
  return {
    note(key, { metadata }, pods) {
      const before = seen.get(key) ?? new Map<string, string>();
      const now = new Map<string, string>();
      if (metadata.creationTimestamp !== undefined) now.set('', metadata.creationTimestamp);
      for (const pod of pods) {
        const time = readyChangedAt(pod);
        if (time !== undefined) now.set(pod.metadata.name, time);
      }
      seen.set(key, now);
      const news = [...now].flatMap(([name, time]) => (time > (before.get(name) ?? '') ? [time] : []));
      return news.toSorted()[0];
    },
    forget: (key) => void seen.delete(key),
  };
}
