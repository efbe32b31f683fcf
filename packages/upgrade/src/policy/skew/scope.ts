import type { FleetIndex, Versions } from '../../fleet/fleet-index.ts';
import type { Instance } from '../../fleet/fleet-state.ts';

/** The scope in which rules look for pairs; the field `scope` of rules explains the words. */
export type Scope = 'node' | 'cluster' | 'clusterset' | 'management' | 'fleet';

/**
 * The versions of a type in the scope of an instance in `cluster`; the empty name stands for a
 * client program, which may talk to any cluster.
 */
export function inScope(index: FleetIndex, scope: Scope, type: string, cluster: string): Versions {
  if (cluster === '' || scope === 'fleet') return index.inFleet(type);
  const place = index.place(cluster);
  switch (scope) {
    case 'clusterset':
      return place?.clusterSet === undefined ? index.nothing : index.inClusterSet(type, place.clusterSet);
    case 'management': {
      const manager = place?.managedBy;
      return manager === undefined || manager === cluster ? index.nothing : index.in(type, manager);
    }
    default:
      return index.near(type, cluster);
  }
}

/** A rule about two types. */
interface Pair {
  readonly subject: string;
  readonly reference: string;
  readonly scope: Scope;
}

/**
 * The clusters in which a subject of the rule runs and may meet something that it did not meet
 * before instances came or went; all without `touched`.
 */
export function subjectsOf(rule: Pair, index: FleetIndex, touched?: readonly Instance[]): Iterable<string> {
  const all = index.clustersOf(rule.subject);
  if (touched === undefined) return all;
  const own = new Set(touched.filter(({ type }) => type === rule.subject).map(({ cluster }) => cluster ?? ''));
  const met = touched.filter(({ type }) => type === rule.reference).map(({ cluster }) => cluster ?? '');
  return [...all].filter((name) => own.has(name) || met.some((cluster) => mayMeet(rule.scope, index, name, cluster)));
}

function mayMeet(scope: Scope, index: FleetIndex, subject: string, reference: string): boolean {
  if (subject === '' || scope === 'fleet') return true;
  if (scope === 'management') return index.place(subject)?.managedBy === reference;
  if (reference === '') return true;
  return scope === 'clusterset'
    ? index.setOf(subject) !== undefined && index.setOf(subject) === index.setOf(reference)
    : subject === reference;
}
