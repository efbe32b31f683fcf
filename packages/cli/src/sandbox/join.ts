import { ClusterSet, FixedName, Secret, SecretKey } from '@isthmus/api';
import { joiningAccount } from '@isthmus/install';
import { conditionOf } from '@isthmus/machinery';
import { issueJoinToken } from '../grant/issue-join-token.ts';
import { clusterSetsSeen } from './cluster-sets-seen.ts';
import type { FleetCluster } from './fleet-cluster.ts';
import type { Wait } from './until.ts';
import { until } from './until.ts';

export const clusterSetName = 'fleet';

/**
 * Creates the ClusterSet of the leader and of each member, which gets a token of its own, as an
 * administrator with all kubeconfigs would. Waits until every member reports that it is connected.
 */
export async function join(leader: FleetCluster, members: readonly FleetCluster[], wait: Wait): Promise<void> {
  const { leaderNamespace: namespace, memberNamespace } = FixedName;
  const { name: clusterID, url: server } = leader;
  const set = { clusterID, namespace };
  await leader.admin.create(ClusterSet, {
    metadata: { name: clusterSetName, namespace },
    spec: { ...set, leaders: [{ clusterID }] },
  });
  await Promise.all(
    members.map(async ({ name, admin }) => {
      const data = await joinData(leader, name);
      await admin.create(Secret, {
        metadata: { name: FixedName.leaderTokenSecret, namespace: memberNamespace },
        type: 'Opaque',
        data,
      });
      await admin.create(ClusterSet, {
        metadata: { name: clusterSetName, namespace: memberNamespace },
        spec: { clusterID: name, namespace, leaders: [{ clusterID, server, secret: FixedName.leaderTokenSecret }] },
      });
    }),
  );
  await Promise.all(
    members.map((member) =>
      until(`${member.name} has joined`, () => hasJoined(member), {
        ...wait,
        observe: () => clusterSetsSeen([leader, member]),
      }),
    ),
  );
}

async function hasJoined({ admin }: FleetCluster): Promise<boolean> {
  const ref = { namespace: FixedName.memberNamespace, name: clusterSetName };
  return conditionOf((await admin.get(ClusterSet, ref)).status?.conditions, 'Ready')?.status === 'True';
}

/** The data of a Secret with which a member joins, as in a join file: base64 as on the wire. */
async function joinData({ admin, caData }: FleetCluster, clusterID: string) {
  const token = await issueJoinToken(admin, joiningAccount(FixedName.leaderNamespace, clusterID));
  return { [SecretKey.caCrt]: btoa(caData), [SecretKey.token]: btoa(token) };
}
