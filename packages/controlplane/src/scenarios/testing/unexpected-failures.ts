/** The failures of a fleet's controllers. Test-only. */
import { isConflict, isNotFound } from '@isthmus/kube';
import type { RealFleet } from '@isthmus/testkit';

/**
 * The errors of all reconciles so far. Without writes that came too late because the object was
 * changed or deleted meanwhile (these are retried at once), and without errors that `expected`
 * matches.
 */
export function unexpectedFailures(fleet: RealFleet, expected?: RegExp): readonly string[] {
  return fleet.clusters.flatMap(({ name, log }) =>
    log.entries.flatMap(({ level, message, error, fields }) => {
      if (level !== 'error' || isConflict(error) || isNotFound(error)) return [];
      const text = `${name}: ${message}: ${String(error)} ${JSON.stringify(fields)}`;
      return expected?.test(text) === true ? [] : [text];
    }),
  );
}
