import { ClusterSet, Role, Secret, ServiceAccount } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  leaderNamespace,
  leaderSecret,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const pair = { north: 'leader', west: 'member' } as const;
const account = { namespace: leaderNamespace, name: 'member-west' };
const clusterIDAnnotation = 'multicluster.antrea.io/cluster-id';

function condition(cluster: VirtualCluster, type: string) {
  const found = cluster.server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
  return conditionOf(found?.status?.conditions, type);
}

const binding = (cluster: VirtualCluster) => condition(cluster, 'TokenNotBound');

/**
 * A fleet whose member has a token that contains its ServiceAccount, as tokens of API servers do.
 */
async function fleetWithAccount(annotations: Readonly<Record<string, string>>): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: pair });
  fleet.leader.server.admin.put(ServiceAccount, { metadata: { ...account, annotations } });
  giveToken(fleet, 'first');
  await fleet.clock.advance(5_000);
  return fleet;
}

function giveToken(fleet: VirtualFleet, jti: string): void {
  const claims = JSON.stringify({ jti, sub: `system:serviceaccount:${account.namespace}:${account.name}` });
  fleet.cluster('west').server.admin.put(Secret, {
    metadata: { name: leaderSecret.name, namespace: memberNamespace },
    data: { 'ca.crt': btoa('a certificate'), token: btoa(`e30.${btoa(claims)}.c2ln`) },
  });
}

describe('a token whose ServiceAccount does not name the cluster', () => {
  it('is reported on the ClusterSet of the member, which is Ready, until the ServiceAccount is annotated', async () => {
    await using fleet = await fleetWithAccount({});
    const west = fleet.cluster('west');
    expect(binding(west)).toMatchObject({ status: 'True', reason: 'NotBoundToCluster' });
    expect(binding(west)?.message).toContain(
      `kubectl -n ${leaderNamespace} annotate serviceaccount member-west ${clusterIDAnnotation}=west`,
    );
    expect(clusterSetCondition(west)).toBe('True Connected');
    fleet.leader.server.admin.patch(ServiceAccount, account, {
      metadata: { annotations: { [clusterIDAnnotation]: 'west' } },
    });
    await fleet.until('it is not reported any more', () => binding(west) === undefined, 35_000);
  });

  it('stays reported as it is over a restart of the member and with another token', async () => {
    await using fleet = await fleetWithAccount({ [clusterIDAnnotation]: 'east' });
    const west = fleet.cluster('west');
    const before = binding(west);
    expect(before?.message).toContain('names "east"');
    west.kill();
    await fleet.clock.advance(3_000);
    west.start();
    await fleet.clock.advance(10_000);
    expect(binding(west)).toEqual(before);
    giveToken(fleet, 'second');
    await fleet.clock.advance(10_000);
    expect(binding(west)).toEqual(before);
  });
});

it('a token whose ServiceAccount names the cluster, or that the leader does not let be read, is not reported', async () => {
  await using fleet = await fleetWithAccount({ [clusterIDAnnotation]: 'west' });
  const west = fleet.cluster('west');
  expect(binding(west)).toBeUndefined();
  const { admin } = fleet.leader.server;
  admin.patch(ServiceAccount, account, { metadata: { annotations: { [clusterIDAnnotation]: null } } });
  for (const role of admin.list(Role, leaderNamespace)) {
    const rules = (role.rules ?? []).filter(({ resources = [] }) => !resources.includes('serviceaccounts'));
    admin.patch(Role, role.metadata, { rules });
  }
  await fleet.clock.advance(660_000);
  expect(binding(west)).toBeUndefined();
  expect(clusterSetCondition(west)).toBe('True Connected');
});

it('a token that does not expire is reported with the commands that replace it, and the member is Ready', async () => {
  await using fleet = await fleetWithAccount({ [clusterIDAnnotation]: 'west' });
  const west = fleet.cluster('west');
  expect(condition(west, 'TokenDoesNotExpire')).toMatchObject({ status: 'True', reason: 'TokenOfSecret' });
  expect(condition(west, 'TokenDoesNotExpire')?.message).toContain(`isthmus grant west -n ${leaderNamespace}`);
  expect(clusterSetCondition(west)).toBe('True Connected');
});
