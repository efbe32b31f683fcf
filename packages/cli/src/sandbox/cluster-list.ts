import { dns1123LabelErrors } from '@isthmus/machinery';

/** A cluster of `--clusters`: its name is also its ID in the ClusterSet. */
export interface AskedCluster {
  readonly name: string;
  readonly isLeader: boolean;
  readonly isMember: boolean;
}

/** The form of `--clusters`, and its default. */
export const defaultClusters = 'north:leader,east,west';

const roles: Readonly<Record<string, Omit<AskedCluster, 'name'>>> = {
  leader: { isLeader: true, isMember: false },
  member: { isLeader: false, isMember: true },
  'leader+member': { isLeader: true, isMember: true },
  'member+leader': { isLeader: true, isMember: true },
};

/** Names of Nodes and accounts contain it, and have at most 63 characters. */
const maxNameLength = 50;
/** Each has address ranges of its own out of 10.0.0.0/8. */
const maxClusters = 100;

/**
 * Reads `name[:role],…`; a cluster without a role is a member. Errors: throws with the problem and
 * the expected value: a name that is not valid or given twice, an unknown role, too many clusters.
 */
export function parseClusterList(text: string): readonly AskedCluster[] {
  const clusters = text.split(',').map((part) => parseCluster(part.trim()));
  const names = clusters.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Cluster ${twice} is named twice.`);
  if (clusters.length > maxClusters)
    throw new Error(`It names ${clusters.length} clusters; the maximum is ${maxClusters}.`);
  return clusters;
}

/**
 * Why these clusters cannot become one ClusterSet: without a leader, or with several; undefined
 * where they can.
 */
export function leaderProblem(clusters: readonly AskedCluster[]): string | undefined {
  const leaders = clusters.filter(({ isLeader }) => isLeader).map(({ name }) => name);
  if (leaders.length === 0) return `One cluster must be the leader, as in ${defaultClusters}.`;
  if (leaders.length > 1) return `Only one cluster can be the leader, not ${leaders.join(' and ')}.`;
  return undefined;
}

function parseCluster(text: string): AskedCluster {
  const [name = '', role = 'member', ...rest] = text.split(':');
  const errors = name === '' ? ['it is empty'] : [...dns1123LabelErrors(name)];
  if (name.length > maxNameLength) errors.push(`must be no more than ${maxNameLength} characters`);
  if (errors.length > 0) throw new Error(`${JSON.stringify(name)} is not a valid cluster name: ${errors.join('; ')}.`);
  const found = rest.length === 0 && Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (found === undefined) {
    const given = JSON.stringify([role, ...rest].join(':'));
    throw new Error(`Cluster ${name} cannot be ${given}: the role must be leader, member or leader+member.`);
  }
  return { name, ...found };
}
