import type { MemberClusterAnnounce } from '@isthmus/api';
import { clusterInfoName } from '@isthmus/api';
import { isLive, rfc3339 } from '@isthmus/machinery';
import {
  announcedCluster,
  announcedEndpointIPType,
  announcedStretchedNetworkPolicy,
  dataPlaneOf,
  leaderOf,
} from '@isthmus/wire';
import type { ClusterSettings, OtherMember } from '@isthmus/wire';
import type { CommonArea } from '../../common-area/common-area.ts';
import { silentSince } from '../../common-area/silent-members.ts';
import type { SettingsDifference } from './differing-settings.ts';
import { differingSettings } from './differing-settings.ts';

/**
 * The settings in which the members of the area differ from each other, or from the leader's own
 * cluster ID.
 */
export function settingsDifferenceIn(
  area: Pick<CommonArea, 'announces' | 'exports' | 'namespace' | 'served' | 'unannounced'>,
): SettingsDifference | undefined {
  const served = area.served();
  const leaderID = served === undefined ? undefined : leaderOf(served)?.clusterID;
  // A ClusterSet that gives this cluster two IDs has another problem (InvalidLeaders).
  const isOwnID = [undefined, '', leaderID].includes(served?.spec?.clusterID);
  return differingSettings(memberSettings(area), isOwnID ? leaderID : undefined);
}

/**
 * The settings that have to be the same in all members, as each announces them. Those of a member
 * that sends no heartbeats may have been corrected there.
 */
function memberSettings(area: Parameters<typeof settingsDifferenceIn>[0]): readonly ClusterSettings[] {
  const { announces, exports, namespace } = area;
  const silent = silentSince(area);
  return announces.cache.list().flatMap((announce) => {
    const clusterID = announcedCluster(announce);
    if (clusterID === undefined || !isLive(announce) || silent.has(clusterID)) return [];
    const network = exports.cache.get({ namespace, name: clusterInfoName(clusterID) });
    const isOwn = network?.spec?.clusterID === clusterID;
    return [
      {
        clusterID,
        endpointIPType: announcedEndpointIPType(announce),
        dataPlane: isOwn ? dataPlaneOf(network) : undefined,
        stretchedNetworkPolicy: announcedStretchedNetworkPolicy(announce),
        leaderClusterID:
          typeof announce.leaderClusterID === 'string' ? announce.leaderClusterID || undefined : undefined,
      },
    ];
  });
}

/**
 * What the member of an announcement has to know of others, sorted: those that send no heartbeats,
 * and those with other endpoints than its own.
 */
export function otherMembersOf(
  reader: MemberClusterAnnounce,
  area: Pick<CommonArea, 'announces' | 'served' | 'unannounced'>,
): readonly OtherMember[] {
  const own = announcedEndpointIPType(reader);
  const silent = [...silentSince(area)].map(([clusterID, sinceMs]) => ({ clusterID, silentSince: rfc3339(sinceMs) }));
  const others = area.announces.cache.list().flatMap((announce) => {
    const clusterID = announcedCluster(announce);
    const endpointIPType = announcedEndpointIPType(announce);
    const isOther = own !== undefined && endpointIPType !== undefined && endpointIPType !== own;
    return clusterID !== undefined && isLive(announce) && isOther ? [{ clusterID, endpointIPType }] : [];
  });
  const members = Map.groupBy<string, OtherMember>([...silent, ...others], ({ clusterID }) => clusterID);
  // There is a limit: silence is what imports report first.
  const rank = ({ silentSince: since, clusterID }: OtherMember) => `${since === undefined ? 1 : 0} ${clusterID}`;
  return [...members.values()]
    .map((parts): OtherMember => Object.assign({ clusterID: '' }, ...parts))
    .filter(({ clusterID }) => clusterID !== reader.clusterID)
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}
