import * as api from '@isthmus/api';
import {
  ClusterRoleBinding,
  ClusterSet,
  CustomResourceDefinition,
  Namespace,
  ResourceImport,
  Secret,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  derivedCart,
  eventsOf,
  exportCart,
  exportCondition,
  importedSlices,
  leaderNamespace,
  leaderSecret,
  memberNamespace,
  putPod,
  unexportService,
} from '@isthmus/fleet-sim';
import { conditionOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { failedCalls } from '../adversary/testing/truths/probe.ts';
import { deleteDefinition } from '../testing/deleted-definitions.ts';

const http = [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 8080 }];
const ofMember = { namespace: memberNamespace, name: clusterSetName };
const ofLeader = { namespace: leaderNamespace, name: clusterSetName };

type Inject = (fleet: VirtualFleet) => void;

type Admin = VirtualFleet['leader']['server']['admin'];
const inCluster =
  (name: string) =>
  (act: (admin: Admin) => void): Inject =>
  (fleet) =>
    act(fleet.cluster(name).server.admin);
const [inEast, inWest] = [inCluster('east'), inCluster('west')];
const specOfEast = (spec: object) => inEast((admin) => admin.patch(ClusterSet, ofMember, { spec }));
const rejected = (cluster: string, server: string, part: string, code: number): Inject => {
  return (fleet) =>
    void fleet.link(`${cluster}-member`, server).add({
      match: ({ path, method }) => method !== 'GET' && path.includes(part),
      fault: { kind: 'status', code },
    });
};

/** The reasons of severity error about which something says Ready, and what leads to them. */
const injections: Readonly<Record<string, Inject>> = {
  'memberClusterSet Disconnected': (fleet) => fleet.link('east-member', 'north').cut('refuse'),
  'memberClusterSet Unauthorized': (fleet) => fleet.revoke('member-east'),
  'memberClusterSet Refused': rejected('east', 'north', '/memberclusterannounces', 403),
  'memberClusterSet LeaderControllerSilent': ({ leader }) => leader.kill(),
  'memberClusterSet LeaderClusterSetMissing': ({ leader }) => leader.server.admin.delete(ClusterSet, ofLeader),
  'memberClusterSet LeaderKindsMissing': (fleet) => void deleteDefinition(fleet, 'resourceimports'),
  'memberClusterSet OtherClusterSet'({ leader: { server, name } }) {
    server.admin.delete(ClusterSet, ofLeader);
    const metadata = { namespace: leaderNamespace, name: 'acme' };
    server.admin.put(ClusterSet, { metadata, spec: { clusterID: name, leaders: [{ clusterID: name }] } });
  },
  'memberClusterSet AccessDenied'(fleet) {
    fleet.cluster('east').server.admin.delete(ClusterRoleBinding, { name: 'member' });
    fleet.cluster('east').kill();
    fleet.cluster('east').start();
  },
  'memberClusterSet KindsMissing': inEast((admin) =>
    admin.delete(CustomResourceDefinition, { name: 'serviceimports.multicluster.x-k8s.io' }),
  ),
  'memberClusterSet InvalidLeaders': specOfEast({ leaders: [{ clusterID: '' }] }),
  'memberClusterSet InvalidServer': specOfEast({
    leaders: [{ clusterID: 'north', server: 'nonsense', secret: leaderSecret.name }],
  }),
  'memberClusterSet InvalidNamespace': specOfEast({ namespace: '' }),
  'memberClusterSet InvalidSecret': inEast((admin) => admin.patch(Secret, leaderSecret, { data: { token: null } })),
  'memberClusterSet SecretNotFound': inEast((admin) => admin.delete(Secret, leaderSecret)),
  'memberClusterSet MultipleClusterSets': inEast((admin) => {
    const { spec } = admin.get(ClusterSet, ofMember) ?? {};
    admin.put(ClusterSet, { metadata: { namespace: memberNamespace, name: 'second' }, spec });
  }),
  'leaderClusterSet Disconnected': (fleet) => fleet.cluster('west').kill(),
  'leaderClusterSet NoReadyCluster': (fleet) => fleet.cluster('west').kill(),
  'leaderClusterSet InvalidLeaders': ({ leader: { server } }) =>
    void server.admin.patch(ClusterSet, ofLeader, { spec: { leaders: [{ clusterID: 'other' }] } }),
  'leaderClusterSet KindsMissing': (fleet) => void deleteDefinition(fleet, 'resourceexports'),
  'serviceExport NoService': inWest((admin) => admin.delete(Service, cart)),
  'serviceExport InvalidServiceType': inWest((admin) => {
    admin.delete(Service, cart);
    admin.put(Service, { metadata: cart, spec: { type: 'ExternalName', externalName: 'example.com' } });
  }),
  'serviceExport Disconnected': (fleet) => fleet.link('west-member', 'north').cut('refuse'),
  'serviceExport Failed': rejected('west', 'north', '/resourceexports', 422),
  'serviceImport BeingDeleted': (fleet) => {
    const { admin } = fleet.cluster('east').server;
    admin.patch(ServiceImport, cart, { metadata: { finalizers: ['example.com/keep'] } });
    unexportService(fleet.cluster('west'));
  },
  'serviceImport NodeLocalTraffic': inWest((admin) =>
    admin.patch(Service, cart, { spec: { internalTrafficPolicy: 'Local' } }),
  ),
  'serviceImport ServiceNameTaken': inEast((admin) =>
    admin.patch(Service, derivedCart, {
      metadata: { labels: null, annotations: null },
      spec: { selector: { app: 'x' } },
    }),
  ),
  'serviceImport WriteRejected': rejected('east', 'east', '/endpointslices', 422),
};

