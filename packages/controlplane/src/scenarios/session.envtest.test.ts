import {
  Annotation,
  ClusterSet,
  MemberClusterAnnounce,
  ResourceExport,
  Role,
  Secret,
  SecretKey,
  memberAnnounceName,
  serviceAccountTokenType,
} from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { NamespacedRef, RealCluster, RealFleet } from '@isthmus/testkit';
import { clusterSetName, leaderNamespace, memberNamespace } from '@isthmus/fleet-sim';
import { issueMemberCredential, serviceAccountToken, startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expiringToken } from './testing/expiring-token.ts';
import { unexpectedFailures } from './testing/unexpected-failures.ts';

/**
 * The tests are about west. East and the leader's own cluster, which is a member too, lose their
 * tokens at the start. That takes a while to show: the API server caches a token for ten seconds,
 * and heartbeats are ten seconds apart.
 */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const east = () => fleet.cluster('east');
const north = () => fleet.leader;

const http: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const own = { namespace: memberNamespace, name: clusterSetName };
const theSecret = { namespace: memberNamespace, name: 'leader-token' };
const announceOfWest = { namespace: leaderNamespace, name: memberAnnounceName('west') };
/** Exported by west and imported by east all the time. */
const steady = { namespace: 'session', name: 'steady' };
/** Exported by east and imported by west all the time. */
const mirror = { namespace: 'session', name: 'mirror' };

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
const fromBase64 = (text = '') => Buffer.from(text, 'base64').toString('utf8');

/** The content of west's Secret and ClusterSet, which is the same at the start of each test. */
let data: Readonly<Record<string, string>>;
const usualSpec = () => ({
  leaders: [{ clusterID: 'north', server: north().server.url, secret: theSecret.name }],
  namespace: leaderNamespace,
});

async function patchClusterSet(spec: unknown): Promise<void> {
  await west().admin.patch(ClusterSet, own, { type: 'merge', body: { spec } });
}

async function patchSecret(data: Readonly<Record<string, string | null>>): Promise<void> {
  await west().admin.patch(Secret, theSecret, { type: 'merge', body: { data } });
}

const connected = () => fleet.eventually('west is connected', () => west().view.clusterSet(), 'True Connected');

/** `type=status: message`, for the only entry of a member's ClusterSet. */
async function leaderStatus(): Promise<readonly string[]> {
  const { status } = await west().admin.get(ClusterSet, own);
  expect(status?.clusterStatuses?.map(({ clusterID }) => clusterID)).toEqual(['north']);
  return (status?.clusterStatuses?.[0]?.conditions ?? []).map(
    (condition) => `${condition.type}=${condition.status}: ${condition.message ?? ''}`,
  );
}

/**
 * Exports a new Service from west, and waits until west has its import from the leader: the session
 * works in both directions.
 */
async function sessionWorks(name: string): Promise<void> {
  const ref = { namespace: 'session', name };
  await west().user.exportService(ref, http, '10.20.1.1');
  await fleet.eventually('exported', () => west().view.exported(ref, 'Ready'), 'True Exported');
  await fleet.until('imported', () => west().view.importedIP(ref));
}

/**
 * The import of east's Service with its address, which must stay at every change of the session.
 */
async function importStays(ip: string | undefined): Promise<void> {
  expect(ip).toBeDefined();
  expect(await west().view.importedIP(mirror)).toBe(ip);
  expect(await west().view.slices(mirror)).toEqual([`east: ${await east().view.clusterIP(mirror)} http:80`]);
}

/** The former tokens of east and north, and the leader's Secret of north's token. */
let lost: { readonly east: string; readonly north: string };
const tokenOfNorth = { namespace: leaderNamespace, name: 'member-north' };

/**
 * East's token will expire soon. The token of north's own member is revoked, as by
 * `kubectl delete secret` on the leader.
 */
