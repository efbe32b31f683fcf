import {
  Annotation,
  ClusterSet,
  KnownCluster,
  Role,
  Secret,
  SecretKey,
  ServiceAccount,
  ServiceImport,
} from '@isthmus/api';
import { readToken } from '@isthmus/controlplane';
import type { VirtualCluster, VirtualFleet, WriteVerdict } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  exportCart,
  leaderNamespace,
  leaderSecret,
  memberNamespace,
  putService,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { apply, connected, fleetToJoin, joinFileFor, onLeader, ranges, runOn } from './testing/grant-fleet.ts';

const minute = 60_000;
const hour = 60 * minute;
/** A fleet of one member, whose tokens are valid for an hour. */
const hourly = { clusters: { north: 'leader', east: 'member' }, maxTokenSeconds: 3_600 } as const;
const atLeader = ({ leader }: VirtualFleet, name: string) =>
  leader.server.admin.get(Secret, { namespace: leaderNamespace, name });
const secretOf = ({ server }: VirtualCluster) => server.admin.get(Secret, leaderSecret);
const tokenOf = (cluster: VirtualCluster) => {
  const { data } = secretOf(cluster) ?? {};
  return atob(data?.[SecretKey.renewedToken] ?? data?.[SecretKey.token] ?? '');
};
const conditionOf = ({ server }: VirtualCluster, type: string) =>
  server.admin
    .get(ClusterSet, { namespace: memberNamespace, name: clusterSetName })
    ?.status?.conditions?.find((condition) => condition.type === type);
const readyMessage = (cluster: VirtualCluster) => conditionOf(cluster, 'Ready')?.message ?? '';

async function joined(fleet: VirtualFleet, clusterID: string): Promise<VirtualCluster> {
  const cluster = fleet.cluster(clusterID);
  await apply(fleet, cluster, await joinFileFor(fleet, clusterID));
  await connected(fleet, cluster);
  return cluster;
}

/** The member has a token of its own, and nothing of its join file is left. */
async function settled(fleet: VirtualFleet, cluster: VirtualCluster): Promise<void> {
  const { name } = cluster;
  const isOver = () =>
    readToken(tokenOf(cluster))?.secret?.name === `member-${name}` &&
    atLeader(fleet, `join-${name}`) === undefined &&
    secretOf(cluster)?.metadata.annotations?.[Annotation.joinedWith] === undefined;
  await fleet.until(`${name} has a token of its own`, isOver);
}

describe('a cluster that is granted', () => {
  it('joins with its file, has a token of 24 hours, and ends that of the file', async () => {
    await using fleet = await fleetToJoin();
    const east = await joined(fleet, 'east');
    expect(fleet.leader.server.admin.get(KnownCluster, { namespace: leaderNamespace, name: 'east' })?.spec).toEqual({
      clusterID: 'east',
      origin: 'Granted',
      state: 'Accepted',
      pods: ['10.10.0.0/16'],
      services: ['10.96.0.0/12'],
    });
    await settled(fleet, east);
    const { fromS = 0, untilS = 0 } = readToken(tokenOf(east))?.life ?? {};
    expect(untilS - fromS).toBe(86_400);
    expect(conditionOf(east, 'TokenDoesNotExpire')).toBeUndefined();
  });

  it('stays connected if its file is applied again', async () => {
    await using fleet = await fleetToJoin();
    const east = fleet.cluster('east');
    const file = await joinFileFor(fleet, 'east');
    await apply(fleet, east, file);
    await connected(fleet, east);
    await settled(fleet, east);
    const before = tokenOf(east);
    await apply(fleet, east, file);
    await fleet.clock.advance(60_000);
    expect(tokenOf(east)).toBe(before);
    expect(clusterSetCondition(east)).toBe('True Connected');
  });

  it.each<[string, WriteVerdict, RegExp]>(
    (['die-before', 'die-after'] as const).flatMap((verdict) => [
      [`${verdict} it asks for the token`, verdict, /^POST .*\/serviceaccounts\/member-east\/token$/],
      [`${verdict} it stores the token, or what is left to do`, verdict, /^PATCH .*\/secrets\/leader-token$/],
      [`${verdict} it ends that of the file`, verdict, /^DELETE .*\/secrets\/join-east$/],
    ]),
  )('joins although its controller is to %s', async (_title, verdict, what) => {
    let deaths = 0;
    await using fleet = await fleetToJoin({
      onWrite: ({ controller, method, path }) => {
        if (controller !== 'east-member' || deaths === 2 || !what.test(`${method} ${path}`)) return 'pass';
        deaths++;
        return verdict;
      },
    });
    const east = await joined(fleet, 'east');
    await settled(fleet, east);
    expect(deaths).toBeGreaterThan(0);
    await connected(fleet, east);
  });

  it.each([
    ['behind', -hour],
    ['ahead', hour],
  ])('joins and renews with a clock that is an hour %s', async (_title, east) => {
    await using fleet = await fleetToJoin({ ...hourly, clockErrorsMs: { east } });
    const cluster = await joined(fleet, 'east');
    await settled(fleet, cluster);
    const first = tokenOf(cluster);
    await fleet.clock.advance(39 * minute);
    expect(tokenOf(cluster)).toBe(first);
    await fleet.clock.advance(8 * minute);
    expect(tokenOf(cluster)).not.toBe(first);
    expect(clusterSetCondition(cluster)).toBe('True Connected');
  });

  it('uses a token that it could not store at first, and asks for no other', async () => {
    await using fleet = await fleetToJoin();
    const down = fleet.link('east-member', 'east').add({
      match: ({ method, path }) => method === 'PATCH' && path.includes('/secrets/'),
      fault: { kind: 'status', code: 500 },
    });
    const east = fleet.cluster('east');
    await apply(fleet, east, await joinFileFor(fleet, 'east'));
    await fleet.clock.advance(35_000);
    expect(readyMessage(east)).toContain('cannot store the token in this cluster');
    down();
    await connected(fleet, east);
    await settled(fleet, east);
    const asked = fleet.leader.server
      .requestLog()
      .filter((line) => line.includes('POST') && line.includes('member-east/token'));
    expect(asked.filter((line) => line.includes('system:serviceaccount:'))).toHaveLength(1);
  });
});

