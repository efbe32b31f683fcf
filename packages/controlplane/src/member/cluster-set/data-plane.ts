import type { Gateway, Verdict, memberClusterSetStatus } from '@isthmus/api';
import { lacksGateway } from '../../own-cluster/own-agents.ts';
import type { OwnCluster } from '../../own-cluster/own-cluster.ts';

export interface DataPlaneInput {
  readonly config: Pick<OwnCluster['config'], 'endpointIPType'>;
  /** The controller's Namespace. */
  readonly namespace: string;
  /** The Gateways in that Namespace. Undefined until they are read, or if they cannot be read. */
  readonly gateways: readonly Gateway[] | undefined;
}

/**
 * The condition NoDataPlane of a member's ClusterSet. With ClusterIPs as endpoints and without a
 * Gateway, Services are imported but cannot be called. Undefined if that is not known.
 */
export function dataPlaneVerdict({
  config,
  namespace,
  gateways,
}: DataPlaneInput): Verdict<typeof memberClusterSetStatus, 'NoDataPlane'> | 'absent' | undefined {
  const lacks = lacksGateway(config, gateways);
  if (lacks !== true) return lacks === undefined ? undefined : 'absent';
  const message = `endpointIPType is ClusterIP: the endpoints of imported Services are ClusterIPs of other clusters, which only gateways make reachable, and Namespace ${namespace} has no Gateway. Calls to imported Services time out. If the Pod IPs of all clusters are routable, set endpointIPType: PodIP in the configuration of every cluster; if agents of Isthmus or Antrea carry the traffic, mark a Node: kubectl annotate node <name> multicluster.antrea.io/gateway=true`;
  return { status: 'True', reason: 'NoGateway', message };
}
