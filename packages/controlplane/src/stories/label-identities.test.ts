import {
  ClusterSet,
  LabelIdentity,
  MemberClusterAnnounce,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  Secret,
  labelIdentityHash,
} from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  clusterSetName,
  createVirtualFleet,
  leaderNamespace,
  leaderSecret,
  memberNamespace,
  recordWrites,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const three = { north: 'leader', east: 'member', west: 'member' } as const;

const putPod = ({ server }: VirtualCluster, name: string, labels: Readonly<Record<string, string>>) => {
  server.admin.put(Namespace, { metadata: { name: 'shop' } });
  server.admin.put(Pod, {
    metadata: { name, namespace: 'shop', labels },
    spec: { containers: [{ name: 'c', image: 'c' }] },
  });
};
const deletePod = ({ server }: VirtualCluster, name: string) => server.admin.delete(Pod, { namespace: 'shop', name });
const labelOf = (app: string) => `ns:kubernetes.io/metadata.name=shop&pod:app=${app}`;
const hashOf = (app: string) => labelIdentityHash(labelOf(app));
const importOf = ({ leader }: VirtualFleet, app: string) =>
  leader.server.admin.get(ResourceImport, { namespace: leaderNamespace, name: hashOf(app) });
const exportOf = ({ leader }: VirtualFleet, cluster: string, app: string) =>
  leader.server.admin.get(ResourceExport, { namespace: leaderNamespace, name: `${cluster}-${hashOf(app)}` });
const numberIn = ({ server }: VirtualCluster, app: string) =>
  server.admin.get(LabelIdentity, { name: hashOf(app) })?.spec?.id;
const isEverywhere = (fleet: VirtualFleet, app: string) =>
  ['east', 'west'].every((name) => numberIn(fleet.cluster(name), app) !== undefined);
const isNowhere = (fleet: VirtualFleet, app: string) =>
  ['east', 'west'].every((name) => numberIn(fleet.cluster(name), app) === undefined);
const stretched = () => createVirtualFleet({ clusters: three, stretched: true });
const incomplete = ({ server }: VirtualCluster) =>
  conditionOf(
    server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName })?.status?.conditions,
    'LabelIdentitiesIncomplete',
  );

/**
 * The requests of all controllers to all API servers because the labels of one Pod change. Each of
 * the Pods has its own labels. Without heartbeats.
 */
async function requestsOfOneChange(sets: number): Promise<readonly string[]> {
  await using fleet = await stretched();
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  const apps = Array.from({ length: sets }, (_, index) => `app-${index}`);
  for (const app of apps) putPod(east, app, { app });
  await fleet.until('all are imported', () => apps.every((app) => isEverywhere(fleet, app)), 30_000);
  await fleet.clock.advance(5_000);
  const requests: string[] = [];
  const ways = [
    ['north-leader', 'north'],
    ...['east', 'west'].flatMap((name) => [
      [`${name}-member`, name],
      [`${name}-member`, 'north'],
    ]),
  ] as const;
  for (const [controller = '', server = ''] of ways)
    fleet.link(controller, server).add({
      match: ({ method, path, query }) => {
        const [, plural, name] = /\/(resource\w+|labelidentities|pods|namespaces)(?:\/([^/]+))?$/.exec(path) ?? [];
        const what = method === 'GET' && name === undefined ? 'list' : method;
        if (plural !== undefined && query?.['watch'] === undefined)
          requests.push(`${what} ${plural} of ${server} by ${controller}`);
        return false;
      },
      fault: { kind: 'status', code: 500 },
    });
  putPod(east, 'app-0', { app: 'web' });
  await fleet.until('imported', () => isEverywhere(fleet, 'web'), 10_000);
  await fleet.clock.advance(5_000);
  expect(numberIn(west, 'web')).toBeDefined();
  return requests.toSorted();
}

