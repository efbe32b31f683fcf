import type { ClusterNetwork, ImportedService, OwnNode, ServiceEndpoint } from './cluster-network.ts';
import { directKey } from './direct-paths.ts';
import { families } from './own-node.ts';

/** The endpoints that clients on a Node may get. If there are none: what happens to the packets. */
type UsableEndpoints = readonly [ServiceEndpoint, ...ServiceEndpoint[]] | 'reject' | 'drop';

/**
 * The endpoints that clients get. Each step keeps the endpoints that match, if any do:
 * 1. with `internalTrafficPolicy: Local`, only those on the Node, without exception
 * 2. those of clusters that are reached
 * 3. those that are certain to be reached
 * 4. those that are ready, otherwise those that end but still serve
 * 5. those of the first cluster in the order of clusters
 * 6. with `trafficDistribution`, the nearest ones
 * 7. those of clusters whose weight is not 0
 *
 * Without any endpoint the Service rejects packets. If it has endpoints, but none on the Node as
 * the policy requires, packets are dropped, as by kube-proxy.
 */
export function usableEndpoints(
  service: ImportedService,
  node: OwnNode,
  unreached: ReadonlySet<string>,
): UsableEndpoints {
  const { endpoints, isNodeLocal = false, clusterOrder = [], clusterWeights } = service;
  if (endpoints.length === 0) return 'reject';
  const allowed = isNodeLocal ? endpoints.filter((one) => isOn(one, node)) : endpoints;
  const isReached = (one: ServiceEndpoint) => !unreached.has(directKey(one, one.address.family));
  const reached = unreached.size === 0 ? allowed : preferred(allowed, isReached);
  const serving = preferred(preferred(reached, isCertain), isReady);
  const rank = ({ clusterID }: ServiceEndpoint) => {
    const place = clusterOrder.indexOf(clusterID);
    return place === -1 ? clusterOrder.length : place;
  };
  const near = lowest(lowest(serving, rank), (one) => distance(one, node, service.nearest));
  const weighty = near.filter(({ clusterID }) => clusterWeights?.get(clusterID) !== 0);
  const [first, ...others] = weighty.length > 0 ? weighty : near;
  return first === undefined ? 'drop' : [first, ...others];
}

/**
 * The clusters and families whose Pods cannot be reached, by `directKey`: no gateway answers, and
 * no direct path is used. Connections to them would hang, so their endpoints are used only if there
 * are no others.
 */
export function unreachedOf({ remotes, direct }: ClusterNetwork): ReadonlySet<string> {
  const keys = remotes
    .filter(({ isUnreached }) => isUnreached === true)
    .flatMap((remote) => families.map((family) => directKey(remote, family)));
  return new Set(keys.filter((key) => direct?.has(key) !== true));
}

/** The items that match, or all items if none does. */
const preferred = <T>(items: readonly T[], isSo: (item: T) => boolean) => {
  const some = items.filter(isSo);
  return some.length > 0 ? some : items;
};
const isCertain = ({ isUncertain = false }: ServiceEndpoint) => !isUncertain;
const isReady = ({ isTerminating = false }: ServiceEndpoint) => !isTerminating;
const isOn = ({ clusterID, node }: ServiceEndpoint, { name }: OwnNode) => clusterID === '' && node === name;

/**
 * The distance of an endpoint, nearest first: on the Node, in the zone, in the cluster, in the zone
 * of another cluster, elsewhere. The path to another cluster leads over gateways, so the own
 * cluster is nearer than a zone that both clusters have.
 */
function distance(endpoint: ServiceEndpoint, node: OwnNode, nearest: ImportedService['nearest']): number {
  if (nearest === undefined) return 0;
  if (nearest === 'Node' && isOn(endpoint, node)) return 0;
  const isInZone = node.zone !== undefined && (endpoint.zones ?? []).includes(node.zone);
  if (endpoint.clusterID === '') return isInZone ? 1 : 2;
  return isInZone ? 3 : 4;
}

function lowest<T>(items: readonly T[], measure: (item: T) => number): readonly T[] {
  const least = Math.min(...items.map(measure));
  return items.filter((item) => measure(item) === least);
}
