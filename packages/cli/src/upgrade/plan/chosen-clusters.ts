import { firstNames } from '@isthmus/machinery';
import type { FleetSnapshot } from '@isthmus/upgrade';
import { UsageError } from '../../command/usage-error.ts';

/**
 * The clusters that `--only` and `--exclude` leave out, each with the reason. A name is that of a
 * cluster, or of a ClusterSet for all its clusters. Errors: {@link UsageError} for a name that the
 * snapshot does not have, and if no cluster is left.
 */
export function leftOutBy(
  { only, exclude }: { readonly only?: string | undefined; readonly exclude?: string | undefined },
  snapshot: FleetSnapshot,
): ReadonlyMap<string, string> {
  const { clusters } = snapshot.spec;
  const chosen = only === undefined ? undefined : clustersNamed(only, '--only', snapshot);
  const excluded = exclude === undefined ? new Set() : clustersNamed(exclude, '--exclude', snapshot);
  const reasonFor = (name: string) => {
    if (excluded.has(name)) return 'it is excluded (--exclude)';
    return chosen?.has(name) === false ? 'it is not among the chosen clusters (--only)' : undefined;
  };
  const leftOut = new Map(
    clusters.flatMap(({ name }) => {
      const why = reasonFor(name);
      return why === undefined ? [] : [[name, why] as const];
    }),
  );
  if (leftOut.size === clusters.length && clusters.length > 0 && (only ?? exclude) !== undefined)
    throw new UsageError('--only and --exclude leave no cluster to upgrade');
  return leftOut;
}

function clustersNamed(text: string, flag: string, { spec }: FleetSnapshot): ReadonlySet<string> {
  return new Set(
    text.split(',').flatMap((name) => {
      if (name === '') throw new UsageError(`${flag} ${text}: a name before or after a comma is missing`);
      if (spec.clusters.some((one) => one.name === name)) return [name];
      const set = spec.clusterSets.find((one) => one.name === name);
      if (set === undefined) {
        const names = namesText([...spec.clusters, ...spec.clusterSets]);
        throw new UsageError(`${flag} ${name}: the snapshot has no such cluster or ClusterSet (there are: ${names})`);
      }
      return [set.leader, ...set.members];
    }),
  );
}

/** The names of clusters or ClusterSets, at most twenty. */
export function namesText(named: readonly { readonly name: string }[]): string {
  return firstNames(
    named.map(({ name }) => name),
    20,
  );
}
