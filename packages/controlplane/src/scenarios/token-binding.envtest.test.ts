import {
  Annotation,
  ClusterSet,
  MemberClusterAnnounce,
  Secret,
  ServiceAccount,
  memberAnnounceName,
  serviceAccountUser,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

let fleet: RealFleet;
const west = () => fleet.cluster('west');
const leaderSet = { namespace: leaderNamespace, name: clusterSetName };
const account = { namespace: leaderNamespace, name: 'member-west' };

async function binding() {
  const { status } = await west().admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
  return conditionOf(status?.conditions, 'TokenNotBound');
}

async function bind(clusterID: string | null, name = account.name): Promise<void> {
  const body = { metadata: { annotations: { [Annotation.clusterID]: clusterID } } };
  await fleet.leader.admin.patch(ServiceAccount, { ...account, name }, { type: 'merge', body });
}

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { west: 'member', east: 'member', north: 'leader' } });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

it('a token of a real API server, whose ServiceAccount does not name the cluster, is reported until it does', async () => {
  // The leader would bind the account again a minute later.
  await Promise.all([fleet.leader.stop('leader'), west().stop('member')]);
  expect(await binding()).toBeUndefined();
  await bind(null);
  await west().start('member');
  const found = await fleet.until('it is reported', binding);
  expect(found).toMatchObject({ status: 'True', reason: 'NotBoundToCluster' });
  expect(found?.message).toContain(
    `kubectl -n ${leaderNamespace} annotate serviceaccount member-west multicluster.antrea.io/cluster-id=west`,
  );
  await bind('west');
  await fleet.eventually('it is not reported any more', async () => (await binding()) === undefined, true);
  await fleet.leader.start('leader');
  await fleet.eventually('it is connected', () => west().view.clusterSet(), 'True Connected');
});

/**
 * A policy that denies the leader's controller changes of accounts. Its rejections have the default
 * code of policies: 422.
 */
const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: accounts-need-a-ticket}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [UPDATE], resources: [serviceaccounts]}]
  validations: [{expression: "!request.userInfo.username.endsWith(':antrea-mc-controller')", message: changes of accounts need a ticket}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: accounts-need-a-ticket}
spec: {policyName: accounts-need-a-ticket, validationActions: [Deny]}
`;

it('a leader that must not bind an account reports the answer of its API server, and binds it when it may', async () => {
  const boundTo = async () =>
    (await fleet.leader.admin.get(ServiceAccount, account)).metadata.annotations?.[Annotation.clusterID];
  const reported = async () => {
    const { status } = await fleet.leader.admin.get(ClusterSet, leaderSet);
    return conditionOf(status?.conditions, 'AccountsNotBound')?.message ?? '';
  };
  await fleet.leader.shell('kubectl apply -f -', policy);
  await bind(null);
  await fleet.until('it is reported', async () => /not bound to cluster west.*need a ticket/s.test(await reported()));
  expect(await boundTo()).toBeUndefined();
  expect(await west().view.clusterSet()).toBe('True Connected');
  await fleet.leader.shell('kubectl delete -f -', policy);
  await fleet.eventually('it is bound', boundTo, 'west');
  await fleet.eventually('it is not reported any more', reported, '');
  expect(await west().view.clusterSet()).toBe('True Connected');
});

it('an account whose token two members use is bound to neither, and to one when the other has a token of its own again', async () => {
  const [theSecret, east] = [{ namespace: memberNamespace, name: 'leader-token' }, fleet.cluster('east')];
  const boundTo = async () =>
    (await fleet.leader.admin.get(ServiceAccount, account)).metadata.annotations?.[Annotation.clusterID];
  const reported = async () => {
    const { status } = await fleet.leader.admin.get(ClusterSet, leaderSet);
    return conditionOf(status?.conditions, 'AccountsNotBound')?.message ?? '';
  };
  const own = (await east.admin.get(Secret, theSecret)).data;
  const shared = (await west().admin.get(Secret, theSecret)).data;
  // A member that announces itself alone for a minute would get the account. So the leader starts
  // when both have announced themselves.
  await Promise.all([fleet.leader.stop('leader'), west().stop('member'), east.stop('member')]);
  await bind(null);
  // Otherwise the API server keeps other accounts from announcing east.
  await bind(null, 'member-east');
  await east.admin.patch(Secret, theSecret, { type: 'merge', body: { data: shared } });
  await Promise.all([west().start('member'), east.start('member')]);
  for (const clusterID of ['east', 'west'])
    await fleet.until(`${clusterID} announces itself by the account`, async () => {
      const metadata = { namespace: leaderNamespace, name: memberAnnounceName(clusterID) };
      const announce = await fleet.leader.admin.get(MemberClusterAnnounce, metadata);
      return announce.metadata.annotations?.[Annotation.announcedBy]?.startsWith(`${serviceAccountUser(account)} `);
    });
  await fleet.leader.start('leader');
  await fleet.until('both are named', async () => (await reported()).includes('used by the clusters east, west'));
  expect(await boundTo()).toBeUndefined();
  await fleet.eventually('west is connected', () => west().view.clusterSet(), 'True Connected');
  await fleet.eventually('east is connected', () => east.view.clusterSet(), 'True Connected');
  await east.admin.patch(Secret, theSecret, { type: 'merge', body: { data: own } });
  await fleet.eventually('it is bound', boundTo, 'west');
  await fleet.eventually('it is not reported any more', reported, '');
  expect(await east.view.clusterSet()).toBe('True Connected');
});
