import type { ClusterSet } from '@isthmus/api';
import { Annotation, parseVirtualPodCIDRs } from '@isthmus/api';
import { byAge } from '@isthmus/machinery';
import type { VirtualCIDR } from '../desired/cluster-network.ts';
import type { Problem } from './problem.ts';

/**
 * By which ranges other clusters know the Pods of this one: those that the agent was started with, or else those that the leader has allotted, as the controller notes them on the
 * ClusterSet.
 */
export function ownVirtualCIDRs(
  given: readonly VirtualCIDR[],
  clusterSets: readonly ClusterSet[],
  problems: Problem[],
): readonly VirtualCIDR[] {
  const noted = clusterSets
    .toSorted(byAge)
    .map(({ metadata }) => ({
      metadata,
      pairs: parseVirtualPodCIDRs(metadata.annotations?.[Annotation.virtualPodCIDRs]),
    }))
    .find(({ pairs }) => pairs.length > 0);
  if (noted === undefined) return given;
  if (given.length === 0) return noted.pairs.map((pair) => ({ ...pair, isOwnUsed: true }));
  const { namespace, name } = noted.metadata;
  const message = `The virtual Pod CIDRs that the leader has assigned are not used: this agent was started with --virtual-pod-cidrs.`;
  problems.push({ kind: 'ClusterSet', namespace, name, message });
  return given;
}