describe('a join file', () => {
  it('that has expired is named as expired, with the time, and another one helps', async () => {
    await using fleet = await fleetToJoin();
    const east = fleet.cluster('east');
    const file = await joinFileFor(fleet, 'east');
    await fleet.clock.advance(16 * minute);
    await apply(fleet, east, file);
    await fleet.until('it is rejected', () => clusterSetCondition(east) === 'False Unauthorized');
    expect(readyMessage(east)).toMatch(
      /does not accept the token of the join file: it expired at 20\S+Z, or the file was used/,
    );
    expect(readyMessage(east)).toContain(
      `run on the leader: isthmus grant east -n ${leaderNamespace} -o east.yaml, and apply that file here`,
    );
    await apply(fleet, east, await joinFileFor(fleet, 'east', ''));
    await connected(fleet, east);
    await settled(fleet, east);
  });

  it('that another cluster has used is rejected, and the message names how to see which', async () => {
    await using fleet = await fleetToJoin();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const file = await joinFileFor(fleet, 'east');
    await apply(fleet, east, file);
    await connected(fleet, east);
    await settled(fleet, east);
    await apply(fleet, west, file);
    await fleet.until('it is rejected', () => clusterSetCondition(west) === 'False Unauthorized');
    expect(readyMessage(west)).toMatch(
      /the file was used already, or replaced by a newer one \(it was to expire at 20\S+Z\)/,
    );
    expect(readyMessage(west)).toContain(
      `kubectl -n ${leaderNamespace} get memberclusterannounce member-announce-from-east -o yaml`,
    );
    expect(clusterSetCondition(east)).toBe('True Connected');
  });

  it('that two clusters use at once makes one of them a member', async () => {
    await using fleet = await fleetToJoin();
    const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
    const file = await joinFileFor(fleet, 'east');
    for (const cluster of [east, west]) cluster.kill();
    for (const cluster of [east, west]) await apply(fleet, cluster, file);
    for (const cluster of [east, west]) cluster.start();
    const states = () => [clusterSetCondition(east), clusterSetCondition(west)];
    await fleet.until('one is connected', () => states().includes('True Connected'));
    await fleet.clock.advance(minute);
    const rejected = states().filter((state) => state !== 'True Connected');
    expect(rejected).toHaveLength(1);
    expect(['False Refused', 'False Unauthorized']).toContain(rejected[0]);
  });

  it('of another cluster is not used here, and joins that one afterwards', async () => {
    await using fleet = await fleetToJoin();
    const east = await joined(fleet, 'east');
    await settled(fleet, east);
    const west = fleet.cluster('west');
    const file = await joinFileFor(fleet, 'west');
    await apply(fleet, east, file.replace('clusterID: west', 'clusterID: east'));
    await fleet.until('it is reported', () => clusterSetCondition(east) === 'False InvalidSecret');
    expect(readyMessage(east)).toContain('has the token of a join file for cluster west, and this cluster is east');
    expect(readyMessage(east)).toContain('run on the leader: isthmus grant east');
    await apply(fleet, west, file);
    await connected(fleet, west);
    await apply(fleet, east, await joinFileFor(fleet, 'east', ''));
    await connected(fleet, east);
  });

  it('ends when a newer one is made', async () => {
    await using fleet = await fleetToJoin();
    const east = fleet.cluster('east');
    const old = await joinFileFor(fleet, 'east');
    const file = await joinFileFor(fleet, 'east', '');
    await apply(fleet, east, old);
    await fleet.until('it is rejected', () => clusterSetCondition(east) === 'False Unauthorized');
    await apply(fleet, east, file);
    await connected(fleet, east);
  });

  it('of a member that is connected replaces its token', async () => {
    await using fleet = await fleetToJoin();
    const east = await joined(fleet, 'east');
    await settled(fleet, east);
    const before = tokenOf(east);
    const { out } = await onLeader(fleet, 'grant east -o file.yaml');
    expect(out).toMatch(/A cluster \(kube-system uid \S+\) joined as east at 20\S+Z\. The file is for that cluster/);
    await apply(fleet, east, await joinFileFor(fleet, 'east', ''));
    await fleet.until('it is used', () => tokenOf(east) !== before);
    await settled(fleet, east);
    expect(clusterSetCondition(east)).toBe('True Connected');
  });
});

