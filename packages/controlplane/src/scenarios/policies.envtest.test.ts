import {
  ClusterNetworkPolicy,
  ClusterSet,
  CustomResourceDefinition,
  Event,
  LabelIdentity,
  ResourceExport,
  ResourceImport,
  Tier,
  labelIdentityHash,
  resourceImportName,
} from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { conditionOf } from '@isthmus/machinery';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { readAuditLog, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strictIsolation } from '../testing/policies.ts';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;
const members = () => [east(), west()];

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' }, stretched: true });
  for (const cluster of members()) await cluster.user.namespace('shop');
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/**
 * Defines a kind of Antrea's policies, in the only version that Antrea 2.7 serves, with any fields.
 */
async function serve(cluster: RealCluster, { group, version, kind, plural }: ResourceType): Promise<void> {
  const schema = { openAPIV3Schema: anything };
  await cluster.admin.create(CustomResourceDefinition, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  } as KubernetesObject as CustomResourceDefinition);
}

const inArea = (name: string) => ({ namespace: leaderNamespace, name });
const strict = { name: 'antrea-mc-strict' };
const priorityIn = async (cluster: RealCluster) =>
  (await cluster.user.find(ClusterNetworkPolicy, strict))?.spec?.['priority'];
const exportPolicy = (priority: number, tier = 'securityops') =>
  north().user.put(ResourceExport, {
    metadata: inArea('strict'),
    spec: {
      kind: 'AntreaClusterNetworkPolicy',
      name: 'strict',
      clusterNetworkPolicy: { ...strictIsolation, tier, priority },
    },
  });
