import type { ClusterSet } from '@isthmus/api';
import { Annotation, parseVirtualPodCIDRs } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { byAge, cidrText, overlaps } from '@isthmus/machinery';
import type { VirtualCIDR } from '../desired/cluster-network.ts';
import type { Problem } from './problem.ts';

interface VirtualCIDRSources {
  /** The Node that the agent runs on. */
  readonly node: string;
  /** The ranges that the agent was started with. */
  readonly given: readonly VirtualCIDR[];
  readonly clusterSets: readonly ClusterSet[];
  /** The Pod CIDRs of this cluster. */
  readonly podCIDRs: readonly Cidr[];
}

/**
 * The ranges by which other clusters know the Pods of this one. They are those that the agent was
 * started with, or otherwise those that the leader has allotted. The controller writes the latter
 * on the ClusterSet. A range that overlaps with a Pod CIDR of this cluster is not used, because its
 * addresses belong to Pods already.
 */
export function ownVirtualCIDRs(
  { node, given, clusterSets, podCIDRs }: VirtualCIDRSources,
  problems: Problem[],
): readonly VirtualCIDR[] {
  const allotted = clusterSets
    .toSorted(byAge)
    .map(({ metadata }) => ({
      metadata,
      pairs: parseVirtualPodCIDRs(metadata.annotations?.[Annotation.virtualPodCIDRs]),
    }))
    .find(({ pairs }) => pairs.length > 0);
  const { namespace, name = '' } = allotted?.metadata ?? {};
  const onClusterSet = (message: string) => problems.push({ kind: 'ClusterSet', namespace, name, message });
  const isGiven = allotted === undefined || given.length > 0;
  if (isGiven && allotted !== undefined)
    onClusterSet(
      'The virtual Pod CIDRs that the leader has assigned are not used: this agent was started with --virtual-pod-cidrs.',
    );
  const pairs = isGiven ? given : allotted.pairs.map((pair) => ({ ...pair, isOwnUsed: true }));
  const usable = pairs.filter(({ own, virtual }) => {
    const taken = podCIDRs.find((cidr) => overlaps(cidr, virtual));
    if (taken === undefined) return true;
    const message = `Virtual Pod CIDR ${cidrText(virtual)} for ${cidrText(own)} is not used: it overlaps with Pod CIDR ${cidrText(taken)} of this cluster.`;
    if (isGiven)
      problems.push({ kind: 'Node', name: node, message: `${message} Set another one in --virtual-pod-cidrs.` });
    else onClusterSet(`${message} Choose other ranges in virtualPodCIDRs of the leader.`);
    return false;
  });
  return usable.length === pairs.length ? pairs : usable;
}
