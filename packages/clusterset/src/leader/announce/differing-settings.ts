import type { ReasonOn, leaderClusterSetStatus } from '@isthmus/api';
import type { ClusterSettings } from '../../exchange/settings.ts';

/** A setting in which clusters differ, for the ClusterSets of all of them. */
export interface SettingsDifference {
  readonly reason: ReasonOn<typeof leaderClusterSetStatus, 'SettingsDiffer=True'>;
  readonly message: string;
}

/** A message that names all clusters would change with each one that joins. */
const mostNamed = 5;

/** In what the clusters of a ClusterSet differ although they should not; undefined where they agree, as far as they announce it. */
export function differingSettings(clusters: readonly ClusterSettings[]): SettingsDifference | undefined {
  const types = valuesOf(clusters, ({ endpointIPType }) => endpointIPType);
  const planes = valuesOf(clusters, ({ dataPlane }) => dataPlane);
  const messages = [
    ...(types.size < 2
      ? []
      : [
          `endpointIPType is ${namedValues(types)}. Set the same endpointIPType in the configuration of every cluster: endpoints of the other type may not be reachable.`,
        ]),
    ...(planes.size < 2
      ? []
      : [`The data plane is ${namedValues(planes)}. Gateways of different data planes do not exchange packets.`]),
  ];
  if (messages.length === 0) return undefined;
  return { reason: types.size < 2 ? 'DataPlaneDiffers' : 'EndpointIPTypeDiffers', message: messages.join(' ') };
}

/** The clusters that announce each value, both in alphabetical order. */
function valuesOf(
  clusters: readonly ClusterSettings[],
  read: (cluster: ClusterSettings) => string | undefined,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const cluster of clusters) {
    const value = read(cluster);
    if (value !== undefined) found.set(value, [...(found.get(value) ?? []), cluster.clusterID]);
  }
  const entries = [...found].map(([value, clusterIDs]) => [value, clusterIDs.toSorted()] as const);
  return new Map(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function namedValues(values: ReadonlyMap<string, readonly string[]>): string {
  return [...values]
    .map(([value, clusterIDs]) => {
      const more = clusterIDs.length > mostNamed ? ' and others' : '';
      return `${value} in ${clusterIDs.slice(0, mostNamed).join(', ')}${more}`;
    })
    .join('; ');
}