/** Those with a story of their own in calls.test.ts. */
const inOtherStories = new Set([
  'serviceImport ClusterNotReached',
  'serviceImport NetworkConflict',
  'serviceImport NoDataPlane',
  'serviceImport PacketsTooLarge',
]);

/** Why no object can be Ready and false because of the others. */
const unrelated: Readonly<Record<string, RegExp>> = {
  'are reported where an import is not written, so nothing is Ready':
    /^serviceImport (NameTooLong|ForeignServiceImport|IPFamilyNotSupported|InvalidResourceImport)$/,
  'concern ranges and gateways; an import with endpoints there has NetworkConflict or ClusterNotReached':
    /^(clusterInfoImport|gateway|node|knownCluster) |^resourceExport (Range|Gateway|OutsideGrant)|^memberClusterSet (RangeOverlaps|RangeNotAllowed|GatewayTaken|OutsideGrant)$|DataPlaneDiffers$|PoolExhausted$/,
  'are mirrored by the ServiceExport, which is not Ready':
    /^resourceExport (ConvergeFailure|KindNotSupported|ImportRejected)$|^serviceExport (NotExportable|ImportedService)$/,
  'concern policies and labels, which have no Ready':
    /Label|Number|Polic(y|ies)|Tier|^resourceImport |^memberClusterSet BeingDeleted$/,
  'concern what may be written, or the next start':
    /Admission|ConfigurationRejected|InvalidConfiguration|MemberNotSuspended/,
  'are on a ClusterSet that is not served': /^leaderClusterSet (MultipleClusterSets|ClusterIDNotSet|InvalidClusterID)$/,
  'cannot happen to a ClusterSet that was joined: its cluster ID is immutable':
    /^memberClusterSet (ClusterIDNotSet|InvalidClusterID)$/,
  'are rejected writes of a status or an annotation, which the API server alone explains':
    /StatusRejected$|^leaderClusterSet (WriteRejected|UpdateRejected)$|^memberClusterSet (UpdateRejected|NotWatched)$|WithdrawalRejected$/,
  'say that one member is ignored, whose own ClusterSet is not Ready':
    /^leaderClusterSet (InvalidAnnounce|OtherClusterSet)$|^memberClusterSet RenewalFailed$/,
};

const errorReasons = Object.entries(api).flatMap(([name, status]) => {
  const reasons = (status as { reasons?: Readonly<Record<string, { severity: string }>> } | undefined)?.reasons;
  if (!name.endsWith('Status') || reasons === undefined) return [];
  return Object.entries(reasons).flatMap(([reason, { severity }]) =>
    severity === 'error' ? [`${name.replace('Status', '')} ${reason}`] : [],
  );
});

