import type { ClusterClaim, ClusterSet } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { exportLimits } from '../../common-area/limits.ts';
import type { LeaderClusterSetInput, MemberSeen } from './decide.ts';
import { decideLeaderClusterSet } from './decide.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const clusterSet: ClusterSet = {
  metadata: { name: 'fleet', namespace: 'antrea-multicluster', generation: 3 },
  spec: { clusterID: 'north', leaders: [{ clusterID: 'north' }], namespace: 'antrea-multicluster' },
};
const claim: ClusterClaim = { metadata: { name: 'id.k8s.io' }, value: 'north' };

const decide = (input: Partial<LeaderClusterSetInput> = {}) => {
  const served = input.served ?? input.clusterSet ?? clusterSet;
  return decideLeaderClusterSet({
    clusterSet,
    claims: [],
    members: [],
    held: 0,
    overLimits: { exportLimits, exports: [], announces: [] },
    version: '0.1.0',
    nowMs,
    ...input,
    served,
  });
};
const ready = (input: Partial<LeaderClusterSetInput>) => {
  const found = conditionOf(decide(input).status.conditions, 'Ready');
  return { status: found?.status, reason: found?.reason, message: found?.message };
};

function member(
  clusterID: string,
  options: { silentMs?: number; name?: string; clusterSetID?: string } = {},
): MemberSeen {
  const { silentMs = 0, name = `member-announce-from-${clusterID}`, clusterSetID = 'fleet' } = options;
  return {
    announce: { metadata: { name }, clusterID, clusterSetID, leaderClusterID: 'north' },
    liveness: silentMs === 0 ? { kind: 'connected', untilMs: 1, isHeard: true } : { kind: 'disconnected', silentMs },
  };
}

/** `clusterID status reason` of each member. */
const statuses = (members: readonly MemberSeen[], before?: ClusterSet['status']) =>
  (decide({ clusterSet: { ...clusterSet, status: before }, members }).status.clusterStatuses ?? []).map(
    ({ clusterID, conditions }) => {
      const found = conditionOf(conditions, 'Ready');
      return `${clusterID} ${found?.status} ${found?.reason}`;
    },
  );

describe("what a leader's ClusterSet reports of itself", () => {
  it.each([
    ['no members', {}, 'Unknown', 'NoMembers', 'No member has joined yet'],
    ['all members ready', { members: [member('east'), member('west')] }, 'True', 'AllClustersReady', ''],
    [
      'one of two silent',
      { members: [member('east'), member('west', { silentMs: 40_000 })] },
      'False',
      'NoReadyCluster',
      '1 of 2 clusters are ready; not ready: west (Disconnected). status.clusterStatuses has the details. In a cluster that is not ready, check that its controller runs, and read its ClusterSet: kubectl get pods -A -l component=antrea-mc-controller; kubectl describe clustersets -A',
    ],
    [
      'not its own leader',
      { clusterSet: { ...clusterSet, spec: { ...clusterSet.spec, leaders: [{ clusterID: 'south' }] } } },
      'False',
      'InvalidLeaders',
      'ClusterSet fleet: spec.leaders names "south", but this cluster is north. Set both to this cluster\'s ID.',
    ],
    [
      'no leader',
      { clusterSet: { ...clusterSet, spec: { ...clusterSet.spec, leaders: [] } } },
      'False',
      'InvalidLeaders',
      'ClusterSet fleet: spec.leaders has 0 entries; it must have exactly one, this cluster (north).',
    ],
    [
      'two leaders',
      {
        clusterSet: {
          ...clusterSet,
          spec: { ...clusterSet.spec, leaders: [{ clusterID: 'north' }, { clusterID: 'south' }] },
        },
      },
      'False',
      'InvalidLeaders',
      'ClusterSet fleet: spec.leaders has 2 entries; it must have exactly one, this cluster (north).',
    ],
    [
      'no spec',
      { clusterSet: { metadata: clusterSet.metadata } },
      'False',
      'ClusterIDNotSet',
      'ClusterSet fleet: spec.clusterID is not set. Set it to the ID of this cluster.',
    ],
    [
      'another one served',
      { served: { metadata: { name: 'older' } } },
      'False',
      'MultipleClusterSets',
      'ClusterSet older is already served in this Namespace; there can be only one. Delete this one: kubectl -n antrea-multicluster delete clusterset fleet. To change to it instead, delete older when its members have left.',
    ],
  ] satisfies readonly (readonly [string, Partial<LeaderClusterSetInput>, string, string, string])[])(
    '%s',
    (_, input, status, reason, message) => {
      expect(ready(input)).toEqual({ status, reason, message });
    },
  );

  it('counts its members, and reports which generation it has seen', () => {
    const { status } = decide({ members: [member('west'), member('east', { silentMs: 31_000 })] });
    expect(status).toMatchObject({ observedGeneration: 3, totalClusters: 2, readyClusters: 1 });
  });

  it('shows no members while it cannot be served', () => {
    const { status } = decide({ served: { metadata: { name: 'older' } }, members: [member('west')] });
    expect(status).toMatchObject({ totalClusters: 0, readyClusters: 0, clusterStatuses: [] });
  });
});

