import {
  ClusterInfoImport,
  ClusterNetworkPolicy,
  Gateway,
  LabelIdentity,
  Namespace,
  Pod,
  ResourceExport,
  ResourceImport,
  labelIdentityHash,
} from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/testkit';
import { checksAllPoints, createVirtualFleet, leaderNamespace, memberNamespace, sweepOf } from '@isthmus/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exportPolicy, policyOf, putTier, servePolicies, strictIsolation } from '../testing/policies.ts';
import { consequencesMs, isBefallen, serverFaults } from '../testing/server-faults.ts';

/** East and west exchange their networks and the labels of their Pods, and both have a policy of the leader: all under faults. */
let fleet: VirtualFleet;
const breaches: string[] = [];
const members = () => [fleet.cluster('east'), fleet.cluster('west')];
const other = { east: 'west', west: 'east' } as const;
const cluster = (name: string) => name as keyof typeof other;
const hashOf = (app: string) => labelIdentityHash(`ns:kubernetes.io/metadata.name=shop&pod:app=${app}`);

/** What is there in every cluster from the first to the last, and must not vanish or get another number. */
const isLasting = ({ kind, metadata: { name } }: KubernetesObject) =>
  (kind === ClusterNetworkPolicy.kind && name === 'antrea-mc-strict') ||
  (kind === ClusterInfoImport.kind && name.endsWith('-clusterinfo')) ||
  ([LabelIdentity.kind, ResourceImport.kind].includes(kind ?? '') && name === hashOf('base')) ||
  (kind === ResourceImport.kind && /^(strict-|(east|west)-clusterinfo$)/.test(name));
const numberIn = (object: KubernetesObject | undefined) => {
  const { spec } = (object ?? {}) as LabelIdentity & ResourceImport;
  return spec?.id ?? spec?.labelIdentity?.id;
};
/** A cause for which the network of a cluster may vanish. */
let isAway: string | undefined;

const putGateway = ({ name, server }: VirtualCluster, round: number) =>
  server.admin.put(Gateway, {
    metadata: { name: 'node-1', namespace: memberNamespace },
    gatewayIP: gatewayOf(name, round),
    internalIP: gatewayOf(name, round),
    serviceCIDR: name === 'east' ? '10.32.0.0/16' : '10.33.0.0/16',
  });
const gatewayOf = (name: string, round: number) => `192.0.${name === 'east' ? 2 : 3}.${round + 1}`;
const putPod = ({ server }: VirtualCluster, app: string) =>
  server.admin.put(Pod, {
    metadata: { name: app, namespace: 'shop', labels: { app } },
    spec: { containers: [{ name: 'c', image: 'c' }] },
  });
const appOf = (name: string, round: number) => `${name}-${round}`;

/** What users change in each of the three, everywhere. */
let rounds = 0;
function change(): number {
  const round = rounds++;
  for (const member of members()) {
    putGateway(member, round);
    putPod(member, appOf(member.name, round));
    if (round > 0) member.server.admin.delete(Pod, { namespace: 'shop', name: appOf(member.name, round - 1) });
  }
  exportPolicy(fleet, 'strict', { ...strictIsolation, priority: round });
  return round;
}

/** What clusters have not, or too much, of what users want in that round. */
function differences(round: number): readonly string[] {
  const { admin } = fleet.leader.server;
  return members().flatMap((member) => {
    const { name, server } = member;
    const theirs = other[cluster(name)];
    const network = server.admin.get(ClusterInfoImport, { namespace: memberNamespace, name: `${theirs}-clusterinfo` });
    const sets = [...Object.keys(other).map((one) => appOf(one, round)), 'base'];
    const hasNumber = (app: string) => {
      const published = numberIn(admin.get(ResourceImport, { namespace: leaderNamespace, name: hashOf(app) }));
      return published !== undefined && numberIn(server.admin.get(LabelIdentity, { name: hashOf(app) })) === published;
    };
    return [
      ...(policyOf(member, 'strict')?.spec?.['priority'] === round ? [] : [`${name}: policy`]),
      ...(network?.spec?.gatewayInfos?.[0]?.gatewayIP === gatewayOf(theirs, round) ? [] : [`${name}: network`]),
      ...sets.filter((app) => !hasNumber(app)).map((app) => `${name}: labels of ${app}`),
      // And somebody else's.
      ...(server.admin.list(LabelIdentity).length === sets.length + 1 ? [] : [`${name}: more labels`]),
    ];
  });
}
const isCurrent = (round: number) => differences(round).length === 0;

/** Waits, and fails with what is missing. */
async function untilCurrent(round: number, limitMs: number): Promise<void> {
  try {
    await fleet.clock.runUntil(() => isCurrent(round), { limitMs, what: 'all is current' });
  } catch {
    expect(differences(round)).toEqual([]);
  }
}

