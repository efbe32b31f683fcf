import type { ClusterInfo, Gateway, ResourceExport } from '@isthmus/api';
import { Finalizer, Label, SourceKind, clusterInfoName, managedByIsthmus } from '@isthmus/api';
import { byAge } from '@isthmus/machinery';
import type { ExchangeConfig } from '../../../exchange/member/own-cluster.ts';

export interface ClusterInfoInput {
  /** The Gateways of this cluster. */
  readonly gateways: readonly Gateway[];
  readonly config: Pick<ExchangeConfig, 'podCIDRs' | 'serviceCIDR'>;
  readonly clusterID: string;
  /** The Namespace of the member's controller. */
  readonly namespace: string;
  readonly leaderNamespace: string;
}

/**
 * What this cluster tells the others of its network, in the form of Antrea's members; undefined while it has no Gateway: then it tells
 * nothing. The oldest Gateway is the first, which older peers take for the only one. Which Node is to be a Gateway is not decided here.
 */
export function decideClusterInfoExport(input: ClusterInfoInput): ResourceExport | undefined {
  const gateways = input.gateways
    .filter(({ metadata, gatewayIP = '' }) => metadata.deletionTimestamp === undefined && gatewayIP !== '')
    .toSorted(byAge);
  const [active] = gateways;
  if (active === undefined) return undefined;
  const { clusterID, config, namespace, leaderNamespace } = input;
  const publicKey = active.wireGuard?.publicKey ?? '';
  const clusterInfo: ClusterInfo = {
    clusterID,
    serviceCIDR: config.serviceCIDR ?? active.serviceCIDR,
    podCIDRs: config.podCIDRs.length === 0 ? undefined : config.podCIDRs,
    gatewayInfos: gateways.map(({ gatewayIP }) => ({ gatewayIP })),
    wireGuard: publicKey === '' ? undefined : { publicKey },
  };
  return {
    metadata: {
      name: clusterInfoName(clusterID),
      namespace: leaderNamespace,
      labels: {
        [Label.sourceKind]: SourceKind.clusterInfo,
        [Label.sourceClusterID]: clusterID,
        [Label.managedBy]: managedByIsthmus,
      },
      finalizers: [Finalizer.resourceExport],
    },
    spec: { kind: SourceKind.clusterInfo, clusterID, name: clusterID, namespace, clusterInfo },
  };
}
