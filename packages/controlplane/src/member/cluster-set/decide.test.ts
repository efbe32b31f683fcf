import type { ClusterSet } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { MemberClusterSetInput, ProblemInput } from './decide.ts';
import { decideMemberStatus, problemOf } from './decide.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');
const clusterSet: ClusterSet = {
  metadata: { name: 'fleet', namespace: 'kube-system', generation: 2 },
  spec: { clusterID: 'west', leaders: [{ clusterID: 'north' }] },
};
const joined: MemberClusterSetInput['membership'] = {
  kind: 'joined',
  spec: {
    namespace: 'kube-system',
    clusterSet: 'fleet',
    clusterID: 'west',
    leaderClusterID: 'north',
    server: 'https://north.test:6443',
    leaderNamespace: 'antrea-multicluster',
    secret: 'leader-token',
    caPem: 'a certificate',
    token: 'a token',
  },
};
const disconnected: MemberClusterSetInput['session'] = {
  kind: 'disconnected',
  reason: 'Disconnected',
  why: 'no answer',
};

const decide = (input: Partial<MemberClusterSetInput> = {}) =>
  decideMemberStatus({
    clusterSet,
    served: clusterSet,
    membership: joined,
    session: undefined,
    denied: [],
    missing: [],
    unserved: [],
    older: [],
    held: 0,
    excluded: [],
    nowMs,
    ...input,
  });
const overall = (input: Partial<MemberClusterSetInput>) => {
  const found = conditionOf(decide(input).conditions, 'Ready');
  return { status: found?.status, reason: found?.reason, message: found?.message };
};
/** `type status` of each condition of the leader. */
const ofLeader = (status: ReturnType<typeof decide>) =>
  (status.clusterStatuses?.[0]?.conditions ?? []).map((condition) => `${condition.type} ${condition.status}`);

describe("the status of a member's ClusterSet", () => {
  it('is not Ready while the leader is lost, with no ready cluster of one', () => {
    const status = decide({ session: disconnected });
    expect(overall({ session: disconnected })).toEqual({
      status: 'False',
      reason: 'Disconnected',
      message: 'Disconnected from leader: no answer',
    });
    expect(status).toMatchObject({ totalClusters: 1, readyClusters: 0, observedGeneration: 2 });
    expect(ofLeader(status)).toEqual(['Ready False', 'ClusterConnected False']);
  });

  it('is Ready when the leader is Ready and IsLeader, with one ready cluster of one', () => {
    const status = decide({ session: { kind: 'connected' } });
    expect(overall({ session: { kind: 'connected' } })).toEqual({ status: 'True', reason: 'Connected', message: '' });
    expect(status).toMatchObject({ totalClusters: 1, readyClusters: 1 });
    expect(ofLeader(status)).toEqual(['Ready True', 'IsLeader True', 'ClusterConnected True']);
  });

  it('reports for a new session Ready Unknown and IsLeader False', () => {
    for (const session of [undefined, { kind: 'connecting' }] as const) {
      const status = decide({ session });
      expect(ofLeader(status)).toEqual(['Ready Unknown', 'IsLeader False', 'ClusterConnected Unknown']);
      expect(status.clusterStatuses?.[0]?.conditions?.map(({ message }) => message)).toEqual([
        'Leader cluster added',
        'Leader cluster added',
        'Leader cluster added',
      ]);
      expect(overall({ session })).toEqual({
        status: 'Unknown',
        reason: 'Connecting',
        message: 'Leader not yet connected',
      });
    }
  });

  it.each([
    [
      'a ClusterSet that cannot be served yet',
      { membership: { kind: 'pending', reason: 'SecretNotFound', message: 'no Secret' } },
      { status: 'False', reason: 'SecretNotFound', message: 'no Secret' },
    ],
    [
      'one that is being left',
      { membership: { kind: 'leaving', spec: undefined } },
      { status: 'False', reason: 'Leaving', message: 'This cluster is leaving the ClusterSet' },
    ],
    [
      'a second one',
      { served: { metadata: { name: 'first' } } },
      {
        status: 'False',
        reason: 'MultipleClusterSets',
        message:
          'This cluster is already in ClusterSet first; it can be in only one. Delete this one: kubectl -n kube-system delete clusterset fleet. To change to it instead, delete first: that removes the imports and exports of this cluster.',
      },
    ],
    [
      'a refused token',
      { session: { kind: 'disconnected', reason: 'Unauthorized', why: 'issue a new token' } },
      { status: 'False', reason: 'Unauthorized', message: 'Disconnected from leader: issue a new token' },
    ],
  ] satisfies readonly (readonly [string, Partial<MemberClusterSetInput>, object])[])(
    'of %s reports why',
    (_, input, said) => {
      expect(overall(input)).toEqual(said);
    },
  );

  it('has no entry for a leader that it does not speak to', () => {
    expect(decide({ membership: { kind: 'pending', reason: 'SecretNotFound', message: 'y' } }).clusterStatuses).toEqual(
      [],
    );
    expect(decide({ served: { metadata: { name: 'first' } }, session: { kind: 'connected' } }).clusterStatuses).toEqual(
      [],
    );
  });

  it('keeps IsLeader and the times of what does not change when the leader is lost', () => {
    const before = decide({ session: { kind: 'connected' } });
    const later = decide({
      clusterSet: { ...clusterSet, status: before },
      session: disconnected,
      nowMs: nowMs + 60_000,
    });
    expect(
      later.clusterStatuses?.[0]?.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
    ).toEqual([
      ['Ready', '2026-11-21T12:01:00Z'],
      ['IsLeader', '2026-11-21T12:00:00Z'],
      ['ClusterConnected', '2026-11-21T12:01:00Z'],
    ]);
  });

  it('is the same when nothing has changed', () => {
    const before = decide({ session: { kind: 'connected' } });
    const again = decide({
      clusterSet: { ...clusterSet, status: before },
      session: { kind: 'connected' },
      nowMs: nowMs + 1,
    });
    expect(again).toEqual(before);
  });
});

