import type { Finding } from '../finding.ts';
import { fingerprintOf } from '../fleet/fingerprint.ts';
import type { FleetSnapshot } from '../fleet/fleet-snapshot.ts';
import { planFinding } from './plan-finding.ts';
import type { Plan } from './plan.ts';

/**
 * What has moved since a plan was made: it must not be carried out any more (upgrades.md §6, 118). One finding for each cluster whose fingerprint
 * differs, that is new or that is gone, and one where only ClusterSets or clients changed. Empty: the plan still holds.
 */
export function comparePlanWithSnapshot(
  { spec }: Plan,
  snapshot: FleetSnapshot,
  sha256: (text: string) => string,
): readonly Finding[] {
  const now = fingerprintOf(snapshot, sha256);
  const before = new Map(spec.snapshot.clusters.map((one) => [one.name, one.fingerprint]));
  const after = new Map(now.clusters.map((one) => [one.name, one.fingerprint]));
  const unblock = 'make the plan anew from this snapshot';
  const stale = (cluster: string, what: string) =>
    planFinding(
      'plan.stale',
      'block',
      { cluster },
      { why: `${cluster} ${what} since the plan was made from ${spec.snapshot.takenAt}`, unblock },
    );
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const clusters = names.flatMap((name) => {
    if (!after.has(name)) return [stale(name, 'is gone')];
    if (!before.has(name)) return [stale(name, 'has come')];
    return before.get(name) === after.get(name) ? [] : [stale(name, 'has changed')];
  });
  if (clusters.length > 0 || now.fleet === spec.snapshot.fingerprint) return clusters;
  return [
    planFinding(
      'plan.stale',
      'block',
      {},
      { why: 'ClusterSets or clients have changed since the plan was made', unblock },
    ),
  ];
}
