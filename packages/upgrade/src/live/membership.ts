import { isRecord } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';
import { recordAt } from './workload.ts';

/** The facts in a ClusterSet about its cluster. */
export interface MembershipFact {
  readonly clusterSet: string;
  readonly namespace: string;
  readonly role: 'leader' | 'member';
  /** The ID of this cluster; empty if the ClusterSet does not contain it (before Antrea 1.13). */
  readonly clusterID: string;
  readonly leaderID: string;
  /** On a member: the name of the Secret with its token for the leader. */
  readonly tokenSecret: string;
  /** The IDs of the members, as the leader knows them. */
  readonly members: readonly string[];
}

/**
 * Reads a ClusterSet of Antrea or Isthmus, in each of its versions. Only a member's ClusterSet
 * contains the address of its leader.
 */
export function membershipFact(object: KubernetesObject): MembershipFact {
  const spec = recordAt(object, 'spec');
  const records = (value: unknown) => (Array.isArray(value) ? value : []).filter(isRecord);
  const id = (value: unknown) => (typeof value === 'string' ? value : '');
  const [leader] = records(spec['leaders']);
  const isMember = id(leader?.['server']) !== '';
  const statuses = records(recordAt(object, 'status')['clusterStatuses']);
  const members = isMember ? [] : [...records(spec['members']), ...statuses].map(({ clusterID }) => id(clusterID));
  return {
    clusterSet: object.metadata.name,
    namespace: object.metadata.namespace ?? '',
    role: isMember ? 'member' : 'leader',
    clusterID: id(spec['clusterID']),
    leaderID: id(leader?.['clusterID']),
    tokenSecret: isMember ? id(leader?.['secret']) : '',
    members: [...new Set(members.filter((one) => one !== ''))].toSorted(),
  };
}