describe('the labels of Pods', () => {
  it('that are new get their number at once when a leader starts, also where it reads its ClusterSet last', async () => {
    await using fleet = await stretched();
    const { leader } = fleet;
    fleet.link('north-leader', 'north').add({
      match: ({ method, path }) => method === 'GET' && path.endsWith('/clustersets'),
      fault: { kind: 'latency', ms: 3_000 },
    });
    leader.kill();
    putPod(fleet.cluster('east'), 'cart', { app: 'cart' });
    await fleet.clock.advance(5_000);
    leader.start();
    await fleet.until('it has its number', () => isEverywhere(fleet, 'cart'), 10_000);
  });

  it('keep their number where somebody deletes their imports on the leader, also all of them at once', async () => {
    await using fleet = await stretched();
    const apps = ['cart', 'web', 'db'];
    for (const app of apps) putPod(fleet.cluster('east'), app, { app });
    await fleet.until('all are imported', () => apps.every((app) => isEverywhere(fleet, app)), 10_000);
    const numbers = () => apps.map((app) => importOf(fleet, app)?.spec?.labelIdentity?.id);
    const before = numbers();
    const { admin } = fleet.leader.server;
    const remove = (app: string) => admin.delete(ResourceImport, { namespace: leaderNamespace, name: hashOf(app) });
    for (const deleted of [['web'], apps]) {
      deleted.forEach(remove);
      await fleet.until('they are published again', () => numbers().every((number) => number !== undefined), 10_000);
      expect(numbers()).toEqual(before);
      await fleet.clock.advance(5_000);
      expect(apps.map((app) => numberIn(fleet.cluster('west'), app))).toEqual(before);
    }
  });

  it.each([
    ['one of several exports', ['web'], 5_000],
    ['all exports of both members', ['web', 'api', 'db'], 75_000],
  ])(
    'stay in all clusters where somebody deletes %s on the leader, which members then export again',
    async (_, gone, limitMs) => {
      await using fleet = await stretched();
      const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
      const owners = { web: 'east', api: 'east', db: 'west' } as const;
      const apps = Object.keys(owners) as (keyof typeof owners)[];
      for (const app of apps) putPod(fleet.cluster(owners[app]), app, { app });
      await fleet.until('all are imported', () => apps.every((app) => isEverywhere(fleet, app)), 10_000);
      const identities = () =>
        [east, west].flatMap(({ name, server }) =>
          apps.map((app) => `${name} ${server.admin.get(LabelIdentity, { name: hashOf(app) })?.metadata.uid}`),
        );
      const before = identities();
      for (const app of apps)
        if (gone.includes(app))
          fleet.leader.server.admin.delete(ResourceExport, {
            namespace: leaderNamespace,
            name: `${owners[app]}-${hashOf(app)}`,
          });
      await fleet.until(
        'they are exported again',
        () => apps.every((app) => exportOf(fleet, owners[app], app) !== undefined),
        limitMs,
      );
      await fleet.clock.advance(30_000);
      expect(identities()).toEqual(before);
    },
  );

  it('that no Pod has any more are withdrawn, and not announced as lost', async () => {
    await using fleet = await stretched();
    const east = fleet.cluster('east');
    for (const app of ['web', 'db']) putPod(east, app, { app });
    await fleet.until('imported', () => isEverywhere(fleet, 'web') && isEverywhere(fleet, 'db'), 10_000);
    deletePod(east, 'web');
    const announce = { namespace: leaderNamespace, name: 'member-announce-from-east' };
    for (let times = 0; times < 20; times++) {
      await fleet.clock.advance(500);
      const { annotations } = fleet.leader.server.admin.get(MemberClusterAnnounce, announce)?.metadata ?? {};
      expect(annotations?.['isthmus.dev/restoring']).toBeUndefined();
    }
    expect(isNowhere(fleet, 'web')).toBe(true);
  });

  it('have one number in all clusters while any cluster has them, and each set its own', async () => {
    await using fleet = await stretched();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    putPod(east, 'cart-1', { app: 'cart' });
    putPod(west, 'cart-1', { app: 'cart' });
    putPod(east, 'web-1', { app: 'web' });
    await fleet.until('imported', () => isEverywhere(fleet, 'cart') && isEverywhere(fleet, 'web'), 10_000);
    const number = numberIn(east, 'cart');
    expect(numberIn(west, 'cart')).toBe(number);
    expect(numberIn(east, 'web')).not.toBe(number);
    expect(importOf(fleet, 'cart')?.spec).toEqual({
      kind: 'LabelIdentity',
      labelIdentity: { label: labelOf('cart'), id: number },
    });
    expect(exportOf(fleet, 'east', 'cart')?.metadata.finalizers).toBeUndefined();
    await fleet.clock.advance(5_000);
    const writes = recordWrites(fleet);
    putPod(east, 'cart-2', { app: 'cart' });
    await fleet.clock.advance(5_000);
    deletePod(east, 'cart-1');
    await fleet.clock.advance(5_000);
    expect(writes().filter((line) => line.includes('resource'))).toEqual([]);
    deletePod(east, 'cart-2');
    await fleet.until('east withdraws', () => exportOf(fleet, 'east', 'cart') === undefined, 5_000);
    await fleet.clock.advance(5_000);
    expect(numberIn(east, 'cart')).toBe(number);
    deletePod(west, 'cart-1');
    await fleet.until('nobody has it', () => isNowhere(fleet, 'cart'), 10_000);
  });

  it('cost as many requests for a change of one Pod among 40 sets as among 4, and nothing is listed again', async () => {
    const costs = await Promise.all([4, 40].map(requestsOfOneChange));
    expect(costs[0]).toEqual(costs[1]);
    expect(costs[0]?.filter((request) => request.startsWith('list'))).toEqual([]);
    expect(costs[0]).toContain('POST resourceexports of north by east-member');
    expect(costs[0]?.length).toBeLessThan(12);
  });

  it('follow a Namespace that gets other labels, and a Pod that does', async () => {
    await using fleet = await stretched();
    const east = fleet.cluster('east');
    putPod(east, 'a', { app: 'cart' });
    putPod(east, 'b', { app: 'cart' });
    await fleet.until('imported', () => isEverywhere(fleet, 'cart'), 10_000);
    putPod(east, 'a', { app: 'web' });
    await fleet.until('the other set', () => isEverywhere(fleet, 'web'), 10_000);
    expect(isEverywhere(fleet, 'cart')).toBe(true);
    const found = east.server.admin.get(Namespace, { name: 'shop' });
    east.server.admin.put(Namespace, {
      metadata: { name: 'shop', labels: { ...found?.metadata.labels, purpose: 'test' } },
    });
    await fleet.until('the old sets are gone', () => isNowhere(fleet, 'cart') && isNowhere(fleet, 'web'), 10_000);
    const labels = west(fleet).map(({ spec }) => spec?.label);
    expect(labels).toContain('ns:kubernetes.io/metadata.name=shop,purpose=test&pod:app=cart');
    expect(labels).toContain('ns:kubernetes.io/metadata.name=shop,purpose=test&pod:app=web');
  });

  it('keep their numbers when the leader restarts, and get them back when they return', async () => {
    await using fleet = await stretched();
    const east = fleet.cluster('east');
    for (const app of ['a', 'b', 'c']) putPod(east, app, { app });
    await fleet.until('imported', () => ['a', 'b', 'c'].every((app) => isEverywhere(fleet, app)), 10_000);
    const before = ['a', 'b', 'c'].map((app) => numberIn(east, app));
    fleet.leader.kill();
    deletePod(east, 'b');
    putPod(east, 'd', { app: 'd' });
    await fleet.clock.advance(10_000);
    fleet.leader.start();
    await fleet.until('the new set', () => isEverywhere(fleet, 'd') && isNowhere(fleet, 'b'), 30_000);
    expect(['a', 'c'].map((app) => numberIn(east, app))).toEqual([before[0], before[2]]);
    expect(before).not.toContain(numberIn(east, 'd'));
    expect(importOf(fleet, 'b')?.spec?.labelIdentity?.id).toBe(before[1]);
    putPod(east, 'b', { app: 'b' });
    await fleet.until('it is back', () => isEverywhere(fleet, 'b'), 10_000);
    expect(numberIn(east, 'b')).toBe(before[1]);
    deletePod(east, 'b');
    await fleet.until('an orphan goes', () => importOf(fleet, 'b') === undefined, 6 * 60_000);
  });

  it('that changed while there was no session are right when there is one, with another token too', async () => {
    await using fleet = await createVirtualFleet({ clusters: three, stretched: true, join: false });
    const east = fleet.cluster('east');
    const { admin } = fleet.leader.server;
    // As an Antrea member before 1.14 left it.
    const normalizedLabel = 'ns:kubernetes.io/metadata.name=shop&pod:<none>';
    const left = { namespace: leaderNamespace, name: `east-${labelIdentityHash(normalizedLabel)}` };
    admin.put(Namespace, { metadata: { name: leaderNamespace } });
    admin.put(ResourceExport, {
      metadata: { ...left, labels: { sourceKind: 'LabelIdentity', sourceClusterID: 'east' } },
      spec: { kind: 'LabelIdentity', clusterID: 'east', labelIdentity: { normalizedLabel } },
    });
    const some = Array.from({ length: 20 }, (_, index) => `old-${index}`);
    const others = Array.from({ length: 20 }, (_, index) => `new-${index}`);
    for (const app of some) putPod(east, app, { app });
    fleet.join();
    for (const cluster of fleet.clusters) cluster.start();
    await fleet.until('imported', () => some.every((app) => isEverywhere(fleet, app)), 30_000);
    await fleet.until('what no Pod has is gone', () => admin.get(ResourceExport, left) === undefined, 30_000);
    const numbers = some.map((app) => numberIn(east, app));
    const token = Buffer.from('member-east-2').toString('base64');
    const secret = east.server.admin.get(Secret, { namespace: memberNamespace, name: leaderSecret.name });
    east.server.admin.put(Secret, { metadata: leaderSecret, ...secret, data: { ...secret?.data, token } });
    for (const app of some) deletePod(east, app);
    for (const app of others) putPod(east, app, { app });
    await fleet.until(
      'the others',
      () => others.every((app) => isEverywhere(fleet, app)) && some.every((app) => isNowhere(fleet, app)),
      60_000,
    );
    expect(fleet.cluster('west').server.admin.list(LabelIdentity)).toHaveLength(20);
    expect(others.filter((app) => numbers.includes(numberIn(east, app)))).toEqual([]);
  });

  it('are withdrawn with the option, and with the cluster', async () => {
    await using fleet = await stretched();
    const [east, other] = [fleet.cluster('east'), fleet.cluster('west')];
    putPod(east, 'a', { app: 'a' });
    putPod(other, 'b', { app: 'b' });
    await fleet.until('imported', () => isEverywhere(fleet, 'a') && isEverywhere(fleet, 'b'), 10_000);
    east.kill();
    east.start('member', { enableStretchedNetworkPolicy: false });
    await fleet.until('east withdraws', () => exportOf(fleet, 'east', 'a') === undefined, 60_000);
    await fleet.until('and forgets', () => east.server.admin.list(LabelIdentity).length === 0, 60_000);
    const clusterSet = { namespace: memberNamespace, name: clusterSetName };
    other.server.admin.delete(ClusterSet, clusterSet);
    await fleet.until('west leaves', () => other.server.admin.get(ClusterSet, clusterSet) === undefined, 120_000);
    expect(other.server.admin.list(LabelIdentity)).toEqual([]);
    expect(exportOf(fleet, 'west', 'b')).toBeUndefined();
  });

  it('that a leader without the option does not merge are reported on its ClusterSet', async () => {
    await using fleet = await createVirtualFleet({
      clusters: three,
      stretched: true,
      leaderConfig: { enableStretchedNetworkPolicy: false },
    });
    const { admin } = fleet.leader.server;
    const reported = (type: string) =>
      conditionOf(
        admin.get(ClusterSet, { namespace: leaderNamespace, name: clusterSetName })?.status?.conditions,
        type,
      );
    putPod(fleet.cluster('east'), 'a', { app: 'a' });
    await fleet.until('it is reported', () => reported('SettingsMissing') !== undefined, 5_000);
    expect(reported('SettingsMissing')).toMatchObject({
      status: 'True',
      reason: 'SettingOff',
      message:
        'Members export objects that this leader publishes only with enableStretchedNetworkPolicy in its MultiClusterConfig. Set it there, or remove it from the configuration of the members.',
    });
    expect(reported('Unsupported')).toBeUndefined();
    // A user who set the option in a member looks there.
    const inMember = () =>
      conditionOf(
        fleet.cluster('east').server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName })?.status
          ?.conditions,
        'SettingsDiffer',
      );
    await fleet.until('the member reports it', () => inMember() !== undefined, 5_000);
    expect(inMember()).toMatchObject({
      status: 'True',
      reason: 'LeaderSettingOff',
      message:
        'Members export objects that the leader publishes only with enableStretchedNetworkPolicy in its MultiClusterConfig. Set it there, or remove it from the configuration of the members.',
    });
    deletePod(fleet.cluster('east'), 'a');
    await fleet.until('it is not reported any more', () => reported('SettingsMissing') === undefined, 5_000);
    await fleet.until('nor in the member', () => inMember() === undefined, 5_000);
  });

  it('are reported on the ClusterSet where an object is in the way', async () => {
    await using fleet = await stretched();
    const east = fleet.cluster('east');
    const { admin } = fleet.leader.server;
    admin.put(ResourceImport, {
      metadata: {
        name: hashOf('a'),
        namespace: leaderNamespace,
        labels: { 'app.kubernetes.io/managed-by': 'somebody' },
      },
      spec: { kind: 'LabelIdentity', labelIdentity: { label: 'ns:&pod:x', id: 3 } },
    });
    await fleet.until('not imported', () => incomplete(east)?.reason === 'LabelIdentityNotImported', 10_000);
    putPod(east, 'a', { app: 'a' });
    await fleet.until(
      'not exported',
      () => exportOf(fleet, 'east', 'a')?.status?.conditions?.[0] !== undefined,
      10_000,
    );
    admin.delete(ResourceImport, { name: hashOf('a'), namespace: leaderNamespace });
    await fleet.until('imported', () => isEverywhere(fleet, 'a'), 10_000);
    await fleet.until('nothing is wrong', () => incomplete(east) === undefined, 10_000);
    admin.put(ResourceExport, {
      metadata: { name: `east-${hashOf('b')}`, namespace: leaderNamespace },
      spec: { kind: 'Endpoints', clusterID: 'other' },
    });
    putPod(east, 'b', { app: 'b' });
    await fleet.until('the name is taken', () => incomplete(east)?.reason === 'LabelsNotExported', 10_000);
  });
});

const west = (fleet: VirtualFleet) => fleet.cluster('west').server.admin.list(LabelIdentity);
