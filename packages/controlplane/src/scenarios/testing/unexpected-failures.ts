/** What controllers of a fleet failed at. Test-only. */
import { isConflict, isNotFound } from '@isthmus/kube';
import type { RealFleet } from '@isthmus/testkit';

/**
 * The errors of all reconciles so far, but for writes that somebody outran (the object was changed or deleted meanwhile: tried again at once), and
 * those that `expected` matches.
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
