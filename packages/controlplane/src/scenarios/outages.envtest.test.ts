import { ClusterSet, Finalizer, MemberClusterAnnounce, Service, ServiceImport, memberAnnounceName } from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import { conditionOf, rfc3339 } from '@isthmus/machinery';
import type { NamespacedRef, RealCluster, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { createAntreaMember, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

/**
 * API servers that hang, die and come back. The tests are in the order of one story: the leader's
 * API server hangs while west leaves and east stays, dies, and is started again. It dies late,
 * because caches ask an unavailable server less and less often, down to each half minute.
 */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const hour = 3_600_000;
const own = { namespace: memberNamespace, name: clusterSetName };
const ofWest = { namespace: 'shop', name: 'of-west' };
const ofEast = { namespace: 'shop', name: 'of-east' };
const announceOfWest = { namespace: leaderNamespace, name: memberAnnounceName('west') };

const connected = (cluster: RealCluster) =>
  fleet.eventually(`${cluster.name} is connected`, () => cluster.view.clusterSet(), 'True Connected');

interface Imported {
  readonly uid: string | undefined;
  /** The versions of the Service and the ServiceImport. */
  readonly versions: readonly (string | undefined)[];
  readonly slices: readonly string[];
}

/** All objects of an imported Service, which must not change while the leader is away. */
async function importOf(cluster: RealCluster, ref: NamespacedRef): Promise<Imported> {
  const derived = await cluster.user.find(Service, { ...ref, name: `antrea-mc-${ref.name}` });
  const serviceImport = await cluster.user.find(ServiceImport, ref);
  expect(derived).toBeDefined();
  return {
    uid: derived?.metadata.uid,
    versions: [derived?.metadata.resourceVersion, serviceImport?.metadata.resourceVersion],
    slices: await cluster.view.slices(ref),
  };
}

const freeze = (cluster: RealCluster) => cluster.server.freeze('kube-apiserver');
const resume = (cluster: RealCluster) => cluster.server.resume('kube-apiserver');

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' } });
  await north().startLeaderIn('silence');
  await north().admin.create(ClusterSet, {
    metadata: { name: 'set', namespace: 'silence' },
    spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: 'silence' },
  });
  // Checked late, after more than half a minute: these have no heartbeats.
  const ids = { clusterSetID: 'set', leaderClusterID: 'north' };
  const now = Date.now();
  for (const [clusterID, touched] of [
    ['silent', rfc3339(now)],
    ['forgotten', rfc3339(now - 25 * hour)],
    ['fast-clock', rfc3339(now + 25 * hour)],
    ['unstamped', undefined],
  ] as const) {
    const annotations = touched === undefined ? undefined : { 'touch-ts': touched };
    const metadata = { name: memberAnnounceName(clusterID), namespace: 'silence', annotations };
    await north().admin.create(MemberClusterAnnounce, { metadata, clusterID, ...ids });
  }
  using gone = await createAntreaMember(north(), { ...ids, clusterID: 'forgotten', namespace: 'silence' });
  const subsets = [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'http', port: 80 }] }];
  await gone.export({ namespace: 'default', name: 'nginx', ports: http, subsets });

  await Promise.all([east().user.namespace('shop'), west().user.namespace('shop')]);
  await west().user.exportService(ofWest, http, '10.20.0.1');
  await east().user.exportService(ofEast, http, '10.10.0.1');
  for (const cluster of [east(), west()]) {
    for (const ref of [ofWest, ofEast]) {
      await fleet.eventually('imported', () => cluster.view.imported(ref), 'True Ready');
      await fleet.eventually('with endpoints', async () => (await cluster.view.slices(ref)).length, 1);
    }
  }
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('the API server of a member', () => {
  it('dies and comes back: what changed meanwhile in other clusters arrives, and the imported Service stays the same object', async () => {
    const before = await importOf(west(), ofEast);
    await west().server.stop('kube-apiserver');
    await east().user.service(ofEast, {
      ports: [...http, { name: 'more', protocol: 'TCP', port: 81, targetPort: 81 }],
    });
    await west().server.start('kube-apiserver');
    await fleet.eventually(
      'news of east',
      () => west().view.importedPorts(ofEast),
      ['http TCP 80', 'more TCP 81'],
      60_000,
    );
    await east().user.service(ofEast, { ports: http });
    await fleet.eventually('more news of east', () => west().view.importedPorts(ofEast), ['http TCP 80']);
    expect((await importOf(west(), ofEast)).uid).toBe(before.uid);
  });

  it('hangs for a while: what changed meanwhile arrives, and the imported Service stays the same object', async () => {
    const before = await importOf(west(), ofEast);
    await freeze(west());
    await east().user.service(ofEast, { ports: [{ name: 'http', protocol: 'TCP', port: 82, targetPort: 8080 }] });
    const port = async () => (await east().view.importedPorts(ofEast))?.[0];
    await fleet.eventually('east goes on by itself', port, 'http TCP 82');
    resume(west());
    await fleet.eventually('west follows', () => west().view.importedPorts(ofEast), ['http TCP 82']);
    await east().user.service(ofEast, { ports: http });
    await fleet.eventually('and again', () => west().view.importedPorts(ofEast), ['http TCP 80']);
    expect((await importOf(west(), ofEast)).uid).toBe(before.uid);
  });
});