describe('a token that is not renewed', () => {
  it('is reported with its end while the leader does not allow it, and no longer when it does', async () => {
    await using fleet = await fleetToJoin(hourly);
    const east = await joined(fleet, 'east');
    await settled(fleet, east);
    const { admin } = fleet.leader.server;
    const ref = { namespace: leaderNamespace, name: 'renew-east' };
    const role = admin.get(Role, ref);
    admin.delete(Role, ref);
    await fleet.clock.advance(46 * minute);
    const condition = conditionOf(east, 'TokenExpires');
    expect(condition).toMatchObject({ status: 'True', reason: 'RenewalFailed' });
    expect(condition?.message).toMatch(
      /^The token for leader north expires at 20\S+Z, and cannot be renewed: .*forbidden/,
    );
    expect(clusterSetCondition(east)).toBe('True Connected');
    if (role !== undefined) admin.put(Role, { ...role, metadata: ref });
    await fleet.until('it is renewed', () => conditionOf(east, 'TokenExpires') === undefined, 600_000);
  });

  it('expires, is named as expired, and the imports stay', async () => {
    await using fleet = await fleetToJoin({ maxTokenSeconds: 3_600 });
    const east = await joined(fleet, 'east');
    const west = await joined(fleet, 'west');
    putService(east, westPorts, { namespace: 'shop', name: 'other' });
    exportCart(west, '10.20.1.1');
    const imported = () => east.server.admin.list(ServiceImport).length;
    await fleet.until('it is imported', () => imported() === 1);
    fleet.leader.server.admin.delete(Role, { namespace: leaderNamespace, name: 'renew-east' });
    await fleet.clock.advance(hour + minute);
    await fleet.until('it is rejected', () => clusterSetCondition(east) === 'False Unauthorized');
    expect(readyMessage(east)).toMatch(
      /does not accept the token: it expired at 20\S+Z without being renewed\. To connect again, run on the leader: isthmus grant east/,
    );
    expect(imported()).toBe(1);
  });
});

it('a member with such a token that is handed over to Antrea needs another one', async () => {
  await using fleet = await fleetToJoin();
  const east = await joined(fleet, 'east');
  await settled(fleet, east);
  east.kill();
  const { out } = await runOn(fleet, east, 'handover member');
  expect(out).toContain(
    'The token in Secret kube-system/leader-token is valid for a day, and Antrea does not renew it.',
  );
});

describe('a grant changes nothing, and reports why,', () => {
  const legacy = (fleet: VirtualFleet) =>
    fleet.leader.server.admin.put(Secret, {
      metadata: {
        namespace: leaderNamespace,
        name: 'member-east',
        annotations: { 'kubernetes.io/service-account.name': 'member-east' },
      },
      type: 'kubernetes.io/service-account-token',
    });
  const ofWest = (fleet: VirtualFleet) =>
    fleet.leader.server.admin.put(ServiceAccount, {
      metadata: { namespace: leaderNamespace, name: 'member-east', annotations: { [Annotation.clusterID]: 'west' } },
    });
  const known = (fleet: VirtualFleet) =>
    fleet.leader.server.admin.put(KnownCluster, {
      metadata: { namespace: leaderNamespace, name: 'east' },
      spec: { clusterID: 'east', pods: ['10.20.0.0/16'], services: ['10.96.0.0/12'] },
    });
  it.each<[string, (fleet: VirtualFleet) => unknown, string, number, string]>([
    ['of a cluster that is not known without ranges', () => {}, '', 2, 'name its ranges with --pods and --services'],
    ['of other ranges', known, '--pods 10.10.0.0/16', 1, 'pods: 10.20.0.0/16 -> 10.10.0.0/16'],
    [
      'if the cluster may use a token that does not expire',
      legacy,
      ranges,
      1,
      `run: isthmus revoke east -n ${leaderNamespace}`,
    ],
    ['if the account is that of another cluster', ofWest, ranges, 1, 'is that of cluster "west"'],
    [
      'in a Namespace without a ClusterSet',
      () => {},
      `${ranges} -n shop`,
      1,
      'Namespace shop has no ClusterSet of a leader',
    ],
    ['for an address that is not https', () => {}, `${ranges} --server http://north.test`, 2, 'is not an https URL'],
    [
      'for an address with a password',
      () => {},
      `${ranges} --server https://me:secret@north.test`,
      2,
      'contains a user or password',
    ],
  ])('%s', async (_title, prepare, more, code, why) => {
    await using fleet = await fleetToJoin();
    prepare(fleet);
    const secrets = () => fleet.leader.server.admin.list(Secret, leaderNamespace).map(({ metadata }) => metadata.name);
    const before = secrets();
    const result = await onLeader(fleet, `grant east ${more} -o file.yaml`);
    expect(result).toMatchObject({ code, out: '', file: '' });
    expect(result.err).toContain(why);
    expect(result.err).not.toContain('secret@');
    expect(secrets()).toEqual(before);
  });
});

