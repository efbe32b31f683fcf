import type { memberClusterSetStatus } from '@isthmus/api';
import { equal } from '@isthmus/machinery';
import type { Verdicts } from '@isthmus/wire';

type ClusterSetVerdicts = Verdicts<typeof memberClusterSetStatus>;

/**
 * The conditions that exchanges report on the ClusterSet of this cluster, besides those of every
 * membership. Each condition is set by one exchange.
 */
export interface ClusterSetConditions {
  set(verdicts: ClusterSetVerdicts): void;
  readonly verdicts: ClusterSetVerdicts;
  /**
   * Calls `listener` after a verdict has changed, at most twice a second. Returns the unsubscriber.
   */
  readonly onChange: (listener: () => void) => () => void;
}

/** Many objects fail, and are fixed, at nearly the same time. */
const reportMs = 500;

export function createClusterSetConditions({
  after,
}: {
  readonly after: (ms: number, call: () => void) => unknown;
}): ClusterSetConditions {
  const listeners = new Set<() => void>();
  let all: ClusterSetVerdicts = {};
  let reporting = false;
  return {
    get verdicts() {
      return all;
    },
    set(verdicts) {
      const next = { ...all, ...verdicts };
      if (equal(all, next)) return;
      all = next;
      if (reporting) return;
      reporting = true;
      after(reportMs, () => {
        reporting = false;
        listeners.forEach((listener) => listener());
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