async function loseTokens(): Promise<void> {
  const tokenIn = async (cluster: RealCluster) =>
    fromBase64((await cluster.admin.get(Secret, theSecret)).data?.[SecretKey.token]);
  lost = { east: await tokenIn(east()), north: await tokenIn(north()) };
  const bound = await serviceAccountToken(north().admin, leaderNamespace, 'member-east');
  await putToken(east(), expiringToken(north().server, bound, Date.now() + 8_000));
  await fleet.until(
    'east is connected with the token that ends soon',
    async () => east().log.entries.filter(({ message }) => message === 'connected to the leader').length > 1,
  );
  await north().admin.delete(Secret, tokenOfNorth);
}

async function putToken(cluster: RealCluster, token: string): Promise<void> {
  const body = { data: { [SecretKey.token]: base64(token) } };
  await cluster.admin.patch(Secret, theSecret, { type: 'merge', body });
}

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader+member' } });
  await Promise.all(fleet.clusters.map(({ user }) => user.namespace('session')));
  await west().user.exportService(steady, http, '10.20.0.1');
  await east().user.exportService(mirror, http, '10.10.0.1');
  const there = async (ref: NamespacedRef) => {
    const ips = await Promise.all(fleet.clusters.map(({ view }) => view.importedIP(ref)));
    return ips.every((ip) => ip !== undefined);
  };
  for (const ref of [steady, mirror]) await fleet.until(`${ref.name} is imported`, () => there(ref));
  data = (await west().admin.get(Secret, theSecret)).data ?? {};
  await loseTokens();
});
beforeEach(async () => {
  await west().user.put(Secret, { metadata: theSecret, type: 'Opaque', data });
  await patchClusterSet(usualSpec());
  await connected();
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('the session with the leader', () => {
  it('an existing announcement makes the leader Ready and IsLeader at once', async () => {
    await west().stop('member');
    const before = (await north().admin.get(MemberClusterAnnounce, announceOfWest)).metadata;
    await west().start('member');
    await fleet.eventually(
      'a new heartbeat',
      async () => {
        const { annotations } = (await north().admin.get(MemberClusterAnnounce, announceOfWest)).metadata;
        return annotations?.['touch-ts'] === before.annotations?.['touch-ts'];
      },
      false,
    );
    await connected();
    expect(await leaderStatus()).toEqual(['Ready=True: ', 'IsLeader=True: ', 'ClusterConnected=True: ']);
    const { uid, finalizers } = (await north().admin.get(MemberClusterAnnounce, announceOfWest)).metadata;
    expect([uid, finalizers]).toEqual([before.uid, before.finalizers]);
  });

  it('a connected member reports Ready True, with one cluster of one', async () => {
    const { status } = await west().admin.get(ClusterSet, own);
    expect([status?.totalClusters, status?.readyClusters]).toEqual([1, 1]);
    expect(await west().view.clusterSet()).toBe('True Connected');
  });

  it('a leader that does not answer is Ready Unknown and not IsLeader, then Disconnected; the imports stay', async () => {
    const ip = await west().view.importedIP(mirror);
    // No server listens on port 1 of the loopback.
    await patchClusterSet({ leaders: [{ clusterID: 'north', server: 'https://127.0.0.1:1', secret: theSecret.name }] });
    await fleet.eventually(
      'not yet connected',
      async () =>
        (await leaderStatus()).filter((line) => !line.startsWith('ClusterConnected')).map((line) => line.split(':')[0]),
      ['Ready=Unknown', 'IsLeader=False'],
    );
    await fleet.eventually('disconnected', () => west().view.clusterSet(), 'False Disconnected');
    expect(await west().view.clusterSetMessage()).toMatch(/^Disconnected from leader: .*127\.0\.0\.1:1/);
    const { status } = await west().admin.get(ClusterSet, own);
    expect([status?.totalClusters, status?.readyClusters]).toEqual([1, 0]);
    await importStays(ip);
    await patchClusterSet(usualSpec());
    await connected();
    await importStays(ip);
  });

  it('another server address is used without a restart', async () => {
    const server = north().server.url.replace('127.0.0.1', 'localhost');
    await patchClusterSet({ leaders: [{ clusterID: 'north', server, secret: theSecret.name }] });
    await fleet.until('the new session', async () =>
      west().log.entries.some(
        ({ message, fields }) => message === 'connected to the leader' && fields['server'] === server,
      ),
    );
    await sessionWorks('by-name');
  });

  it('a server that is not an https URL, and a missing leader Namespace, are reported on the ClusterSet', async () => {
    const { url: server } = north().server;
    for (const [spec, reason, message] of [
      [
        { leaders: [{ clusterID: 'north', server: server.replace('https', 'http'), secret: theSecret.name }] },
        'InvalidServer',
        'is not an https URL',
      ],
      [{ namespace: '' }, 'InvalidNamespace', 'spec.namespace is not set'],
    ] as const) {
      await patchClusterSet(spec);
      await fleet.eventually(reason, () => west().view.clusterSet(), `False ${reason}`);
      expect(await west().view.clusterSetMessage()).toContain(message);
      await patchClusterSet(usualSpec());
      await connected();
    }
  });
});

describe('the Secret for the leader', () => {
  it('a missing Secret, or one without ca.crt or token, is named; the member joins as soon as it is complete', async () => {
    const ip = await west().view.importedIP(mirror);
    for (const [present, reason, message] of [
      [
        undefined,
        'SecretNotFound',
        'Secret kube-system/leader-token does not exist. Create it from the member token that the leader cluster issued.',
      ],
      [
        [SecretKey.token],
        'InvalidSecret',
        "Secret kube-system/leader-token has no key ca.crt. Copy it from the leader's token Secret.",
      ],
      [
        [SecretKey.caCrt],
        'InvalidSecret',
        "Secret kube-system/leader-token has no key token. Copy it from the leader's token Secret.",
      ],
    ] as const) {
      await west().user.remove(Secret, theSecret);
      if (present !== undefined) {
        const some = Object.fromEntries(present.map((key) => [key, data[key] ?? '']));
        await west().admin.create(Secret, { metadata: theSecret, type: 'Opaque', data: some });
      }
      await fleet.eventually('the message', () => west().view.clusterSetMessage(), message);
      expect(await west().view.clusterSet()).toBe(`False ${reason}`);
    }
    await fleet.eventually(
      'the export reports it',
      () => west().view.exported(steady, 'Ready'),
      'Unknown Disconnected',
    );
    await importStays(ip);
    await west().user.put(Secret, { metadata: theSecret, type: 'Opaque', data });
    await connected();
    await fleet.eventually('exported', () => west().view.exported(steady, 'Ready'), 'True Exported');
    await importStays(ip);
  });

  it('a certificate authority that is not the leader’s is reported; nothing is sent to such a server', async () => {
    await patchSecret({ [SecretKey.caCrt]: base64(east().server.caData) });
    await fleet.eventually('disconnected', () => west().view.clusterSet(), 'False Disconnected');
    expect(await west().view.clusterSetMessage()).toContain(
      `key ca.crt of Secret ${memberNamespace}/${theSecret.name} must be the certificate authority`,
    );
  });

  it('another Secret, named in the ClusterSet, is used without a restart', async () => {
    const renamed = { namespace: memberNamespace, name: 'other-token' };
    await west().admin.create(Secret, { metadata: renamed, type: 'Opaque', data });
    const { url: server } = north().server;
    await patchClusterSet({ leaders: [{ clusterID: 'north', server, secret: renamed.name }] });
    await west().admin.delete(Secret, theSecret);
    await connected();
    await sessionWorks('renamed');
  });

  it('a Role that is limited to Secrets by name is enough; a Secret beyond it is named until it is added', async () => {
    const role = { namespace: memberNamespace, name: 'antrea-mc-controller-role' };
    const { rules = [] } = await west().admin.get(Role, role);
    const limit = async (...resourceNames: readonly string[]) => {
      const limited = rules.map((rule) => (rule.resources?.join() === 'secrets' ? { ...rule, resourceNames } : rule));
      await west().admin.patch(Role, role, { type: 'merge', body: { rules: limited } });
    };
    await limit(theSecret.name);
    await west().stop('member');
    const before = west().log.entries.length;
    await west().start('member');
    await connected();
    await sessionWorks('limited');
    const since = west().log.entries.slice(before);
    expect(since.filter(({ fields }) => String(fields['why']).includes('missing permissions'))).toEqual([]);
    const next = { namespace: memberNamespace, name: 'beyond' };
    await west().user.put(Secret, { metadata: next, type: 'Opaque', data });
    await patchClusterSet({ leaders: [{ clusterID: 'north', server: north().server.url, secret: next.name }] });
    await fleet.eventually('denied', () => west().view.clusterSet(), 'False AccessDenied');
    expect(await west().view.clusterSetMessage()).toContain('Secret kube-system/beyond');
    await limit(theSecret.name, next.name);
    await connected();
    await sessionWorks('beyond');
    await west().admin.patch(Role, role, { type: 'merge', body: { rules } });
  });

  it('a token that the leader does not know is reported as such, and the right one is used at once', async () => {
    await patchSecret({ [SecretKey.token]: base64('no-token-at-all') });
    await fleet.eventually('refused', () => west().view.clusterSet(), 'False Unauthorized');
    expect(await west().view.clusterSetMessage()).toContain(
      `Leader north does not accept the token: issue a new member token there and put it into key token of Secret ${memberNamespace}/${theSecret.name}.`,
    );
  });

  it('a token without the rights of a member is reported as such', async () => {
    const token = await serviceAccountToken(north().admin, 'default', 'default');
    await patchSecret({ [SecretKey.token]: base64(token) });
    await fleet.eventually('refused', () => west().view.clusterSet(), 'False Refused');
    expect(await west().view.clusterSetMessage()).toContain(
      `The token belongs to ServiceAccount default/default on leader north, which does not have permissions in Namespace`,
    );
  });
});

describe('what the leader has lost', () => {
  const leaderHas = async () => (await north().view.commonArea()).imports.includes('session-steady-endpoints');

  it('an export that somebody deletes on the leader is written again', async () => {
    for (const kind of ['service', 'endpoints']) {
      const ref = { namespace: leaderNamespace, name: `west-session-steady-${kind}` };
      const before = await north().admin.get(ResourceExport, ref);
      await north().admin.delete(ResourceExport, ref);
      const again = await fleet.until(`${kind} again`, async () => {
        const found = await north().user.find(ResourceExport, ref);
        return found?.metadata.uid === before.metadata.uid ? undefined : found;
      });
      expect(again.spec).toEqual(before.spec);
    }
    await fleet.eventually('merged', leaderHas, true);
  });

  it('a member that the leader has removed announces itself and exports everything again', async () => {
    const before = (await north().admin.get(MemberClusterAnnounce, announceOfWest)).metadata.uid;
    const exportsOfWest = async () =>
      (await north().view.commonArea()).exports.filter((name) => name.startsWith('west-'));
    const all = await exportsOfWest();
    expect(all.length).toBeGreaterThan(2);
    await north().admin.delete(MemberClusterAnnounce, announceOfWest);
    const again = await fleet.until(
      'announced again',
      async () => {
        const found = await north().user.find(MemberClusterAnnounce, announceOfWest);
        return found?.metadata.uid === before ? undefined : found;
      },
      30_000,
    );
    expect(again.clusterSetID).toBe(clusterSetName);
    await fleet.eventually('exported again', exportsOfWest, all);
    await connected();
    await fleet.eventually('merged', leaderHas, true);
  });
});

describe('another Common Area', () => {
  it('a member whose ClusterSet names another leader Namespace, with another token, exports there without a restart', async () => {
    await north().startLeaderIn('second');
    await north().admin.create(ClusterSet, {
      metadata: { name: clusterSetName, namespace: 'second' },
      spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: 'second' },
    });
    const credential = await issueMemberCredential(north().admin, 'second', 'west');
    const second = { namespace: memberNamespace, name: 'second-token' };
    await west().admin.create(Secret, { metadata: second, type: 'Opaque', data: credential });
    const { url: server } = north().server;
    await patchClusterSet({ leaders: [{ clusterID: 'north', server, secret: second.name }], namespace: 'second' });
    await fleet.until('exported there', async () =>
      (await north().view.commonArea('second')).exports.includes('west-session-steady-service'),
    );
    await connected();
    // Only west exports there. East's exports in the first Common Area no longer concern this
    // ClusterSet.
    await fleet.eventually('the import of east is gone', () => west().view.importedIP(mirror), undefined);
    await patchClusterSet(usualSpec());
    await fleet.until('back again', () => west().view.importedIP(mirror));
    await connected();
  });
});

describe('resource definitions', () => {
  it('a member that starts without them waits and lives; once they are applied it imports and exports', async () => {
    await west().stop('member');
    const ip = await west().view.importedIP(mirror);
    await west().shell('kubectl delete crd serviceimports.multicluster.x-k8s.io serviceexports.multicluster.x-k8s.io');
    await west().start('member');
    await fleet.until('it says so', async () =>
      west().log.entries.some(
        ({ level, fields }) => level === 'warn' && JSON.stringify(fields).includes('serviceexports'),
      ),
    );
    await fleet.eventually('it is shown', () => west().view.clusterSet(), 'False KindsMissing');
    expect(await west().view.importedIP(mirror)).toBe(ip);

    const { stdout } = await west().shell('kubectl apply -f -', await west().manifest('deploy/member-crds.yaml'));
    expect(stdout).toContain('serviceexports.multicluster.x-k8s.io created');
    await fleet.eventually('still connected', () => west().view.clusterSet(), 'True Connected');
    await fleet.eventually('imported', () => west().view.imported(mirror), 'True Ready');
    await fleet.eventually('the same address', () => west().view.importedIP(mirror), ip);
    await west().user.export(steady);
    await fleet.eventually('exported', () => west().view.exported(steady, 'Ready'), 'True Exported');
  });
});

describe('tokens', () => {
  it('a token that has expired, or was revoked on the leader, is reported as such; a new one in the same Secret is used', async () => {
    const members = [east(), north()];
    for (const cluster of members) {
      await fleet.eventually(
        `${cluster.name} is refused`,
        () => cluster.view.clusterSet(),
        'False Unauthorized',
        40_000,
      );
      // Earlier imports stay: east's own Service, and that of west.
      expect(await cluster.view.importedIP(mirror)).toBeDefined();
      expect(await cluster.view.importedIP(steady)).toBeDefined();
    }
    await putToken(east(), lost.east);
    // Issued again, as a leader's administrator does it.
    const annotations = { [Annotation.serviceAccountName]: tokenOfNorth.name };
    await north().admin.create(Secret, { metadata: { ...tokenOfNorth, annotations }, type: serviceAccountTokenType });
    const issued = await fleet.until(
      'a new token',
      async () => (await north().admin.get(Secret, tokenOfNorth)).data?.[SecretKey.token],
    );
    expect(fromBase64(issued)).not.toBe(lost.north);
    await putToken(north(), fromBase64(issued));

    for (const { name, user, view } of members) {
      await fleet.eventually(`${name} is connected`, () => view.clusterSet(), 'True Connected');
      const ref = { namespace: 'session', name: `after-${name}` };
      await user.exportService(ref, http, '10.30.0.1');
      await fleet.eventually(`${name} exports`, () => view.exported(ref, 'Ready'), 'True Exported');
      await fleet.until('west imports', () => west().view.importedIP(ref));
    }
  });
});

it('no reconcile of any controller has failed', () => {
  expect(unexpectedFailures(fleet)).toEqual([]);
});
