import type { ReasonOn, leaderClusterSetStatus, memberClusterSetStatus } from '@isthmus/api';
import type { ClusterSettings } from '@isthmus/wire';
import { shown } from '@isthmus/wire';

/** A setting in which clusters differ, for the ClusterSets of all of them. */
export interface SettingsDifference {
  readonly reason: ReasonOn<typeof leaderClusterSetStatus, 'SettingsDiffer=True'>;
  readonly message: string;
}

/** The leader's answer about settings to each member. */
export interface SettingsAnswer {
  readonly reason: ReasonOn<typeof memberClusterSetStatus, 'SettingsDiffer=True'>;
  readonly message: string;
}

/** A limit, because a message that names all clusters would change with each cluster that joins. */
const mostNamed = 5;

/**
 * The settings in which the clusters of a ClusterSet differ although they should not. Undefined if
 * the announced settings agree. `leaderID`: the cluster ID of this leader; undefined: it has none.
 */
export function differingSettings(
  clusters: readonly ClusterSettings[],
  leaderID: string | undefined,
): SettingsDifference | undefined {
  const types = valuesOf(clusters, ({ endpointIPType }) => endpointIPType);
  const planes = valuesOf(clusters, ({ dataPlane }) => dataPlane);
  const stretched = valuesOf(clusters, ({ stretchedNetworkPolicy }) => stretchedNetworkPolicy?.toString());
  const leaders = valuesOf(clusters, ({ leaderClusterID }) =>
    [undefined, leaderID].includes(leaderClusterID) || leaderID === undefined ? undefined : shown(leaderClusterID),
  );
  const messages = [
    ...(types.size < 2
      ? []
      : [
          `endpointIPType is ${namedValues(types)}. Set the same endpointIPType in the configuration of every cluster: endpoints of the other type may not be reachable.`,
        ]),
    ...(planes.size < 2
      ? []
      : [`The data plane is ${namedValues(planes)}. Gateways of different data planes do not exchange packets.`]),
    ...(stretched.size < 2
      ? []
      : [
          `enableStretchedNetworkPolicy is ${namedValues(stretched)}. Set the same enableStretchedNetworkPolicy in the configuration of every cluster: rules with scope ClusterSet select only Pods of clusters where it is true.`,
        ]),
    ...(leaders.size === 0
      ? []
      : [
          `The cluster ID of the leader is ${leaderID}, but spec.leaders[0].clusterID is ${namedValues(leaders)}. If this is the right ID, delete the leader's ClusterSet and create it again with this ID: no import changes. Otherwise correct the ClusterSets of these members, which then import everything again.`,
        ]),
  ];
  if (messages.length === 0) return undefined;
  return {
    reason: reasonOf({ types: types.size > 1, planes: planes.size > 1, stretched: stretched.size > 1 }),
    message: messages.join(' '),
  };
}

/** The first reason, if there are several. */
function reasonOf(differ: {
  readonly types: boolean;
  readonly planes: boolean;
  readonly stretched: boolean;
}): SettingsDifference['reason'] {
  if (differ.types) return 'EndpointIPTypeDiffers';
  if (differ.planes) return 'DataPlaneDiffers';
  return differ.stretched ? 'StretchedNetworkPolicyDiffers' : 'LeaderIDDiffers';
}

/**
 * The settings in which clusters differ, and those that members need and this leader lacks. Its own
 * ClusterSet reports the latter in another condition.
 */
export function settingsAnswer(
  difference: SettingsDifference | undefined,
  switchedOff: readonly string[],
): SettingsAnswer | undefined {
  if (switchedOff.length === 0) return difference;
  const off = `Members export objects that the leader publishes only with ${switchedOff.join(', ')} in its MultiClusterConfig. Set it there, or remove it from the configuration of the members.`;
  return difference === undefined
    ? { reason: 'LeaderSettingOff', message: off }
    : { ...difference, message: `${difference.message} ${off}` };
}

/** The clusters that announce each value. Both are in alphabetical order. */
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
