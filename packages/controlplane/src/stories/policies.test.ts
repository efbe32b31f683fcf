import {
  ClusterNetworkPolicy,
  ClusterSet,
  CustomResourceDefinition,
  ResourceExport,
  ResourceImport,
  Role,
  Tier,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  leaderNamespace,
  memberNamespace,
  recordWrites,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { exportPolicy, policyOf, putTier, servePolicies, strictIsolation } from '../testing/policies.ts';

const three = { north: 'leader', east: 'member', west: 'member' } as const;
const members = (fleet: VirtualFleet) => [fleet.cluster('east'), fleet.cluster('west')];

/** A fleet whose members have Antrea's policies, and the Tier of the guide. */
async function fleetWithPolicies(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters: three, join: false });
  members(fleet).forEach((cluster) => servePolicies(cluster));
  await fleet.clock.settle();
  members(fleet).forEach((cluster) => putTier(cluster, 'securityops'));
  await join(fleet);
  return fleet;
}

async function join(fleet: VirtualFleet): Promise<void> {
  fleet.join();
  fleet.clusters.forEach((cluster) => cluster.start());
  await fleet.until('joined', () => members(fleet).every((one) => clusterSetCondition(one) === 'True Connected'));
}

const reported = ({ server }: VirtualCluster) =>
  conditionOf(
    server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName })?.status?.conditions,
    'PoliciesNotImported',
  );
const exported = ({ leader }: VirtualFleet, name: string) =>
  leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name });
const answered = (fleet: VirtualFleet, name: string, type: string) =>
  conditionOf(exported(fleet, name)?.status?.conditions, type);
const hasAll = (fleet: VirtualFleet, name: string) =>
  members(fleet).every((one) => policyOf(one, name)?.spec !== undefined);
const policyEvents = ({ leader }: VirtualFleet) => eventsOf(leader).filter((event) => event.startsWith('ACNP'));

