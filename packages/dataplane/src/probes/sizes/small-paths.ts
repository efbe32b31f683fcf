import type { SmallPath } from '@isthmus/api';
import type { GatewayReport } from '../gateway-record.ts';

/** The gateways of other clusters to which large packets are lost, by cluster. */
export function smallPathsOf(reports: readonly GatewayReport[]): readonly SmallPath[] {
  const small = reports.flatMap(({ gateway: { clusterID, largest, underlay }, carries }) =>
    clusterID === undefined || largest === undefined || carries === undefined
      ? []
      : [{ clusterID, carries, largest, address: underlay }],
  );
  return [...Map.groupBy(small, ({ clusterID }) => clusterID)]
    .map(([clusterID, own]) => ({
      clusterID,
      carries: Math.min(...own.map(({ carries }) => carries)),
      largest: Math.max(...own.map(({ largest }) => largest)),
      addresses: own.map(({ address }) => address).toSorted(),
    }))
    .toSorted((a, b) => (a.clusterID < b.clusterID ? -1 : 1));
}
