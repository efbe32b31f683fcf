import { firstNames, firstOf } from '@isthmus/machinery';
import type { FleetSnapshot } from '@isthmus/upgrade';
import { oldReadings } from '@isthmus/upgrade';
import { oneLine } from '../../render/printable-output.ts';

/**
 * A summary for users: how many clusters were read, the versions that run in them, and the clusters
 * that were not read with the reasons. `kept`: clusters that an earlier run read with contexts that
 * are not given now.
 */
export function snapshotText(snapshot: FleetSnapshot, kept: readonly string[] = []): string {
  const { spec } = snapshot;
  const { clusters, clusterSets } = spec;
  const unread = clusters.filter(({ reachable }) => !reachable);
  const rows = clusters.flatMap(({ name, components }) =>
    components.flatMap(({ id, live, recorded }) => {
      const versions = new Set(live.map(({ version }) => (version === '' ? 'unknown' : version)));
      if (versions.size === 0) versions.add(`${recorded?.version ?? 'unknown'} (recorded)`);
      return [...versions].map((version) => ({ id: oneLine(id), version: oneLine(version), name }));
    }),
  );
  const counted = Map.groupBy(rows, ({ id, version }) => `${id}\n${version}`);
  const lines = [...counted]
    .map(([key, all]) => {
      const [id = '', version = ''] = key.split('\n');
      return [id, version, String(new Set(all.map(({ name }) => name)).size)] as const;
    })
    .toSorted(([a, v], [b, w]) => (a < b ? -1 : a > b ? 1 : v < w ? -1 : 1));
  const sets = clusterSets.length === 0 ? '' : `, ${counting(clusterSets.length, 'ClusterSet')}`;
  const nodes = clusters.reduce(
    (sum, { components }) => sum + (components.find(({ id }) => id === 'kubelet')?.live.length ?? 0),
    0,
  );
  return [
    `Snapshot of ${spec.takenAt}: ${counting(clusters.length, 'cluster')}${sets}, ${counting(nodes, 'Node')}; ${unread.length === 0 ? (kept.length === 0 ? 'all clusters were read' : 'no cluster failed') : `${unread.length} not read`}.`,
    ...keptLine(kept),
    ...oldLine(snapshot),
    '',
    ...table([['COMPONENT', 'VERSION', 'CLUSTERS'], ...lines]),
    ...(unread.length === 0
      ? []
      : [
          '',
          'Not read:',
          ...firstOf(unread, shown, ({ name, notRead }) => `${name}: ${oneLine(notRead ?? 'unknown cause')}`).map(
            (line) => `  ${line}`,
          ),
        ]),
    '',
  ].join('\n');
}

/** Clusters whose contexts were not given: the file has them from earlier runs. */
function keptLine(kept: readonly string[]): readonly string[] {
  if (kept.length === 0) return [];
  return [
    `Kept from earlier runs, because their contexts are not given: ${firstNames(kept.map(oneLine), shown)}. If a cluster no longer exists, delete its entry from the file.`,
  ];
}

/** A file keeps the results of earlier runs, which its date does not show. */
function oldLine(snapshot: FleetSnapshot): readonly string[] {
  const old = oldReadings(snapshot);
  if (old.length === 0) return [];
  const first = old.map(({ readAt }) => readAt).toSorted()[0] ?? '';
  return [
    `${counting(old.length, 'cluster')} ${old.length === 1 ? 'was' : 'were'} last read more than a day before, the first at ${first}; --refresh all reads all given contexts again.`,
  ];
}

function counting(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function table(rows: readonly (readonly [string, string, string])[]): readonly string[] {
  const width = (at: 0 | 1) => Math.max(...rows.map((row) => row[at].length));
  const [first, second] = [width(0), width(1)];
  return rows.map(([a, b, c]) => `${a.padEnd(first)}  ${b.padEnd(second)}  ${c}`);
}

const shown = 20;