describe('the cluster ID from a ClusterClaim', () => {
  const without: ClusterSet = { ...clusterSet, spec: { leaders: [{ clusterID: 'north' }] } };

  it('is written into a spec that lacks it', () => {
    expect(decide({ clusterSet: without, claims: [claim] }).wanted.spec?.clusterID).toBe('north');
  });

  it.each([
    ['the spec has one', clusterSet, [claim]],
    ['there is no claim', without, []],
    ['the ClusterSet is not the one that is served', without, [claim]],
  ])('is not written where %s', (what, object, claims) => {
    const served = what.startsWith('the ClusterSet') ? { metadata: { name: 'older' } } : object;
    expect(decide({ clusterSet: object, claims, served }).wanted.spec?.clusterID).toBe(object.spec?.clusterID);
  });
});

describe('what it reports of its members', () => {
  it('the first announcement gives one status, Ready and Connected', () => {
    const [status] = decide({ members: [member('east')] }).status.clusterStatuses ?? [];
    const condition = {
      status: 'True',
      reason: 'Connected',
      message: 'Member Connected',
      lastTransitionTime: '2026-11-21T12:00:00Z',
    };
    expect(status).toEqual({
      clusterID: 'east',
      conditions: [
        { type: 'Ready', ...condition },
        { type: 'ClusterConnected', ...condition },
      ],
    });
  });

  it('a member that has left has no status', () => {
    const before = decide({ members: [member('east')] }).status;
    expect(decide({ clusterSet: { ...clusterSet, status: before } }).status.clusterStatuses).toEqual([]);
  });

  it('a silent member is not Ready, and the message gives the time since when', () => {
    const [status] = decide({ members: [member('east', { silentMs: 40_000 })] }).status.clusterStatuses ?? [];
    expect(conditionOf(status?.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Disconnected',
      message: 'No MemberClusterAnnounce update since 2026-11-21T11:59:20Z',
    });
  });

  it('a silent member keeps its message, so that no look is a write', () => {
    const first = decide({ members: [member('east', { silentMs: 40_000 })] }).status;
    const later = decide({
      clusterSet: { ...clusterSet, status: first },
      members: [member('east', { silentMs: 50_000 })],
    });
    expect(later.status).toEqual(first);
  });

  it('members are in the order of their IDs, whatever order they come in', () => {
    expect(statuses([member('west'), member('east'), member('a')])).toEqual([
      'a True Connected',
      'east True Connected',
      'west True Connected',
    ]);
  });

  it('a thousand are shown, and all are counted', () => {
    const members = Array.from({ length: 1_001 }, (_, index) => member(`m-${index}`));
    const { status } = decide({ members });
    expect(status).toMatchObject({ totalClusters: 1_001, readyClusters: 1_001 });
    expect(status.clusterStatuses).toHaveLength(1_000);
  });

  it.each([
    ['another ClusterSet', member('east', { clusterSetID: 'other' }), 'east False OtherClusterSet'],
    ['a name that is not its own', member('east', { name: 'impostor' }), 'east False InvalidAnnounce'],
    ['an ID that cannot be one', member('a'.repeat(64)), `${'a'.repeat(64)} False InvalidAnnounce`],
  ])('an announcement of %s is reported', (_, seen, said) => {
    expect(statuses([seen])).toEqual([said]);
  });

  it.each([
    ['before', ['impostor', 'member-announce-from-east']],
    ['after', ['member-announce-from-east', 'zz-impostor']],
  ])('of two announcements with one ID the true one speaks, the other one %s it', (_, names) => {
    const members = names.map((name) => member('east', { name }));
    const first = decide({ members }).status;
    expect(statuses(members)).toEqual(['east True Connected']);
    expect(decide({ clusterSet: { ...clusterSet, status: first }, members: members.toReversed() }).status).toEqual(
      first,
    );
  });
});

describe('the ClusterSet to have', () => {
  it('publishes the version and the wire of the leader to the members', () => {
    expect(decide().wanted.metadata.annotations).toEqual({ 'isthmus.dev/version': '0.1.0', 'isthmus.dev/wire': '2' });
  });

  it('is left alone where another one is served', () => {
    expect(decide({ served: { metadata: { name: 'older' } } }).wanted).toEqual(clusterSet);
  });
});