const conditionOn = async (cluster: RealCluster, type: string) => {
  const found = await cluster.user.find(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
  return conditionOf(found?.status?.conditions, type)?.reason;
};
const answer = async (type: string) =>
  conditionOf((await north().user.find(ResourceExport, inArea('strict')))?.status?.conditions, type)?.message;

/** Whether the member of west watches a CustomResourceDefinition by its name. */
const isWatched = (definition: string) =>
  readAuditLog(west().server.auditLogPath).some(
    ({ user, verb, resource, name, code }) =>
      user === `system:serviceaccount:${memberNamespace}:antrea-mc-controller` &&
      [verb, resource, name, code].join() === ['watch', 'customresourcedefinitions', definition, 200].join(),
  ) || undefined;

describe('a policy of the leader, on real API servers', () => {
  it('is reported where a cluster has no policies, and imported when it has them', async () => {
    await exportPolicy(1);
    for (const cluster of members())
      await fleet.eventually('reported', () => conditionOn(cluster, 'PoliciesNotImported'), 'NoPolicyEngine');
    // They are waited for by a watch of their definitions, for which the member has the rights.
    for (const { plural } of [ClusterNetworkPolicy, Tier])
      await fleet.until('its definition is watched', () => Promise.resolve(isWatched(`${plural}.crd.antrea.io`)));
    for (const cluster of members()) {
      for (const type of [ClusterNetworkPolicy, Tier]) await serve(cluster, type);
      await fleet.until('Tiers are served', () =>
        cluster.admin.create(Tier, { metadata: { name: 'securityops' }, spec: { priority: 100 } }).then(
          () => true,
          () => false,
        ),
      );
    }
    for (const cluster of members()) {
      await fleet.eventually('imported', () => priorityIn(cluster), 1);
      await fleet.eventually('nothing is reported', () => conditionOn(cluster, 'PoliciesNotImported'), undefined);
    }
    expect((await east().user.find(ClusterNetworkPolicy, strict))?.spec).toEqual({ ...strictIsolation, priority: 1 });
    const name = resourceImportName(undefined, 'strict', 'AntreaClusterNetworkPolicy');
    expect((await north().user.find(ResourceImport, inArea(name)))?.spec).toMatchObject({
      kind: 'AntreaClusterNetworkPolicy',
      name: 'strict',
    });
    const exported = await north().user.find(ResourceExport, inArea('strict'));
    expect(exported?.metadata.finalizers).toEqual(['resourceexport.antrea.io/finalizer']);
  });

  it('follows its export in place, and is repaired where somebody changes it', async () => {
    const before = (await east().user.find(ClusterNetworkPolicy, strict))?.metadata.uid;
    await exportPolicy(5);
    for (const cluster of members()) await fleet.eventually('changed', () => priorityIn(cluster), 5);
    await east().admin.patch(ClusterNetworkPolicy, strict, { type: 'merge', body: { spec: { priority: 9 } } });
    await fleet.eventually('repaired', () => priorityIn(east()), 5);
    expect((await east().user.find(ClusterNetworkPolicy, strict))?.metadata.uid).toBe(before);
  });

  it('that names a Tier that a cluster lacks is reported on its export, without an Event, which the leader does not allow, and imported when it comes', async () => {
    await west().admin.create(Tier, { metadata: { name: 'late' }, spec: { priority: 50 } });
    await exportPolicy(6, 'late');
    await fleet.eventually('imported by west', () => priorityIn(west()), 6);
    await fleet.eventually('removed from east', () => priorityIn(east()), undefined);
    await fleet.eventually('reported', () => conditionOn(east(), 'PoliciesNotImported'), 'TierNotFound');
    await fleet.until(
      'on its export',
      async () => (await answer('ImportFailed'))?.startsWith('Not imported in east (TierNotFound)') === true,
    );
    const { items } = await north().admin.list(Event, { namespace: leaderNamespace });
    expect(items.filter(({ reason }) => reason === 'ACNPImportFailed')).toEqual([]);
    await east().admin.create(Tier, { metadata: { name: 'late' }, spec: { priority: 50 } });
    await fleet.eventually('imported by east', () => priorityIn(east()), 6);
    await fleet.eventually('not reported', () => answer('ImportFailed'), undefined);
  });

  it('with a field that the ClusterNetworkPolicies of a cluster lack is not changed there to what is left of it, and is reported', async () => {
    const put = (target: Readonly<Record<string, unknown>>) =>
      north().user.put(ResourceExport, {
        metadata: inArea('on-nodes'),
        spec: {
          kind: 'AntreaClusterNetworkPolicy',
          name: 'on-nodes',
          clusterNetworkPolicy: { ...strictIsolation, appliedTo: [target] },
        },
      });
    const name = { name: 'clusternetworkpolicies.crd.antrea.io' };
    const setSchema = async (schema: object) => {
      const body = [{ op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value: schema }];
      await west().admin.patch(CustomResourceDefinition, name, { type: 'json', body });
    };
    const targets = async (cluster: RealCluster) =>
      (await cluster.user.find(ClusterNetworkPolicy, { name: 'antrea-mc-on-nodes' }))?.spec?.['appliedTo'];
    const [before, after] = [{ namespaceSelector: {} }, { nodeSelector: { matchLabels: { zone: 'a' } } }];
    await put(before);
    for (const cluster of members()) await fleet.eventually('imported', () => targets(cluster), [before]);
    const known = { type: 'object', properties: { namespaceSelector: anything } };
    const spec = { ...anything, properties: { appliedTo: { type: 'array', items: known } } };
    await setSchema({ type: 'object', properties: { spec } });
    await put(after);
    await fleet.eventually('changed in east', () => targets(east()), [after]);
    await fleet.eventually('reported', () => conditionOn(west(), 'PoliciesNotImported'), 'PolicyUpdateRejected');
    const found = await west().admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
    expect(conditionOf(found.status?.conditions, 'PoliciesNotImported')?.message).toContain(
      'unknown field "spec.appliedTo[0].nodeSelector"',
    );
    expect(await targets(west())).toEqual([before]);
    await setSchema(anything);
    await fleet.eventually('imported', () => targets(west()), [after]);
    await fleet.eventually('nothing is reported', () => conditionOn(west(), 'PoliciesNotImported'), undefined);
    await north().user.remove(ResourceExport, inArea('on-nodes'));
  });

  it('is not touched where it is another of the same name, and goes where it was withdrawn while the member was down', async () => {
    const theirs = { metadata: { name: 'antrea-mc-theirs' }, spec: { ...strictIsolation, priority: 77 } };
    const { metadata } = await west().admin.create(ClusterNetworkPolicy, theirs);
    await east().stop();
    await north().user.remove(ResourceExport, inArea('strict'));
    await fleet.eventually('removed from west', () => priorityIn(west()), undefined);
    expect(await priorityIn(east())).toBe(6);
    await east().start();
    await fleet.eventually('removed from east', () => priorityIn(east()), undefined);
    const found = await west().user.find(ClusterNetworkPolicy, theirs.metadata);
    expect(found?.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });
});

describe('the labels of Pods, on real API servers', () => {
  const hashOf = (app: string) => labelIdentityHash(`ns:kubernetes.io/metadata.name=shop&pod:app=${app}`);
  const numberIn = async (cluster: RealCluster, app: string) =>
    (await cluster.user.find(LabelIdentity, { name: hashOf(app) }))?.spec?.id;
  const published = async (app: string) =>
    (await north().user.find(ResourceImport, inArea(hashOf(app))))?.spec?.labelIdentity?.id;
  const pod = (cluster: RealCluster, name: string, app: string) =>
    cluster.user.pod({ namespace: 'shop', name }, { app, ip: '10.9.0.1' });
  const both = async (app: string) => (await Promise.all(members().map((one) => numberIn(one, app)))).join();

  it('have one number everywhere while a cluster has them, which a restart of the leader does not change', async () => {
    await pod(east(), 'cart-1', 'cart');
    await pod(west(), 'cart-1', 'cart');
    await pod(east(), 'web-1', 'web');
    for (const app of ['cart', 'web']) {
      await fleet.until('imported by both', async () => /^(\d+),\1$/.test(await both(app)));
      expect(await both(app)).toBe(`${await published(app)},${await published(app)}`);
    }
    const numbers = [await published('cart'), await published('web')];
    expect(new Set(numbers).size).toBe(2);
    await north().stop();
    await pod(west(), 'new-1', 'new');
    await north().start();
    await fleet.until('the new set', async () => /^(\d+),\1$/.test(await both('new')));
    expect([await published('cart'), await published('web')]).toEqual(numbers);
    expect(numbers).not.toContain(await published('new'));
  });

  it('are withdrawn with the last Pod that has them, and their numbers are kept for a while', async () => {
    const before = await published('web');
    // There is no kubelet that ends it.
    await east().shell('kubectl delete pod web-1 -n shop --force --grace-period=0');
    await fleet.eventually('withdrawn', () => both('web'), ',');
    expect(await published('web')).toBe(before);
    await pod(west(), 'web-2', 'web');
    await fleet.eventually('back', () => both('web'), `${before},${before}`);
  });

  it('leave no reconcile that failed', () => {
    expect(unexpectedFailures(fleet)).toEqual([]);
  });
});
