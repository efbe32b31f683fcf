import {
  Annotation,
  ClusterSet,
  MemberClusterAnnounce,
  Role,
  Secret,
  ServiceAccount,
  memberAnnounceName,
} from '@isthmus/api';
import type { ApiRequest } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  leaderNamespace,
  leaderSecret,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const clusters = { north: 'leader', east: 'member', west: 'member' } as const;

/** A fleet whose members have tokens of these accounts, which are not bound to a cluster. */
async function fleetWith(accounts: Readonly<Record<'east' | 'west', string>>): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters });
  for (const [clusterID, name] of Object.entries(accounts)) {
    fleet.leader.server.admin.put(ServiceAccount, { metadata: { namespace: leaderNamespace, name } });
    giveToken(fleet, clusterID, name);
  }
  await fleet.clock.advance(30_000);
  return fleet;
}

/** The token contains its ServiceAccount, as tokens of API servers do. */
function giveToken(fleet: VirtualFleet, clusterID: string, account: string): void {
  const claims = JSON.stringify({ jti: clusterID, sub: `system:serviceaccount:${leaderNamespace}:${account}` });
  fleet.cluster(clusterID).server.admin.put(Secret, {
    metadata: { name: leaderSecret.name, namespace: memberNamespace },
    data: { 'ca.crt': btoa('a certificate'), token: btoa(`e30.${btoa(claims)}.c2ln`) },
  });
}

const clusterSetRef = { namespace: leaderNamespace, name: clusterSetName };
const boundTo = (fleet: VirtualFleet, name: string) =>
  fleet.leader.server.admin.get(ServiceAccount, { namespace: leaderNamespace, name })?.metadata.annotations?.[
    Annotation.clusterID
  ];
const reported = (fleet: VirtualFleet) =>
  conditionOf(fleet.leader.server.admin.get(ClusterSet, clusterSetRef)?.status?.conditions, 'AccountsNotBound');
const nameMembers = (fleet: VirtualFleet, members: readonly object[]) =>
  fleet.leader.server.admin.patch(ClusterSet, clusterSetRef, { spec: { members } });

