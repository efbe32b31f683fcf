import type { Clock } from '@isthmus/machinery';
import type { ImportProblem } from '@isthmus/wire';
import { encodeImportProblems } from '@isthmus/wire';

/** After a start all imports are looked at; until then a member says nothing that takes back what it said before. */
const settleMs = 10_000;
/** Many imports fail, and are mended, within moments of each other. */
const togetherMs = 2_000;

/** What a member cannot import, collected from its controllers, for the exporters. Lost with the session, which looks at all imports again. */
export interface NotedImportProblems {
  /** What is wrong with the import `key` now; undefined: nothing that its exporters should know. */
  note(key: string, problem: ImportProblem | undefined): void;
  /** The annotation to have, where the announcement has `found`; undefined: leave it as it is. */
  textAfter(found: string): string | undefined;
}

/** `changed` is called at most every two seconds while there is something new to announce. */
export function createNotedImportProblems(clock: Clock, changed: () => void): NotedImportProblems {
  const startedMs = clock.monotonic();
  const problems = new Map<string, ImportProblem>();
  let announced = '';
  let waiting = false;
  const text = () => encodeImportProblems([...problems.values()]);
  return {
    note(key, problem) {
      // Called after every look at an import: in most cases nothing is wrong, nor was.
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