describe('a problem that a person must solve before the cluster is a member', () => {
  const lost = (reason: 'Disconnected' | 'Unauthorized' | 'Refused') =>
    ({ kind: 'disconnected', reason, why: 'the cause' }) as const;
  const pending = { kind: 'pending', reason: 'SecretNotFound', message: 'the cause' } as const;
  const other: ClusterSet = { metadata: { name: 'second' } };

  it.each([
    ['the ClusterSet cannot be served', { membership: pending }, 'SecretNotFound'],
    ['the leader does not accept the token', { session: lost('Unauthorized') }, 'Unauthorized'],
    ['the leader rejects the member', { session: lost('Refused') }, 'Refused'],
    ['the leader does not answer, which may pass', { session: lost('Disconnected') }, undefined],
    ['the session is only beginning', { session: { kind: 'connecting' } }, undefined],
    ['all is well', { session: { kind: 'connected' } }, undefined],
    [
      'all is well, beside another ClusterSet',
      { session: { kind: 'connected' }, clusterSets: [clusterSet, other] },
      'MultipleClusterSets',
    ],
    [
      'a kind cannot be read in this cluster',
      { session: { kind: 'connected' }, unserved: ['gateways.multicluster.crd.antrea.io'] },
      'OutdatedManifests',
    ],
    ['this cluster denies something', { session: { kind: 'connected' }, denied: ['create services'] }, 'AccessDenied'],
    [
      'this cluster does not serve a kind that is needed',
      {
        session: { kind: 'connected' },
        missing: ['serviceimports.multicluster.x-k8s.io'],
        denied: ['create services'],
      },
      'KindsMissing',
    ],
    [
      'the cluster has the definitions of Antrea',
      { session: { kind: 'connected' }, older: ['serviceexports.multicluster.x-k8s.io'] },
      'OutdatedManifests',
    ],
    ['there is no ClusterSet', { served: undefined, clusterSets: [] }, undefined],
  ] satisfies readonly (readonly [string, Partial<ProblemInput>, string | undefined])[])(
    'is known where %s',
    (_, input, reason) => {
      const problem = problemOf({
        membership: joined,
        session: undefined,
        served: clusterSet,
        clusterSets: [clusterSet],
        denied: [],
        missing: [],
        unserved: [],
        older: [],
        ...input,
      });
      expect(problem?.reason).toBe(reason);
    },
  );
});