describe('the leader', () => {
  it('binds the accounts that a ClusterSet of v1alpha1 names, and reports it', async () => {
    await using fleet = await fleetWith({ east: 'east-sa', west: 'west-sa' });
    nameMembers(fleet, [
      { clusterID: 'east', serviceAccount: 'east-sa' },
      { clusterID: 'gone', serviceAccount: 'nobody' },
    ]);
    await fleet.until('the account is bound', () => boundTo(fleet, 'east-sa') === 'east', 5_000);
    expect(boundTo(fleet, 'west-sa')).toBeUndefined();
    expect(eventsOf(fleet.leader).filter((event) => event.startsWith('AccountBound'))).toEqual([
      `AccountBound ClusterSet/${clusterSetName}: Bound ServiceAccount east-sa to cluster east: spec.members names it for this cluster. It can no longer write objects of other clusters.`,
    ]);
    expect(reported(fleet)).toBeUndefined();
    expect(clusterSetCondition(fleet.cluster('east'))).toBe('True Connected');
  });

  it('lists on each account those of the same cluster, once, and reports a rejection twice a minute', async () => {
    await using fleet = await fleetWith({ east: 'east-sa', west: 'west-sa' });
    const { admin } = fleet.leader.server;
    const listOf = (name: string) =>
      admin.get(ServiceAccount, { namespace: leaderNamespace, name })?.metadata.annotations?.[
        Annotation.clusterAccounts
      ];
    const bind = (name: string) =>
      admin.put(ServiceAccount, {
        metadata: { namespace: leaderNamespace, name, annotations: { [Annotation.clusterID]: 'east' } },
      });
    bind('east-sa');
    await fleet.until('it is listed', () => listOf('east-sa') === 'east-sa', 5_000);
    let patches = 0;
    const isPatch = ({ method, path }: ApiRequest) => {
      const matches = method === 'PATCH' && path.endsWith('/serviceaccounts/second');
      if (matches) patches += 1;
      return matches;
    };
    const restore = fleet.link('north-leader', 'north').add({ match: isPatch, fault: { kind: 'status', code: 403 } });
    bind('second');
    await fleet.until('both are listed', () => listOf('east-sa') === 'east-sa,second', 5_000);
    await fleet.clock.advance(60_000);
    expect(patches).toBeLessThanOrEqual(3);
    expect(reported(fleet)?.message).toContain('Accounts without annotation can write what belongs to the cluster of');
    restore();
    await fleet.until('it has its list', () => listOf('second') === 'east-sa,second', 40_000);
    await fleet.until('nothing is reported', () => reported(fleet) === undefined, 5_000);
    expect(listOf('west-sa')).toBeUndefined();
  });

  it('reports an account that several clusters use, binds it to none of them, and all stay connected', async () => {
    await using fleet = await fleetWith({ east: 'shared', west: 'shared' });
    await fleet.until('it is reported', () => reported(fleet) !== undefined, 5_000);
    expect(reported(fleet)).toMatchObject({ status: 'True', reason: 'AccountNotBound' });
    expect(reported(fleet)?.message).toContain('ServiceAccount shared is used by the clusters east, west');
    await fleet.clock.advance(300_000);
    expect(boundTo(fleet, 'shared')).toBeUndefined();
    for (const name of ['east', 'west']) expect(clusterSetCondition(fleet.cluster(name))).toBe('True Connected');
    fleet.leader.server.admin.put(ServiceAccount, { metadata: { namespace: leaderNamespace, name: 'own' } });
    giveToken(fleet, 'west', 'own');
    await fleet.until('it is not reported any more', () => reported(fleet) === undefined, 5_000);
  });

  it('asks again after half a minute for an account that it could not bind, however often members report meanwhile', async () => {
    await using fleet = await fleetWith({ east: 'east-sa', west: 'west-sa' });
    const isBinding = ({ method, path }: ApiRequest) => method === 'PATCH' && path.endsWith('/serviceaccounts/east-sa');
    const restore = fleet.link('north-leader', 'north').add({ match: isBinding, fault: { kind: 'status', code: 403 } });
    nameMembers(fleet, [{ clusterID: 'east', serviceAccount: 'east-sa' }]);
    await fleet.until('it is reported', () => reported(fleet)?.status === 'True', 10_000);
    await fleet.clock.advance(60_000);
    restore();
    await fleet.until('the account is bound', () => boundTo(fleet, 'east-sa') === 'east', 40_000);
  });

  it('binds no account by an announcement while its API server does not check who wrote it', async () => {
    await using fleet = await fleetWith({ east: 'east-sa', west: 'west-sa' });
    const { server } = fleet.leader;
    const ref = { namespace: leaderNamespace, name: memberAnnounceName('east') };
    await fleet.clock.advance(300_000);
    const annotations = server.admin.get(MemberClusterAnnounce, ref)?.metadata.annotations ?? {};
    expect(annotations[Annotation.announcedBy]).toBe(
      `system:serviceaccount:${leaderNamespace}:east-sa ${annotations[Annotation.touchTs]}`,
    );
    expect(boundTo(fleet, 'east-sa')).toBeUndefined();
    expect(reported(fleet)).toBeUndefined();
  });

  it('does all else without the right to read ServiceAccounts, which the manifests of a release before do not grant', async () => {
    await using fleet = await fleetWith({ east: 'shared', west: 'shared' });
    const { admin } = fleet.leader.server;
    for (const role of admin.list(Role, leaderNamespace)) {
      const rules = (role.rules ?? []).filter(({ resources = [] }) => !resources.includes('serviceaccounts'));
      admin.patch(Role, role.metadata, { rules });
    }
    fleet.leader.kill();
    await fleet.clock.advance(3_000);
    fleet.leader.start();
    await fleet.until(
      'it is ready',
      () => clusterSetCondition(fleet.leader, clusterSetRef) === 'True AllClustersReady',
      60_000,
    );
  });
});

it('an account that has lost its annotation, and announces a cluster of another account, is reported by name', async () => {
  await using fleet = await fleetWith({ east: 'east-sa', west: 'west-sa' });
  const { admin } = fleet.leader.server;
  nameMembers(fleet, [
    { clusterID: 'east', serviceAccount: 'east-sa' },
    { clusterID: 'west', serviceAccount: 'west-sa' },
  ]);
  await fleet.until(
    'both are bound',
    () => boundTo(fleet, 'west-sa') === 'west' && boundTo(fleet, 'east-sa') === 'east',
  );
  nameMembers(fleet, []);
  fleet.cluster('west').kill();
  fleet.cluster('east').kill();
  const metadata = { annotations: { [Annotation.clusterID]: null } };
  admin.patch(ServiceAccount, { namespace: leaderNamespace, name: 'west-sa' }, { metadata });
  admin.delete(MemberClusterAnnounce, { namespace: leaderNamespace, name: memberAnnounceName('west') });
  const touchTs = admin.get(MemberClusterAnnounce, { namespace: leaderNamespace, name: memberAnnounceName('east') })
    ?.metadata.annotations?.[Annotation.touchTs];
  const announcedBy = `system:serviceaccount:${leaderNamespace}:west-sa ${touchTs}`;
  admin.patch(
    MemberClusterAnnounce,
    { namespace: leaderNamespace, name: memberAnnounceName('east') },
    { metadata: { annotations: { [Annotation.announcedBy]: announcedBy } } },
  );
  const message =
    'ServiceAccount west-sa has no annotation multicluster.antrea.io/cluster-id and announces cluster east, to which ServiceAccount east-sa is bound';
  // While its own announcement is being removed, it is reported as an account of two clusters.
  await fleet.until('it is named', () => reported(fleet)?.message?.includes('ServiceAccount west-sa') === true, 10_000);
  await fleet.until('the reason is reported', () => reported(fleet)?.message?.includes(message) === true, 120_000);
});