describe('a policy that an administrator exports', () => {
  it('is in every member with its spec, follows its changes, and goes with its export', async () => {
    await using fleet = await fleetWithPolicies();
    const { admin } = fleet.leader.server;
    exportPolicy(fleet, 'strict');
    await fleet.until('everywhere', () => hasAll(fleet, 'strict'), 5_000);
    const imported = admin.get(ResourceImport, {
      namespace: leaderNamespace,
      name: 'strict-antreaclusternetworkpolicy',
    });
    expect(imported?.spec).toEqual({
      kind: 'AntreaClusterNetworkPolicy',
      name: 'strict',
      clusternetworkpolicy: strictIsolation,
    });
    for (const member of members(fleet)) expect(policyOf(member, 'strict')?.spec).toEqual(strictIsolation);
    expect(exported(fleet, 'strict')?.metadata.finalizers).toEqual(['resourceexport.antrea.io/finalizer']);
    await fleet.until('answered', () => answered(fleet, 'strict', 'Succeeded')?.status === 'True', 5_000);
    const uid = policyOf(fleet.cluster('east'), 'strict')?.metadata.uid;
    const found = exported(fleet, 'strict');
    admin.put(ResourceExport, {
      ...found,
      spec: { ...found?.spec, clusterNetworkPolicy: { ...strictIsolation, priority: 5 } },
    } as ResourceExport);
    const priority = (one: VirtualCluster) => policyOf(one, 'strict')?.spec?.['priority'];
    await fleet.until('changed', () => members(fleet).every((one) => priority(one) === 5), 5_000);
    expect(policyOf(fleet.cluster('east'), 'strict')?.metadata.uid).toBe(uid);
    admin.delete(ResourceExport, { namespace: leaderNamespace, name: 'strict' });
    const isGone = () =>
      exported(fleet, 'strict') === undefined &&
      admin.list(ResourceImport).length === 0 &&
      members(fleet).every((one) => policyOf(one, 'strict') === undefined);
    await fleet.until('gone', isGone, 5_000);
  });

  it('comes back where somebody changes or deletes it, and costs nothing after a restart', async () => {
    await using fleet = await fleetWithPolicies();
    const east = fleet.cluster('east');
    exportPolicy(fleet, 'strict');
    await fleet.until('everywhere', () => hasAll(fleet, 'strict'), 5_000);
    east.server.admin.put(ClusterNetworkPolicy, { ...policyOf(east, 'strict')!, spec: { priority: 9 } });
    await fleet.until('repaired', () => policyOf(east, 'strict')?.spec?.['priority'] === 1, 5_000);
    east.server.admin.delete(ClusterNetworkPolicy, { name: 'antrea-mc-strict' });
    await fleet.until('made again', () => policyOf(east, 'strict') !== undefined, 5_000);
    await fleet.clock.advance(10_000);
    const writes = recordWrites(fleet);
    for (const cluster of fleet.clusters) {
      cluster.kill();
      cluster.start();
    }
    await fleet.clock.advance(60_000);
    expect(writes().filter((line) => /clusternetworkpolicies|resource(im|ex)ports/.test(line))).toEqual([]);
  });

  it('that is withdrawn while a member is down is removed when it is back', async () => {
    await using fleet = await fleetWithPolicies();
    const east = fleet.cluster('east');
    exportPolicy(fleet, 'strict');
    await fleet.until('everywhere', () => hasAll(fleet, 'strict'), 5_000);
    east.kill();
    fleet.leader.server.admin.delete(ResourceExport, { namespace: leaderNamespace, name: 'strict' });
    await fleet.until('west removes it', () => policyOf(fleet.cluster('west'), 'strict') === undefined, 5_000);
    await fleet.clock.advance(300_000);
    expect(policyOf(east, 'strict')).toBeDefined();
    east.start();
    await fleet.until('east removes it', () => policyOf(east, 'strict') === undefined, 120_000);
  });

  it('stays in a member whose leader is away, and goes when the member leaves', async () => {
    await using fleet = await fleetWithPolicies();
    const east = fleet.cluster('east');
    const own = { metadata: { name: 'antrea-mc-mine' }, spec: strictIsolation };
    east.server.admin.put(ClusterNetworkPolicy, own);
    exportPolicy(fleet, 'strict');
    await fleet.until('everywhere', () => hasAll(fleet, 'strict'), 5_000);
    fleet.leader.kill();
    await fleet.clock.advance(120_000);
    expect(policyOf(east, 'strict')?.spec).toEqual(strictIsolation);
    fleet.leader.start();
    const clusterSet = { namespace: memberNamespace, name: clusterSetName };
    east.server.admin.delete(ClusterSet, clusterSet);
    await fleet.until('left', () => east.server.admin.get(ClusterSet, clusterSet) === undefined, 120_000);
    expect(policyOf(east, 'strict')).toBeUndefined();
    expect(policyOf(east, 'mine')?.spec).toEqual(strictIsolation);
    expect(hasAll(fleet, 'strict')).toBe(false);
    expect(policyOf(fleet.cluster('west'), 'strict')).toBeDefined();
  });

  it('is one of many names and sizes, and each is in every member under its own name', async () => {
    await using fleet = await fleetWithPolicies();
    const { admin } = fleet.leader.server;
    const large = { ...strictIsolation, ingress: [{ action: 'Drop', logLabel: 'x'.repeat(900_000) }] };
    exportPolicy(fleet, 'large', large);
    exportPolicy(fleet, 'constructor');
    exportPolicy(fleet, 'prod-web-api');
    for (const [namespace, name] of [
      ['prod', 'web-api'],
      ['prod-web', 'api'],
    ])
      admin.put(ResourceExport, {
        metadata: { name: `${namespace}.${name}`, namespace: leaderNamespace },
        spec: { kind: 'AntreaClusterNetworkPolicy', namespace, name, clusterNetworkPolicy: strictIsolation },
      });
    admin.put(ResourceExport, {
      metadata: { name: 'hostile', namespace: leaderNamespace },
      spec: { kind: 'AntreaClusterNetworkPolicy', name: '__proto__', clusterNetworkPolicy: strictIsolation },
    });
    const names = () =>
      fleet
        .cluster('west')
        .server.admin.list(ClusterNetworkPolicy)
        .map(({ metadata }) => metadata.name);
    const wanted = ['antrea-mc-constructor', 'antrea-mc-large', 'antrea-mc-prod-web-api'];
    await fleet.until('imported', () => names().length >= wanted.length, 5_000);
    await fleet.clock.advance(5_000);
    expect(names()).toEqual(wanted);
    expect(policyOf(fleet.cluster('east'), 'large')?.spec).toEqual(large);
    for (const name of ['prod.web-api', 'prod-web.api', 'hostile'])
      expect(answered(fleet, name, 'Failure')?.message).toMatch(/^Not published: spec\.name(space)? /);
  });
});

