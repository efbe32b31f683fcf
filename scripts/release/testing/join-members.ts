import { FixedName } from '@isthmus/api';
import type { ClusterUser } from './release-on-nodes.ts';

const { leaderNamespace, memberNamespace } = FixedName;
const patience = '--timeout=900s';
const clusterSet = 'fleet';
const tokenSecret = 'leader-token';

const nameOf = ({ cluster }: ClusterUser) => cluster.layout.name;
const accountOf = (member: ClusterUser) => `member-${nameOf(member)}`;

/** Makes an account with a token for each member, joins them, and waits until all are connected. */
export async function joinMembers(leader: ClusterUser, members: readonly ClusterUser[]): Promise<void> {
  await leader.apply(...members.flatMap((member) => accountObjects(accountOf(member), nameOf(member))));
  await copyTokens(leader, members);
  await createClusterSets(leader, members);
  await membersAreReady(members);
}

/**
 * Copies the token of each member from the leader, where Secret `member-<name>` has it or will have
 * it.
 */
export async function copyTokens(leader: ClusterUser, members: readonly ClusterUser[]): Promise<void> {
  for (const member of members) {
    const secret = [`secret/${accountOf(member)}`, '-n', leaderNamespace];
    await leader.kubectl(['wait', ...secret, '--for=create', patience]);
    await leader.kubectl(['wait', ...secret, '--for=jsonpath={.data.token}', patience]);
    const { data } = JSON.parse(await leader.kubectl(['get', ...secret, '-o', 'json'])) as {
      readonly data: Readonly<Record<string, string>>;
    };
    const { 'ca.crt': ca, token } = data;
    const metadata = { name: tokenSecret, namespace: memberNamespace };
    await member.apply({ apiVersion: 'v1', kind: 'Secret', metadata, data: { 'ca.crt': ca, token } });
  }
}

/** The ClusterSets of the leader and of the members, which have their tokens. */
export async function createClusterSets(leader: ClusterUser, members: readonly ClusterUser[]): Promise<void> {
  const clusterID = nameOf(leader);
  await leader.apply(clusterSetIn(leaderNamespace, { clusterID, leaders: [{ clusterID }] }));
  // As Pods of all clusters reach it.
  const server = `https://${leader.cluster.layout.address}:${new URL(leader.cluster.server.url).port}`;
  const leaders = [{ clusterID, server, secret: tokenSecret }];
  for (const member of members)
    await member.apply(clusterSetIn(memberNamespace, { clusterID: nameOf(member), leaders }));
}

export async function membersAreReady(members: readonly ClusterUser[]): Promise<void> {
  const ready = ['wait', `clusterset/${clusterSet}`, '-n', memberNamespace, '--for=condition=Ready', patience];
  await Promise.all(members.map((member) => member.kubectl(ready)));
}

function clusterSetIn(namespace: string, spec: object): object {
  return {
    apiVersion: 'multicluster.crd.antrea.io/v1alpha2',
    kind: 'ClusterSet',
    metadata: { name: clusterSet, namespace },
    spec: { namespace: leaderNamespace, ...spec },
  };
}

function accountObjects(name: string, clusterID: string): readonly object[] {
  const metadata = { name, namespace: leaderNamespace };
  return [
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { ...metadata, annotations: { 'multicluster.antrea.io/cluster-id': clusterID } },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'antrea-mc-member-cluster-role' },
      subjects: [{ kind: 'ServiceAccount', name, namespace: leaderNamespace }],
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...metadata, annotations: { 'kubernetes.io/service-account.name': name } },
      type: 'kubernetes.io/service-account-token',
    },
  ];
}
