import type { Clock } from '@isthmus/machinery';
import type { ImportProblem } from '@isthmus/wire';
import { encodeImportProblems } from '@isthmus/wire';

/**
 * How long a member does not withdraw its former report after a start: all imports are looked at
 * first.
 */
const settleMs = 10_000;
/** Many imports fail, and are fixed, at nearly the same time. */
const togetherMs = 2_000;

/**
 * The imports that fail in a member, collected from its controllers, for the exporters. Lost with
 * the session; the next session looks at all imports again.
 */
export interface CollectedImportProblems {
  /**
   * The current problem of the import `key`. Undefined: no problem that its exporters should know.
   */
  note(key: string, problem: ImportProblem | undefined): void;
  /** The wanted annotation if the announcement has `found`. Undefined: leave it unchanged. */
  textAfter(found: string): string | undefined;
}

/** `changed` is called at most every two seconds, while there is a change to announce. */
export function createCollectedImportProblems(clock: Clock, changed: () => void): CollectedImportProblems {
  const startedMs = clock.monotonic();
  const problems = new Map<string, ImportProblem>();
  let announced = '';
  let waiting = false;
  const text = () => encodeImportProblems([...problems.values()]);
  return {
    note(key, problem) {
      // This is called after every look at an import, and usually there is no problem, now or
      // before.
      if (JSON.stringify(problem) === JSON.stringify(problems.get(key))) return;
      if (problem === undefined) problems.delete(key);
      else problems.set(key, problem);
      if (waiting) return;
      waiting = true;
      clock.after(togetherMs, () => {
        waiting = false;
        if (text() !== announced) changed();
      });
    },
    textAfter(found) {
      announced = text();
      const isSettled = clock.monotonic() - startedMs >= settleMs;
      return isSettled || found === '' ? announced : undefined;
    },
  };
}