describe('the API server of the leader', () => {
  it('hangs for a moment: the session goes on as if nothing had been', async () => {
    const before = [await importOf(east(), ofWest), await importOf(west(), ofEast)];
    await freeze(north());
    await fleet.steadily(
      'nothing changes',
      async () => [await importOf(east(), ofWest), await importOf(west(), ofEast)],
      before,
      1_500,
    );
    resume(north());
    await west().user.service(ofWest, { ports: [{ name: 'http', protocol: 'TCP', port: 8080, targetPort: 8080 }] });
    await fleet.eventually('news of west', () => east().view.importedPorts(ofWest), ['http TCP 8080']);
    expect([await east().view.clusterSet(), await west().view.clusterSet()]).toEqual([
      'True Connected',
      'True Connected',
    ]);
  });

  it('hangs for good while west leaves: what west imported goes at once, though its ClusterSet waits for the leader', async () => {
    await freeze(north());
    const foreign = await west().user.service({ namespace: 'shop', name: 'antrea-mc-mine' }, { ports: http });
    await west().admin.delete(ClusterSet, own);
    for (const ref of [ofWest, ofEast]) {
      await fleet.eventually('the Service', () => west().view.importedIP(ref), undefined);
      await fleet.eventually('the ServiceImport', () => west().view.importedPorts(ref), undefined);
      await fleet.eventually('the slices', () => west().view.slices(ref), []);
    }
    expect(await west().user.find(Service, { namespace: 'shop', name: 'antrea-mc-mine' })).toEqual(foreign);
    const held = await west().admin.get(ClusterSet, own);
    expect(held.metadata.finalizers).toEqual([Finalizer.leave]);
    await fleet.eventually('it says what it does', () => west().view.clusterSet(), 'False Leaving');
    await fleet.eventually('so does the export', () => west().view.exported(ofWest, 'Ready'), 'False Pending');
  });

  it('hangs for good: east reports that it is disconnected, and keeps every import as it is', async () => {
    const before = await importOf(east(), ofWest);
    await fleet.eventually('east says so', () => east().view.clusterSet(), 'False Disconnected');
    expect(await east().view.clusterSetMessage()).toMatch(/^Disconnected from leader: .*no answer within 5 s/);
    expect(await importOf(east(), ofWest)).toEqual(before);
  });

  it('answers nothing for a minute: west leaves without it, and an Event reports what may remain there', async () => {
    await fleet.eventually('let go', () => west().view.clusterSet(), 'none');
    const said = await fleet.until('the Event', async () => {
      const events = await west().view.events({ kind: 'ClusterSet', ...own });
      return events.find((line) => line.startsWith('LeaderUnreachable'));
    });
    expect(said).toMatch(
      /^LeaderUnreachable: Left the ClusterSet without an answer from leader north: .*MemberClusterAnnounce antrea-multicluster\/member-announce-from-west and the exports of west may remain there; the leader removes them after 24 hours of silence, or you can delete the announcement\.$/,
    );
  });

  it('dies: east keeps every import; what its users do meanwhile waits, and reports it', async () => {
    const before = await importOf(east(), ofWest);
    await north().server.stop('kube-apiserver');
    await east().user.service(ofEast, { ports: [{ name: 'http', protocol: 'TCP', port: 83, targetPort: 8080 }] });
    const late = { namespace: 'shop', name: 'late' };
    await east().user.exportService(late, http, '10.10.0.2');
    await fleet.eventually(
      'refused',
      async () => (await east().view.clusterSetMessage()).includes('ECONNREFUSED'),
      true,
    );
    expect(await importOf(east(), ofWest)).toEqual(before);
    expect(await east().view.clusterSet()).toBe('False Disconnected');
  });

  it('comes back: east connects by itself, and changes made meanwhile arrive', async () => {
    await north().server.start('kube-apiserver');
    await connected(east());
    await fleet.eventually('the changed port', () => east().view.importedPorts(ofEast), ['http TCP 83']);
    const late = { namespace: 'shop', name: 'late' };
    await fleet.eventually('the late export', () => east().view.exported(late, 'Ready'), 'True Exported');
    await fleet.until('the late import', () => east().view.importedIP(late));
    // West left without the leader, which still has its export, as the Event reported.
    expect((await north().view.commonArea()).exports).toContain('west-shop-of-west-service');
    expect(await north().user.find(MemberClusterAnnounce, announceOfWest)).toBeDefined();
  });

  it('has west back when it joins again, under its old announcement', async () => {
    await west().admin.create(ClusterSet, {
      metadata: own,
      spec: {
        clusterID: 'west',
        leaders: [{ clusterID: 'north', server: north().server.url, secret: 'leader-token' }],
        namespace: leaderNamespace,
      },
    });
    await connected(west());
    await fleet.until('imported again', () => west().view.importedIP(ofEast));
    await fleet.eventually('exported again', () => west().view.exported(ofWest, 'Ready'), 'True Exported');
  });
});

