import { clusterInfoName } from '@isthmus/api';
import type { CommonArea } from '../../exchange/common-area.ts';
import { isLive } from '../../exchange/loss/withdrawal.ts';
import type { ClusterSettings } from '../../exchange/settings.ts';
import { announcedEndpointIPType, dataPlaneOf } from '../../exchange/settings.ts';
import { announcedCluster } from './announced-cluster.ts';

/** What each member announces of the settings that have to be the same in all. */
export function memberSettings({
  announces,
  exports,
  namespace,
}: Pick<CommonArea, 'announces' | 'exports' | 'namespace'>): readonly ClusterSettings[] {
  return announces.cache.list().flatMap((announce) => {
    const clusterID = announcedCluster(announce);
    if (clusterID === undefined || !isLive(announce)) return [];
    const network = exports.cache.get({ namespace, name: clusterInfoName(clusterID) });
    const isOwn = network?.spec?.clusterID === clusterID;
    return [
      {
        clusterID,
        endpointIPType: announcedEndpointIPType(announce),
        dataPlane: isOwn ? dataPlaneOf(network) : undefined,
      },
    ];
  });
}