describe('a member that cannot import a policy', () => {
  it('reports it on its ClusterSet and on the export also if the leader does not allow Events of members', async () => {
    await using fleet = await fleetWithPolicies();
    const east = fleet.cluster('east');
    const { admin } = fleet.leader.server;
    const { metadata, rules = [] } = admin.get(Role, { namespace: leaderNamespace, name: 'members' }) ?? expect.fail();
    admin.put(Role, { metadata, rules: rules.filter(({ resources }) => !resources?.includes('events')) });
    east.server.admin.delete(Tier, { name: 'securityops' });
    exportPolicy(fleet, 'strict');
    await fleet.until('it is reported', () => answered(fleet, 'strict', 'ImportFailed') !== undefined, 5_000);
    expect(reported(east)).toMatchObject({ status: 'True', reason: 'TierNotFound' });
    expect(clusterSetCondition(east)).toBe('True Connected');
    expect(policyEvents(fleet)).toEqual([]);
    putTier(east, 'securityops');
    await fleet.until('it is imported', () => policyOf(east, 'strict') !== undefined, 5_000);
  });

  it('reports the missing Tier in the leader and on its ClusterSet, and imports the policy when the Tier is created', async () => {
    await using fleet = await fleetWithPolicies();
    const east = fleet.cluster('east');
    east.server.admin.delete(Tier, { name: 'securityops' });
    exportPolicy(fleet, 'strict');
    await fleet.until('the others have it', () => policyOf(fleet.cluster('west'), 'strict') !== undefined, 5_000);
    await fleet.until('it is reported', () => answered(fleet, 'strict', 'ImportFailed') !== undefined, 5_000);
    expect(answered(fleet, 'strict', 'ImportFailed')?.message).toBe(
      'Not imported in east (TierNotFound): Tier "securityops" does not exist in that cluster. Create it, or change the tier of the policy on the leader.',
    );
    expect(policyEvents(fleet)).toEqual([
      'ACNPImportFailed ResourceImport/strict-antreaclusternetworkpolicy: Cluster east does not import ClusterNetworkPolicy antrea-mc-strict: Tier "securityops" does not exist in that cluster. Create it, or change the tier of the policy on the leader',
    ]);
    expect(reported(east)).toMatchObject({
      status: 'True',
      reason: 'TierNotFound',
      message: expect.stringContaining('"strict": Tier "securityops" does not exist in this cluster') as string,
    });
    expect(clusterSetCondition(east)).toBe('True Connected');
    putTier(east, 'securityops');
    await fleet.until('it is imported', () => policyOf(east, 'strict') !== undefined, 5_000);
    await fleet.until('it is not reported any more', () => reported(east) === undefined, 5_000);
    await fleet.until('nor in the leader', () => answered(fleet, 'strict', 'ImportFailed') === undefined, 30_000);
    expect(policyEvents(fleet)).toContain(
      'ACNPImported ResourceImport/strict-antreaclusternetworkpolicy: Cluster east imports ClusterNetworkPolicy antrea-mc-strict',
    );
  });

  it('removes a policy that moves to an unknown Tier, and keeps one whose Tier is deleted', async () => {
    await using fleet = await fleetWithPolicies();
    const east = fleet.cluster('east');
    exportPolicy(fleet, 'moves');
    exportPolicy(fleet, 'stays');
    await fleet.until('everywhere', () => hasAll(fleet, 'moves') && hasAll(fleet, 'stays'), 5_000);
    const found = exported(fleet, 'moves');
    fleet.leader.server.admin.put(ResourceExport, {
      ...found,
      spec: { ...found?.spec, clusterNetworkPolicy: { ...strictIsolation, tier: 'none-such' } },
    } as ResourceExport);
    await fleet.until('removed', () => policyOf(east, 'moves') === undefined, 5_000);
    east.server.admin.delete(Tier, { name: 'securityops' });
    await fleet.until('reported', () => reported(east)?.message?.includes('"stays"') === true, 5_000);
    expect(policyOf(east, 'stays')?.spec).toEqual(strictIsolation);
    expect(reported(east)?.message).toMatch(
      /^ClusterNetworkPolicies of the leader are not imported: "moves": .* ClusterNetworkPolicies of the leader stay as they were imported before: "stays": Tier "securityops" no longer exists in this cluster\. Create it, or /,
    );
    putTier(east, 'none-such');
    await fleet.until('back', () => policyOf(east, 'moves') !== undefined, 5_000);
    const kept =
      'Tier "securityops" no longer exists in this cluster. Create it, or change the tier of the policy on the leader';
    await fleet.until('only the other is reported', () => reported(east)?.reason === 'TierDeleted', 5_000);
    expect(reported(east)?.message).toBe(
      `ClusterNetworkPolicies of the leader stay as they were imported before: "stays": ${kept}.`,
    );
    await fleet.until('in the leader', () => answered(fleet, 'stays', 'ImportFailed') !== undefined, 15_000);
    const there = kept.replace('this cluster', 'that cluster');
    expect(answered(fleet, 'stays', 'ImportFailed')?.message).toBe(
      `Kept as imported before in east (TierDeleted): ${there}.`,
    );
    expect(policyEvents(fleet)).toContain(
      `ACNPImportFailed ResourceImport/stays-antreaclusternetworkpolicy: Cluster east keeps ClusterNetworkPolicy antrea-mc-stays as it was imported before: ${there}`,
    );
    putTier(east, 'securityops');
    await fleet.until('nothing is reported', () => reported(east) === undefined, 5_000);
  });

  it.each(['v1beta1', 'v1alpha1'])(
    'because it has no policies reports NoPolicyEngine until they come, here as %s',
    async (version) => {
      await using fleet = await createVirtualFleet({ clusters: three });
      const east = fleet.cluster('east');
      expect(reported(east)).toBeUndefined();
      exportPolicy(fleet, 'strict');
      await fleet.until('it is reported', () => reported(east) !== undefined, 5_000);
      expect(reported(east)).toMatchObject({ status: 'True', reason: 'NoPolicyEngine' });
      expect(reported(east)?.message).toMatch(/does not serve ClusterNetworkPolicies .*: "strict"$/);
      expect(clusterSetCondition(east)).toBe('True Connected');
      await fleet.until('on the export', () => answered(fleet, 'strict', 'ImportFailed') !== undefined, 30_000);
      expect(policyEvents(fleet)).toHaveLength(2);
      servePolicies(east, version);
      await fleet.clock.settle();
      putTier(east, 'securityops', version);
      await fleet.until('imported', () => policyOf(east, 'strict', version) !== undefined, 65_000);
      expect(policyOf(east, 'strict', version)?.spec).toEqual(strictIsolation);
      await fleet.until('not reported any more', () => reported(east) === undefined, 5_000);
      expect(clusterSetCondition(east)).toBe('True Connected');
    },
  );

  it('does not touch a policy of that name that is not ours, and reports ForeignPolicy until it is gone', async () => {
    await using fleet = await fleetWithPolicies();
    const east = fleet.cluster('east');
    const theirs = { metadata: { name: 'antrea-mc-strict' }, spec: { priority: 7 } };
    const { metadata } = east.server.admin.put(ClusterNetworkPolicy, theirs);
    exportPolicy(fleet, 'strict');
    await fleet.until('it is reported', () => reported(east)?.reason === 'ForeignPolicy', 5_000);
    fleet.leader.server.admin.delete(ResourceExport, { namespace: leaderNamespace, name: 'strict' });
    await fleet.until('it is not reported any more', () => reported(east) === undefined, 5_000);
    expect(policyOf(east, 'strict')?.metadata.resourceVersion).toBe(metadata.resourceVersion);
    exportPolicy(fleet, 'strict');
    await fleet.until('it is reported again', () => reported(east) !== undefined, 5_000);
    east.server.admin.delete(ClusterNetworkPolicy, theirs.metadata);
    await fleet.until('imported', () => policyOf(east, 'strict')?.spec?.['priority'] === 1, 5_000);
  });

  it('because its API server does not accept the policy reports PolicyRejected, and tries again', async () => {
    await using fleet = await fleetWithPolicies();
    const east = fleet.cluster('east');
    const mend = fleet.link('east-member', 'east').add({
      match: ({ method, path }) => method === 'POST' && path.endsWith('/clusternetworkpolicies'),
      fault: { kind: 'status', code: 422 },
    });
    exportPolicy(fleet, 'strict');
    await fleet.until('it is reported', () => reported(east)?.reason === 'PolicyRejected', 5_000);
    expect(policyEvents(fleet)[0]).toMatch(/^ACNPImportFailed .*the API server of that cluster does not accept/);
    mend();
    await fleet.until('imported', () => policyOf(east, 'strict') !== undefined, 35_000);
    await fleet.until('not reported any more', () => reported(east) === undefined, 5_000);
  });

  it('whose ClusterNetworkPolicies lack one of its fields reports PolicyRejected, instead of importing the rest of it', async () => {
    await using fleet = await fleetWithPolicies();
    const east = fleet.cluster('east');
    exportPolicy(fleet, 'strict');
    await fleet.until('everywhere', () => hasAll(fleet, 'strict'), 5_000);
    east.server.admin.put(CustomResourceDefinition, withoutNodeSelectors(policyDefinition(east)));
    await fleet.clock.settle();
    const onNodes = { ...strictIsolation, appliedTo: [{ nodeSelector: { matchLabels: { zone: 'a' } } }] };
    exportPolicy(fleet, 'on-nodes', onNodes);
    const found = exported(fleet, 'strict');
    fleet.leader.server.admin.put(ResourceExport, {
      ...found,
      spec: { ...found?.spec, clusterNetworkPolicy: onNodes },
    } as ResourceExport);
    await fleet.until('it is reported', () => reported(east)?.message?.includes('"strict"') === true, 5_000);
    expect(reported(east)).toMatchObject({ status: 'True', reason: 'PolicyRejected' });
    const why =
      'the ClusterNetworkPolicies of this cluster lack fields of it: unknown field "spec.appliedTo[0].nodeSelector". Correct its ResourceExport, or upgrade Antrea in this cluster';
    expect(reported(east)?.message).toBe(
      `ClusterNetworkPolicies of the leader are not imported: "on-nodes": ${why}. ClusterNetworkPolicies of the leader stay as they were imported before: "strict": ${why}.`,
    );
    expect(policyOf(east, 'on-nodes')).toBeUndefined();
    expect(policyOf(east, 'strict')?.spec).toEqual(strictIsolation);
    expect(policyOf(fleet.cluster('west'), 'on-nodes')?.spec).toEqual(onNodes);
    servePolicies(east);
    await fleet.until('imported', () => policyOf(east, 'on-nodes') !== undefined, 35_000);
    expect(policyOf(east, 'on-nodes')?.spec).toEqual(onNodes);
    await fleet.until('not reported any more', () => reported(east) === undefined, 5_000);
    expect(policyOf(east, 'strict')?.spec).toEqual(onNodes);
  });
});

const policyDefinition = ({ server }: VirtualCluster) =>
  server.admin.get(CustomResourceDefinition, { name: 'clusternetworkpolicies.crd.antrea.io' });

/** The CRD of Antrea before 1.15, as far as the story needs it. */
function withoutNodeSelectors(crd: CustomResourceDefinition | undefined): CustomResourceDefinition {
  const target = { type: 'object', properties: { namespaceSelector: any } };
  const spec = { ...any, properties: { appliedTo: { type: 'array', items: target } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  const versions = crd?.spec.versions.map((version) => ({ ...version, schema }));
  return { ...crd, spec: { ...crd?.spec, versions } } as CustomResourceDefinition;
}

const any = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