async function fleetWithCart(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    endpointIPType: 'PodIP',
  });
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  east.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
  exportCart(west, '10.20.1.5', http);
  await fleet.until('east imports it', () => importedSlices(east).length > 0);
  return fleet;
}

/** What cannot be said on the import: another object does. */
const elsewhere: Readonly<Record<string, RegExp>> = {
  // The leader rejects changes of the export, which only the exporter knows: its ServiceExport.
  'serviceExport Failed': /^ServiceImport of east/,
  // Imports can neither be read nor written: the ClusterSet.
  'memberClusterSet AccessDenied': /^ServiceImport of east/,
};

/** What is Ready=True and false. */
function falseStatements(fleet: VirtualFleet): readonly string[] {
  const [east, west] = [fleet.cluster('east'), fleet.cluster('west')];
  const imports = [east, west].flatMap((member) => {
    if (!member.running('member') || !isServed(member.server.admin)) return [];
    const { status } = member.server.admin.get(ServiceImport, cart) ?? {};
    if (conditionOf(status?.conditions, 'Ready')?.status !== 'True') return [];
    const [failed] = failedCalls(fleet, member, cart, () => true);
    return failed === undefined ? [] : [`ServiceImport of ${member.name}: ${failed.why}`];
  });
  const isMerged = () =>
    fleet.leader.server.admin.list(ResourceImport).some((object) => JSON.stringify(object.spec).includes('10.20.1.6'));
  const isExported = west.running('member') && exportCondition(west, 'Ready').startsWith('True');
  const isFalse = isExported && (west.server.admin.get(ServiceExport, cart) === undefined || !isMerged());
  const follows = (name: string) => {
    const cluster = fleet.cluster(name);
    return importedSlices(cluster).some((line) => line.includes('10.20.1.6'));
  };
  const clusterSet = clusterSetCondition(east);
  return [
    ...imports,
    ...(isFalse ? ['ServiceExport of west: the leader does not have its endpoints'] : []),
    // Where the import is false, its ClusterSet must not be Ready.
    ...(clusterSet.startsWith('True') && isExported && imports.length > 0 && !follows('east')
      ? [`ClusterSet of east is ${clusterSet}`]
      : []),
  ];
}

function isServed(admin: Admin): boolean {
  return admin.get(CustomResourceDefinition, { name: 'serviceimports.multicluster.x-k8s.io' }) !== undefined;
}

/** Whether a condition or an Event has the reason. */
function isReported(fleet: VirtualFleet, reason = ''): boolean {
  return fleet.clusters.some(
    (cluster) =>
      cluster.server.admin.snapshot().includes(`"reason":"${reason}"`) ||
      eventsOf(cluster).some((event) => event.startsWith(`${reason} `)),
  );
}

describe('no object is Ready=True and does not work', () => {
  it.each(Object.entries(injections))('while %s is reported', async (title, inject) => {
    await using fleet = await fleetWithCart();
    await fleet.clock.advance(20_000);
    inject(fleet);
    await fleet.clock.advance(30_000);
    const west = fleet.cluster('west');
    putPod(west, 'cart-1', '10.20.1.5', { ready: false });
    putPod(west, 'cart-2', '10.20.1.6');
    await fleet.clock.advance(65_000);
    expect(falseStatements(fleet).filter((one) => elsewhere[title]?.test(one) !== true)).toEqual([]);
    expect(isReported(fleet, title.split(' ')[1])).toBe(true);
  });

  it('for a reason of severity error that is not in the table', () => {
    const isKnown = (one: string) =>
      one in injections || inOtherStories.has(one) || Object.values(unrelated).some((pattern) => pattern.test(one));
    expect(errorReasons.filter((one) => !isKnown(one))).toEqual([]);
    expect(Object.keys(injections).filter((one) => !errorReasons.includes(one))).toEqual([]);
    for (const [why, pattern] of Object.entries(unrelated))
      expect([why, errorReasons.some((one) => pattern.test(one))]).toEqual([why, true]);
  });
});