describe('a problem that a person must solve', () => {
  it.each([
    ['another ClusterSet is served', { served: { metadata: { name: 'older' } } }, 'MultipleClusterSets'],
    ['there is no cluster ID', { clusterSet: { ...clusterSet, spec: { leaders: [] } } }, 'ClusterIDNotSet'],
    ['a member is silent', { members: [member('east', { silentMs: 40_000 })] }, undefined],
    ['nothing is wrong', { members: [member('east')] }, undefined],
  ])('is known where %s', (_, input, reason) => {
    expect(decide(input).problem?.reason).toBe(reason);
  });
});

it('knows when the first member that is heard from would fall silent', () => {
  const connected = (clusterID: string, untilMs: number): MemberSeen => ({
    ...member(clusterID),
    liveness: { kind: 'connected', untilMs, isHeard: true },
  });
  const silent = member('south', { silentMs: 40_000 });
  expect(decide({ members: [connected('east', 9_000), connected('west', 7_000), silent] }).silentFromMs).toBe(7_000);
  expect(decide({ members: [silent] }).silentFromMs).toBeUndefined();
});

describe('a cluster that exports more than the leader accepts', () => {
  const usage = (owner: string) => ({ owner, objects: 215, bytes: 279_500_000, objectsOver: 166 });
  const ignored = (input: Partial<LeaderClusterSetInput>) =>
    conditionOf(decide(input).status.conditions, 'ExportsIgnored');
  const reported = () => ({
    ...clusterSet,
    status: decide({ overLimits: { exportLimits, exports: [usage('east')], announces: [] } }).status,
  });

  it('is named with what it has', () => {
    const overLimits = { exportLimits, exports: [usage('east'), usage('')], announces: [] };
    expect(ignored({ overLimits })).toMatchObject({ status: 'True' });
    expect(ignored({ overLimits })?.message).toMatch(
      /^cluster east: 215 ResourceExports, 279\.5 MB, .* 166 are ignored; ResourceExports without a valid cluster ID: /,
    );
  });

  it('reads in it how much a leader accepts', () => {
    const overLimits = { exportLimits, exports: [usage('east')], announces: [] };
    expect(ignored({ overLimits })?.message).toContain(
      'A leader accepts 40000 ResourceExports and 64 MB from one cluster, and 256 MB in all.',
    );
    const limits = { objects: 7, bytes: 1_000_000, allBytes: 2_500_000 };
    expect(ignored({ overLimits: { ...overLimits, exportLimits: limits } })?.message).toContain(
      'A leader accepts 7 ResourceExports and 1 MB from one cluster, and 2.5 MB in all.',
    );
  });

  it('is named where it has more, or larger, announcements than a leader reads', () => {
    const announces = [{ owner: 'east', objects: 40, bytes: 3_200_000, objectsOver: 30 }];
    expect(ignored({ overLimits: { exportLimits, exports: [], announces } })?.message).toMatch(
      /^cluster east: 40 MemberClusterAnnounces, 3\.2 MB, of which the newest 30 are not read in full\. A leader expects one per cluster/,
    );
    expect(ignored({ overLimits: { exportLimits, exports: [usage('west')], announces } })?.message).toMatch(
      /^cluster west: 215 ResourceExports, .*\. cluster east: 40 MemberClusterAnnounces/,
    );
  });

  it.each([
    ['is no longer reported when it keeps to the limits', { exportLimits, exports: [], announces: [] }, false],
    ['stays reported until the exports have been read', undefined, true],
  ])('%s', (_, overLimits, isReported) => {
    expect(ignored({ clusterSet: reported(), overLimits }) !== undefined).toBe(isReported);
  });
});

it('clusters that export without an announcement are named, ten at most, on the ClusterSet that is served, and not on another', () => {
  const ids = Array.from({ length: 12 }, (_, index) => `c${10 + index}`);
  const found = (input: Partial<LeaderClusterSetInput>) =>
    conditionOf(decide({ unannounced: ids, ...input }).status.conditions, 'ExportersNotAnnounced');
  expect(found({})).toMatchObject({ status: 'True', reason: 'ExporterNotAnnounced' });
  expect(found({})?.message).toContain(`: ${ids.slice(0, 10).join(', ')} and 2 more. The leader does not notice`);
  expect(found({ unannounced: [] })).toBeUndefined();
  const served = { ...clusterSet, metadata: { ...clusterSet.metadata, name: 'other' } };
  expect(found({ served })).toBeUndefined();
});

it('accounts of members that are not bound to a cluster are reported on the ClusterSet that is served, and not on another', () => {
  const found = (input: Partial<LeaderClusterSetInput>) =>
    conditionOf(decide({ unbound: ['First.', 'Second.'], ...input }).status.conditions, 'AccountsNotBound');
  expect(found({})).toMatchObject({ status: 'True', reason: 'AccountNotBound', message: 'First. Second.' });
  expect(found({ unbound: [] })).toBeUndefined();
  const served = { ...clusterSet, metadata: { ...clusterSet.metadata, name: 'other' } };
  expect(found({ served })).toBeUndefined();
});
