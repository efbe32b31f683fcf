import { ClusterSet, FixedName, RoleBinding, Secret, SecretKey, ServiceAccount } from '@isthmus/api';
import { memberAccount } from '@isthmus/install';
import { conditionOf } from '@isthmus/machinery';
import type { FleetCluster } from './fleet-cluster.ts';
import type { UntilOptions } from './until.ts';
import { until } from './until.ts';

export const clusterSetName = 'fleet';
const leaderSecret = 'leader-token';

/**
 * Creates the ClusterSet of the leader and of each member, which gets a token of its own, as an
 * administrator with all kubeconfigs would. Waits until every member reports that it is connected.
 */
export async function join(leader: FleetCluster, members: readonly FleetCluster[], wait: UntilOptions): Promise<void> {
  const { leaderNamespace: namespace, memberNamespace } = FixedName;
  const { name: clusterID, url: server } = leader;
  const set = { clusterID, namespace };
  await leader.admin.create(ClusterSet, {
    metadata: { name: clusterSetName, namespace },
    spec: { ...set, leaders: [{ clusterID }] },
  });
  await Promise.all(
    members.map(async ({ name, admin }) => {
      const data = await issueToken(leader, name, wait);
      await admin.create(Secret, {
        metadata: { name: leaderSecret, namespace: memberNamespace },
        type: 'Opaque',
        data,
      });
      await admin.create(ClusterSet, {
        metadata: { name: clusterSetName, namespace: memberNamespace },
        spec: { clusterID: name, namespace, leaders: [{ clusterID, server, secret: leaderSecret }] },
      });
    }),
  );
  await Promise.all(members.map((member) => until(`${member.name} has joined`, () => hasJoined(member), wait)));
}

async function hasJoined({ admin }: FleetCluster): Promise<boolean> {
  const ref = { namespace: FixedName.memberNamespace, name: clusterSetName };
  return conditionOf((await admin.get(ClusterSet, ref)).status?.conditions, 'Ready')?.status === 'True';
}

/** The data of a Secret with which a member reaches the leader, base64 as on the wire. */
async function issueToken({ admin }: FleetCluster, clusterID: string, wait: UntilOptions) {
  const namespace = FixedName.leaderNamespace;
  const { account, binding, secret } = memberAccount(namespace, clusterID);
  await admin.create(ServiceAccount, account);
  await admin.create(RoleBinding, binding);
  await admin.create(Secret, secret);
  const read = async () => {
    const { data } = await admin.get(Secret, { namespace, name: secret.metadata.name });
    const [ca, token] = [data?.[SecretKey.caCrt], data?.[SecretKey.token]];
    return ca !== undefined && token !== undefined && { [SecretKey.caCrt]: ca, [SecretKey.token]: token };
  };
  return until(`there is a token for ${clusterID}`, read, wait);
}