const foreign = [
  [ClusterNetworkPolicy, { metadata: { name: 'antrea-mc-theirs' }, spec: strictIsolation }],
  [
    LabelIdentity,
    {
      metadata: { name: 'theirs', labels: { 'app.kubernetes.io/managed-by': 'somebody' } },
      spec: { label: 'ns:&pod:', id: 7 },
    },
  ],
  [
    ClusterInfoImport,
    {
      metadata: {
        name: 'theirs',
        namespace: memberNamespace,
        labels: { 'app.kubernetes.io/managed-by': 'somebody' },
      },
      spec: { clusterID: 'theirs' },
    },
  ],
] as const;

beforeAll(async () => {
  fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    stretched: true,
    join: false,
  });
  members().forEach((member) => servePolicies(member));
  await fleet.clock.settle();
  for (const member of members()) {
    putTier(member, 'securityops');
    const { admin } = member.server;
    admin.put(Namespace, { metadata: { name: 'shop' } });
    for (const [type, object] of foreign) admin.put<KubernetesObject>(type, object);
    putPod(member, 'base');
  }
  fleet.join();
  fleet.clusters.forEach((one) => one.start());
  const round = change();
  await untilCurrent(round, 60_000);
  await fleet.clock.advance(10_000);
  for (const { name, server } of fleet.clusters) {
    server.admin.onChange(({ before, after }) => {
      if (before === undefined) return;
      const what = `${name}: ${before.kind} ${before.metadata.name}`;
      if (before.metadata.name.includes('theirs')) breaches.push(`${what} was touched`);
      if (!isLasting(before) || before.metadata.name === `${isAway}-clusterinfo`) return;
      if (after === undefined) breaches.push(`${what} vanished`);
      else if (numberIn(before) !== numberIn(after)) breaches.push(`${what} has another number`);
    });
  }
});
beforeEach(() => void breaches.splice(0));
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('networks, policies and label identities stay, and follow what changed meanwhile, when the API server', () => {
  const ways = [
    ['east-member', 'east'],
    ['east-member', 'north'],
    ['north-leader', 'north'],
  ] as const;
  const all = ways.flatMap(([controller, server]) =>
    serverFaults.map(([what, fault, which]) => ({ controller, server, what, fault, which })),
  );
  const visited = sweepOf(all, { oneIn: 14, kindOf: ({ controller, server }) => `${controller} ${server}` });

  it.each(visited)('$server of $controller $what', async ({ controller, server, fault, which }) => {
    const mend = fleet.link(controller, server).add({ match: (request) => isBefallen(request, which), fault });
    await fleet.clock.advance(3_000);
    const round = change();
    await fleet.clock.advance(60_000);
    mend();
    await fleet.clock.advance(consequencesMs(fault));
    await untilCurrent(round, 120_000);
    await fleet.clock.advance(10_000);
    expect([...breaches, ...differences(round)]).toEqual([]);
  });

  it.each(['refuse', 'silence'] as const)('is cut off from a member for a minute: %s', async (how) => {
    const link = fleet.link('east-member', 'north');
    link.cut(how);
    await fleet.clock.advance(1_000);
    const round = change();
    await fleet.clock.advance(60_000);
    link.heal();
    await untilCurrent(round, 60_000);
    expect(breaches).toEqual([]);
  });

  it('has the watches of one kind late, so that changes of one moment arrive in another order', async () => {
    const kinds = ['resourceimports', 'resourceexports', 'labelidentities', 'clusternetworkpolicies', 'pods'];
    const mend = ways.flatMap(([controller, server], way) =>
      kinds.map((plural, index) =>
        fleet.link(controller, server).add({
          match: ({ method, path }) => method === 'GET' && path.endsWith(`/${plural}`),
          fault: { kind: 'latency', ms: 500 + 1_900 * ((index * 2 + way) % kinds.length) },
        }),
      ),
    );
    for (const { server } of fleet.clusters) server.admin.compact();
    for (const [controller, server] of ways)
      fleet.link(controller, server).add({
        match: (request) => isBefallen(request, 'streams'),
        fault: { kind: 'end-stream', afterLines: 1 },
        times: 20,
      });
    let round = change();
    for (let times = 0; times < 3; times++) {
      await fleet.clock.advance(1_700);
      round = change();
    }
    await untilCurrent(round, 120_000);
    mend.forEach((undo) => undo());
    await fleet.clock.advance(30_000);
    expect([...breaches, ...differences(round)]).toEqual([]);
  });

  it.runIf(checksAllPoints())('is cut off from a member for a day, which the others then forget', async () => {
    isAway = 'east';
    const link = fleet.link('east-member', 'north');
    link.cut('silence');
    await fleet.clock.advance(60_000);
    const round = change();
    await fleet.clock.advance(25 * 3_600_000);
    const ofEast = fleet.leader.server.admin
      .list(ResourceExport, leaderNamespace)
      .filter(({ spec }) => spec?.clusterID === 'east');
    expect(ofEast).toEqual([]);
    link.heal();
    await untilCurrent(round, 120_000);
    isAway = undefined;
    expect(breaches).toEqual([]);
  });
});
