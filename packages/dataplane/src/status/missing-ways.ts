import { Annotation, clusterInfoName } from '@isthmus/api';
import { cidrText, firstNames, overlaps } from '@isthmus/machinery';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import { directKey } from '../desired/direct-paths.ts';
import { families, ownGateways, ownNode } from '../desired/own-node.ts';
import { unreachedOf } from '../desired/usable-endpoints.ts';
import type { AgentNote } from './agent-status.ts';

/** The Namespace of the member's objects, and their numbers. */
export interface MemberObjects {
  readonly namespace: string;
  readonly clusterSets: number;
  readonly clusterInfoImports: number;
}

const mark = `kubectl annotate node NODE ${Annotation.gateway}=true`;

/**
 * Why nothing is sent to other clusters, or only to some of their endpoints, although each object
 * is right. Without these notes, a Node whose cluster has no gateway would look correct, because
 * its network is as it should be.
 */
export function missingWays(
  cluster: ClusterNetwork,
  { namespace, clusterSets, clusterInfoImports }: MemberObjects,
): readonly AgentNote[] {
  if (clusterInfoImports === 0 && clusterSets === 0)
    return [
      {
        message: `nothing is sent to other clusters: Namespace ${namespace} contains neither a ClusterSet nor a ClusterInfoImport`,
        next: `If this cluster has joined a ClusterSet, use the Namespace of its controller, with --namespace: kubectl get clustersets -A shows it. Otherwise join one.`,
      },
    ];
  if (clusterInfoImports === 0)
    return [
      {
        message: `nothing is sent to other clusters: no other cluster announces its network, as Namespace ${namespace} contains no ClusterInfoImport`,
        next: `Mark a Node of each other cluster as a gateway, there: ${mark}. If one is marked, read the conditions of the ClusterSet of that cluster.`,
      },
    ];
  return [...withoutGateways(cluster), ...unreachedClusters(cluster, namespace), ...uselessRanges(cluster)];
}

function withoutGateways(cluster: ClusterNetwork): readonly AgentNote[] {
  const self = ownNode(cluster);
  const { family } = self.address;
  if (ownGateways(cluster, self).length === 0) {
    const are = cluster.nodes.some(({ isGateway }) => isGateway)
      ? `no gateway of this cluster has an address of type InternalIP of ${family}, as this Node has`
      : 'no Node of this cluster is a gateway';
    return [{ message: `nothing is sent to other clusters: ${are}`, next: `Mark a Node as a gateway: ${mark}` }];
  }
  return cluster.remotes.flatMap(({ clusterID, gatewayIPs }) => {
    if (gatewayIPs.some((address) => address.family === family)) return [];
    const are =
      gatewayIPs.length === 0
        ? 'it announces no gateway that can be used'
        : `its gateways do not have addresses of ${family}, as the Nodes of this cluster have`;
    const next =
      gatewayIPs.length === 0
        ? `Mark a Node of ${clusterID} as a gateway, there: ${mark}`
        : `Give its gateways such addresses, with the annotation ${Annotation.gatewayIP} of their Nodes.`;
    return [{ message: `nothing is sent to cluster ${clusterID}: ${are}`, next }];
  });
}

/** Notes about clusters whose endpoints are used only if there are no others. */
function unreachedClusters(cluster: ClusterNetwork, namespace: string): readonly AgentNote[] {
  const unreached = unreachedOf(cluster);
  return cluster.remotes
    .filter((remote) => families.some((family) => unreached.has(directKey(remote, family))))
    .map(({ clusterID }) => ({
      message: `no gateway of cluster ${clusterID} answers: its endpoints are used only where there are no others`,
      next: `Read the condition Reachable: kubectl describe clusterinfoimport ${clusterInfoName(clusterID)} -n ${namespace}`,
    }));
}

/**
 * Notes about virtual ranges that were set by hand and match no Pod CIDR. The leader's ranges
 * match, because they come from the announcements of the controller.
 */
function uselessRanges({ podCIDRs, virtualCIDRs = [] }: ClusterNetwork): readonly AgentNote[] {
  return virtualCIDRs.flatMap(({ own, virtual, isOwnUsed = false }) =>
    isOwnUsed || podCIDRs.length === 0 || podCIDRs.some((cidr) => overlaps(own, cidr))
      ? []
      : [
          {
            message: `virtual range ${cidrText(virtual)} has no effect: no Pod CIDR of this cluster is in ${cidrText(own)}`,
            next: `Correct --virtual-pod-cidrs: the Pod CIDRs of this cluster are ${firstNames(podCIDRs.map(cidrText), 3)}.`,
          },
        ],
  );
}