it('a join file on standard output is alone there, and no secret is anywhere else', async () => {
  await using fleet = await fleetToJoin();
  const { out, err } = await onLeader(fleet, `grant east ${ranges} -o -`);
  expect(out).toMatch(/^# With this file, [^]*secret: leader-token\n$/);
  expect(err).toContain('is granted pods 10.10.0.0/16; services 10.96.0.0/12');
  const token = /token: (\S+)/.exec(out)?.[1] ?? '';
  expect(token.length).toBeGreaterThan(100);
  expect(err).not.toContain(token.slice(0, 20));
  const written = await onLeader(fleet, 'grant east -o file.yaml');
  expect(`${written.out}${written.err}`).not.toContain(/token: (\S{20})/.exec(written.file)?.[1]);
});

it('a revocation ends tokens of Secrets, too', async () => {
  await using fleet = await fleetToJoin();
  const { admin } = fleet.leader.server;
  const account = { namespace: leaderNamespace, name: 'east-1', annotations: { [Annotation.clusterID]: 'east' } };
  admin.put(ServiceAccount, { metadata: account });
  for (const [name, of] of [
    ['of-east', 'east-1'],
    ['of-west', 'west-1'],
  ] as const)
    admin.put(Secret, {
      metadata: { namespace: leaderNamespace, name, annotations: { 'kubernetes.io/service-account.name': of } },
      type: 'kubernetes.io/service-account-token',
    });
  const { out } = await onLeader(fleet, 'revoke east');
  expect(out).toContain('deleted Secret of-east.');
  expect(out).toContain('serviceaccount,rolebinding member-east join-east east-1');
  expect(admin.list(Secret, leaderNamespace).map(({ metadata }) => metadata.name)).toEqual(['of-west']);
});

it('a cluster that the leader does not know is not revoked, and the known ones are named', async () => {
  await using fleet = await fleetToJoin();
  await joined(fleet, 'east');
  const { code, err } = await onLeader(fleet, 'revoke wset');
  expect(code).toBe(1);
  expect(err).toContain('cannot revoke the tokens of cluster wset');
  expect(err).toContain('Clusters with an account: east.');
});

describe('a cluster that is revoked', () => {
  it('is rejected at once, keeps its imports, and joins again with another file', async () => {
    await using fleet = await fleetToJoin();
    const east = await joined(fleet, 'east');
    const west = await joined(fleet, 'west');
    putService(east, westPorts, { namespace: 'shop', name: 'other' });
    exportCart(west, '10.20.1.1');
    await fleet.until('it is imported', () => east.server.admin.list(ServiceImport).length === 1);
    const first = await onLeader(fleet, 'revoke east');
    expect(first.out).toContain('deleted Secret member-east. Requests with them fail within 15 seconds.');
    expect(first.out).toContain(
      `kubectl -n ${leaderNamespace} delete --ignore-not-found memberclusterannounce member-announce-from-east`,
    );
    await fleet.until('it is rejected', () => clusterSetCondition(east) === 'False Unauthorized', 15_000);
    expect(readyMessage(east)).toMatch(/it was to expire at 20\S+Z, and has been revoked/);
    const second = await onLeader(fleet, 'revoke east');
    expect(second).toMatchObject({
      code: 0,
      out: expect.stringContaining('has no tokens any more that end with a Secret') as string,
    });
    expect(clusterSetCondition(west)).toBe('True Connected');
    expect(east.server.admin.list(ServiceImport)).toHaveLength(1);
    await apply(fleet, east, await joinFileFor(fleet, 'east', ''));
    await connected(fleet, east);
  });
});
