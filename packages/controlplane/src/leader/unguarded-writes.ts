import { leaderClusterSetStatus } from '@isthmus/api';
import type { Clock } from '@isthmus/machinery';
import { firstNames, rfc3339 } from '@isthmus/machinery';
import type { AdmissionWatch } from '../admission-watch.ts';
import type { CommonArea } from '../common-area/common-area.ts';
import { differ } from '../reporting/following.ts';

/** How long before its report a policy may have been missing. */
const unnoticedMs = 5_000;
/** The limit on objects that are remembered, and on those that a message names. */
const mostRemembered = 10_000;
const mostNamed = 10;

/**
 * Names, when the admission policies are back, what was written while they were missing: it may
 * have been written by accounts that they would have stopped. Objects do not show their writer. A
 * restart loses this memory. Returns the unsubscriber.
 */
export function reportUnguardedWrites(
  area: CommonArea,
  admission: Pick<AdmissionWatch, 'problem' | 'onChange'>,
  clock: Clock,
): () => void {
  /** By object, when it was last written. */
  const written = new Map<string, number>();
  let missingSince: string | undefined;
  const note = (what: string) => {
    const nowMs = clock.monotonic();
    written.delete(what);
    written.set(what, nowMs);
    for (const [oldest, ms] of written) {
      const isOld = missingSince === undefined && nowMs - ms > unnoticedMs;
      if (!isOld && written.size <= mostRemembered) return;
      written.delete(oldest);
    }
  };
  const report = () => {
    const clusterSet = area.served();
    if (clusterSet === undefined || missingSince === undefined || written.size === 0) return;
    const names = [...written.keys()];
    const message = `While admission policies were missing, from ${missingSince} to ${rfc3339(clock.now())}, the API server checked no account that wrote ${firstNames(names, mostNamed)}. Compare them with what their clusters export: kubectl -n ${area.namespace} get ${names.slice(0, mostNamed).join(' ')} -o yaml --show-managed-fields`;
    area.events.report(clusterSet, leaderClusterSetStatus, { reason: 'WrittenUnguarded', message });
  };
  const stops = [
    area.exports.cache.subscribe(({ before, after, byList }) => {
      if (after === undefined || (before === undefined && byList === true)) return;
      if (before === undefined || differ(before, after)) note(`resourceexport/${after.metadata.name}`);
    }),
    // Heartbeats change annotations.
    area.announces.cache.subscribe(({ before, after, byList }) => {
      if (after === undefined || (before === undefined && byList === true)) return;
      if (before?.clusterID !== after.clusterID) note(`memberclusterannounce/${after.metadata.name}`);
    }),
    admission.onChange(() => {
      const isMissing = admission.problem !== undefined;
      if (isMissing && missingSince === undefined) missingSince = rfc3339(clock.now() - unnoticedMs);
      if (isMissing) return;
      report();
      missingSince = undefined;
      written.clear();
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
