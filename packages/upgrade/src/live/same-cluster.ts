import type { ClusterSnapshot } from '../fleet/fleet-snapshot.ts';

/** The UUIDs of some machines whose Nodes are ready, sorted. */
export const machinesFact = 'cluster/machines';

/**
 * Whether two entries of a snapshot are one cluster: `copies` have the same UID because their etcd
 * was restored from one backup, and are two.
 */
export type Sameness = 'one' | 'copies' | 'unknown' | 'different';

/**
 * How two contexts or entries are related. A UID comes with a backup of etcd, the address of the
 * API server and the machines do not. Without machines at both, two addresses may be those of one
 * cluster.
 */
export function samenessOf(
  { facts: a }: Pick<ClusterSnapshot, 'facts'>,
  { facts: b }: Pick<ClusterSnapshot, 'facts'>,
): Sameness {
  const uid = a['cluster/uid'];
  if (uid === undefined || uid !== b['cluster/uid']) return 'different';
  if (a['cluster/server'] === b['cluster/server']) return 'one';
  const [first, second] = [a, b].map((facts) => facts[machinesFact]?.split(',') ?? []);
  if (first === undefined || second === undefined || first.length === 0 || second.length === 0) return 'unknown';
  return first.some((one) => second.includes(one)) ? 'one' : 'copies';
}

/** How a user distinguishes two clusters of one UID. */
export function tellApart(contexts: readonly string[]): string {
  return `compare ${contexts.map((one) => `\`kubectl --context ${one} get nodes -o wide\``).join(' and ')}: with the same Nodes they are one cluster`;
}
