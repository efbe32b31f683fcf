import type { ClusterInfo, ClusterInfoImport } from '@isthmus/api';
import { firstNames, hostCidr } from '@isthmus/machinery';
import type { Grant, TakenGateway } from '@isthmus/wire';
import { isNamedIn, judgeGateways } from '@isthmus/wire';

/** A network that is to be imported, beside those that are imported. */
export interface GatewaysInput {
  readonly clusterID: string;
  readonly network: ClusterInfo;
  /** What is imported of the cluster. */
  readonly current: ClusterInfoImport | undefined;
  /** What is imported of the other clusters. */
  readonly others: readonly ClusterInfoImport[];
  readonly grantOf: (clusterID: string) => Grant;
}

export interface OwnGateways {
  /** The network without gateways and keys of other clusters; undefined: no gateway is left. */
  readonly network: ClusterInfo | undefined;
  /** What is left out, and what to do; undefined: nothing is. */
  readonly problem: string | undefined;
}

/**
 * Leaves out gateways and keys that are imported of other clusters, whatever the leader publishes:
 * one of Antrea does not compare them, and one that has lost its objects cannot.
 */
export function withoutTakenGateways({ clusterID, network, current, others, grantOf }: GatewaysInput): OwnGateways {
  const isNamed = (id: string) => (address: Parameters<typeof hostCidr>[0]) =>
    isNamedIn(grantOf(id), 'gateways', hostCidr(address));
  const imported = others.map(({ spec = {}, metadata }) => ({
    clusterID: spec.clusterID ?? '',
    announced: spec,
    published: spec,
    since: metadata.creationTimestamp ?? '',
    isNamed: isNamed(spec.clusterID ?? ''),
  }));
  const since = current?.metadata.creationTimestamp ?? youngest;
  const own = { clusterID, announced: network, published: current?.spec, since, isNamed: isNamed(clusterID) };
  const { usableOf, taken } = judgeGateways([...imported, own]);
  const lost = taken.filter((one) => one.clusterID === clusterID);
  const usable = usableOf(clusterID) ?? network;
  const isCutOff = usable.gatewayInfos?.length === 0 && (network.gatewayInfos ?? []).length > 0;
  return { network: isCutOff ? undefined : usable, problem: problemOf(clusterID, lost, isCutOff) };
}

/** A network that is not imported yet is younger than all that are. */
const youngest = '9999';

function problemOf(clusterID: string, lost: readonly TakenGateway[], isCutOff: boolean): string | undefined {
  if (lost.length === 0) return undefined;
  const what = lost.map(
    ({ gatewayIP, other, what: thing }) => `gateway ${gatewayIP} with the ${thing} of a gateway of cluster ${other}`,
  );
  const rest = isCutOff ? `So the network of ${clusterID} is not used` : 'The rest of its network is used';
  return `Cluster ${clusterID} announces ${firstNames(what, mostNamed)}, which is in use for that cluster. ${rest}. If an address belongs to ${clusterID}, name it in gateways of KnownCluster ${clusterID} of this cluster.`;
}

/** The limit on gateways that a message names. */
const mostNamed = 3;