describe('an announcement without heartbeats', () => {
  const announces = async () =>
    (await north().admin.list(MemberClusterAnnounce, { namespace: 'silence' })).items.map(({ clusterID }) => clusterID);
  const silent = async () => {
    const { status } = await north().admin.get(ClusterSet, { namespace: 'silence', name: 'set' });
    const found = status?.clusterStatuses?.find(({ clusterID }) => clusterID === 'silent');
    return conditionOf(found?.conditions, 'Ready');
  };

  it('counts as disconnected after half a minute, with the time since when, and is kept', async () => {
    await fleet.eventually('silent', async () => (await silent())?.reason, 'Disconnected');
    expect((await silent())?.message).toMatch(
      /^No MemberClusterAnnounce update since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    );
    expect(await announces()).toContain('silent');
  });

  it('is removed with all its exports when its last heartbeat is older than a day', async () => {
    await fleet.eventually('forgotten', async () => (await announces()).includes('forgotten'), false);
    await fleet.eventually('its exports', () => north().view.commonArea('silence'), { exports: [], imports: [] });
  });

  it('is kept where the member has a wrong clock, or has never sent a heartbeat', async () => {
    expect(new Set(await announces())).toEqual(new Set(['fast-clock', 'silent', 'unstamped']));
  });
});

it('leaving with a live leader takes everything of the member away there, and the ClusterSet is gone', async () => {
  await west().admin.delete(ClusterSet, own);
  await fleet.eventually('let go', () => west().view.clusterSet(), 'none');
  expect(await north().user.find(MemberClusterAnnounce, announceOfWest)).toBeUndefined();
  expect((await north().view.commonArea()).exports.filter((name) => name.startsWith('west-'))).toEqual([]);
  await fleet.eventually('east has dropped it', () => east().view.importedIP(ofWest), undefined);
});

it('a ClusterSet that is deleted while its controller is down is left when the controller is back', async () => {
  await east().stop('member');
  await east().admin.delete(ClusterSet, own);
  expect((await east().admin.get(ClusterSet, own)).metadata.deletionTimestamp).toBeDefined();
  expect(await east().view.importedIP(ofEast)).toBeDefined();
  await east().start('member');
  await fleet.eventually('let go', () => east().view.clusterSet(), 'none');
  await fleet.eventually('cleaned up', () => east().view.importedIP(ofEast), undefined);
  const nothing = { exports: [], imports: [] };
  await fleet.eventually('the Common Area is empty', () => north().view.commonArea(), nothing);
});

it('no controller has stopped, and no reconcile failed but for servers that did not answer, or were not ready yet', () => {
  const noAnswer = /ECONNREFUSED|ECONNRESET|socket hang up|no answer|did not answer|closed|\(403 Forbidden\)|\(503 /;
  expect(unexpectedFailures(fleet, noAnswer)).toEqual([]);
});
