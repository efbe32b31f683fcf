import { rfc3339 } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { Deployment, ReplicaSet, WorkloadCondition } from '../kinds.ts';
import type { DeploymentStatusInput } from './deployment-status.ts';
import { deploymentStatus, untilDeadlineMs } from './deployment-status.ts';

const nowMs = Date.UTC(2026, 10, 21, 12);
const now = rfc3339(nowMs);
const earlier = rfc3339(nowMs - 60_000);
const longAgo = rfc3339(nowMs - 3_600_000);

type SetStatus = NonNullable<ReplicaSet['status']>;

const set = (name: string, wanted: number, status: SetStatus = {}): ReplicaSet => ({
  metadata: { name },
  spec: { replicas: wanted, selector: {}, template: {} },
  status,
});
/** A ReplicaSet whose Pods are all available, or only some of them. */
const running = (name: string, wanted: number, available = wanted) =>
  set(name, wanted, { replicas: wanted, readyReplicas: available, availableReplicas: available });

const deployment = (status: Deployment['status'] = {}, spec: object = {}): Deployment => ({
  metadata: { name: 'web', generation: 7 },
  spec: { replicas: 2, selector: {}, template: {}, ...spec },
  status,
});
const condition = (
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
  [lastTransitionTime, lastUpdateTime] = [now, now],
): WorkloadCondition => ({ type, status, reason, message, lastTransitionTime, lastUpdateTime });
const progressing = (status: 'True' | 'False' | 'Unknown', reason: string, message: string, times?: [string, string]) =>
  condition('Progressing', status, reason, message, times);

const statusOf = (more: Partial<DeploymentStatusInput>) =>
  deploymentStatus({
    deployment: deployment(),
    replicas: 2,
    bounds: { surge: 1, unavailable: 0 },
    fresh: undefined,
    all: more.fresh === undefined ? [] : [more.fresh],
    nowMs,
    ...more,
  });
const progressOf = (more: Partial<DeploymentStatusInput>) =>
  statusOf(more).conditions?.filter(({ type }) => type === 'Progressing');

describe('the status of a Deployment', () => {
  it('has the counts of all ReplicaSets, without those that are 0', () => {
    const fresh = set('new', 2, { replicas: 1, readyReplicas: 1, availableReplicas: 1 });
    const old = set('old', 1, { replicas: 1, readyReplicas: 1, terminatingReplicas: 2 });
    const { conditions: _, ...counts } = statusOf({
      fresh,
      all: [fresh, old],
      deployment: deployment({ collisionCount: 3 }),
    });
    expect(counts).toEqual({
      observedGeneration: 7,
      replicas: 2,
      updatedReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 1,
      unavailableReplicas: 2,
      terminatingReplicas: 2,
      collisionCount: 3,
    });
    const { conditions: _none, ...none } = statusOf({});
    expect(none).toEqual({ observedGeneration: 7, terminatingReplicas: 0 });
  });

  it.each([
    [2, 0, 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'],
    [1, 1, 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'],
    [1, 0, 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'],
  ] as const)(
    'with %i of 2 available, of which %i may be missing: Available is %s',
    (available, unavailable, status, reason, message) => {
      const { conditions } = statusOf({ fresh: running('new', 2, available), bounds: { surge: 1, unavailable } });
      expect(conditions?.find(({ type }) => type === 'Available')).toEqual(
        condition('Available', status, reason, message),
      );
    },
  );

  it('keeps the times of a condition that has not changed, and puts changed ones last', () => {
    const before = [
      progressing('True', 'ReplicaSetUpdated', 'ReplicaSet "new" is progressing.', [longAgo, earlier]),
      condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.', [
        longAgo,
        longAgo,
      ]),
    ];
    expect(statusOf({ fresh: running('new', 2), deployment: deployment({ conditions: before }) }).conditions).toEqual([
      before[1],
      progressing('True', 'NewReplicaSetAvailable', 'ReplicaSet "new" has successfully progressed.', [longAgo, now]),
    ]);
  });

  it('reports the Pods that are rejected, those of the current ReplicaSet first', () => {
    const failing = (name: string) =>
      set(name, 1, {
        conditions: [condition('ReplicaFailure', 'True', 'FailedCreate', `${name} is rejected`, [longAgo, now])],
      });
    const [fresh, old] = [failing('new'), failing('old')];
    const failures = (more: Partial<DeploymentStatusInput>) =>
      statusOf(more).conditions?.filter(({ type }) => type === 'ReplicaFailure');
    const failure = (name: string) =>
      condition('ReplicaFailure', 'True', 'FailedCreate', `${name} is rejected`, [longAgo, longAgo]);
    expect(failures({ fresh, all: [old, fresh] })).toEqual([failure('new')]);
    expect(failures({ fresh: running('new', 2), all: [old] })).toEqual([failure('old')]);
    expect(failures({ fresh: running('new', 2) })).toEqual([]);
  });
});

describe('the progress of a Deployment', () => {
  const complete = progressing('True', 'NewReplicaSetAvailable', 'ReplicaSet "new" has successfully progressed.', [
    longAgo,
    longAgo,
  ]);
  const updated = (times: [string, string]) =>
    progressing('True', 'ReplicaSetUpdated', 'ReplicaSet "new" is progressing.', times);
  const exceeded = progressing('False', 'ProgressDeadlineExceeded', 'ReplicaSet "new" has timed out progressing.', [
    earlier,
    earlier,
  ]);
  const created = progressing('True', 'NewReplicaSetCreated', 'Created new replica set "new"', [earlier, earlier]);
  const half = running('new', 2, 1);
  const halfBefore = { replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 };

  it.each<readonly [string, Partial<DeploymentStatusInput>, readonly WorkloadCondition[]]>([
    [
      'is unknown while it is paused',
      { fresh: running('new', 2), deployment: deployment({}, { paused: true }) },
      [progressing('Unknown', 'DeploymentPaused', 'Deployment is paused')],
    ],
    ['is unknown without a ReplicaSet', {}, []],
    ['stays what it was without a ReplicaSet', { deployment: deployment({ conditions: [complete] }) }, [complete]],
    [
      'is complete when all Pods are new and available',
      { fresh: running('new', 2) },
      [progressing('True', 'NewReplicaSetAvailable', 'ReplicaSet "new" has successfully progressed.')],
    ],
    [
      'is not complete while Pods of an old ReplicaSet run',
      { fresh: running('new', 2), all: [running('new', 2), running('old', 1)] },
      [progressing('True', 'ReplicaSetUpdated', 'ReplicaSet "new" is progressing.')],
    ],
    [
      'stays complete while a Pod is replaced',
      { fresh: half, deployment: deployment({ conditions: [complete] }) },
      [complete],
    ],
    [
      'begins again with the ReplicaSet of another template',
      {
        fresh: set('newer', 2),
        all: [set('newer', 2), running('new', 2)],
        deployment: deployment({
          ...halfBefore,
          readyReplicas: 2,
          availableReplicas: 2,
          updatedReplicas: 0,
          conditions: [complete],
        }),
      },
      [progressing('True', 'NewReplicaSetCreated', 'Created new replica set "newer"', [longAgo, now])],
    ],
    [
      'moves its time with each new Pod that is ready',
      {
        fresh: half,
        deployment: deployment({ ...halfBefore, readyReplicas: 0, conditions: [updated([longAgo, earlier])] }),
      },
      [updated([longAgo, now])],
    ],
    [
      'keeps its time while nothing changes',
      { fresh: half, deployment: deployment({ ...halfBefore, conditions: [updated([longAgo, earlier])] }) },
      [updated([longAgo, earlier])],
    ],
    [
      'keeps its first reason while nothing changes',
      { fresh: half, deployment: deployment({ ...halfBefore, conditions: [created] }) },
      [created],
    ],
    [
      'has timed out when nothing has changed until the deadline',
      { fresh: half, deployment: deployment({ ...halfBefore, conditions: [updated([longAgo, longAgo])] }) },
      [progressing('False', 'ProgressDeadlineExceeded', 'ReplicaSet "new" has timed out progressing.')],
    ],
    [
      'stays timed out while nothing changes',
      { fresh: half, deployment: deployment({ ...halfBefore, conditions: [exceeded] }) },
      [exceeded],
    ],
    [
      'goes on after the deadline when a Pod is ready',
      { fresh: half, deployment: deployment({ ...halfBefore, availableReplicas: 0, conditions: [exceeded] }) },
      [progressing('True', 'ReplicaSetUpdated', 'ReplicaSet "new" is progressing.')],
    ],
  ])('%s', (_, more, expected) => {
    expect(progressOf(more)).toEqual(expected);
  });
});

describe('the time until a rollout counts as stuck', () => {
  const updatedAt = (at: string, reason = 'ReplicaSetUpdated', status: 'True' | 'False' = 'True') => ({
    conditions: [progressing(status, reason, '', [longAgo, at])],
  });

  it.each<readonly [string, Deployment, number | undefined]>([
    ['is ten minutes after its last progress', deployment(updatedAt(earlier)), 540_000],
    ['is as long as the Deployment asks', deployment(updatedAt(earlier), { progressDeadlineSeconds: 90 }), 30_000],
    ['is over', deployment(updatedAt(longAgo)), 0],
    [
      'is endless with the largest deadline',
      deployment(updatedAt(earlier), { progressDeadlineSeconds: 2_147_483_647 }),
      undefined,
    ],
    ['is undefined for a complete rollout', deployment(updatedAt(earlier, 'NewReplicaSetAvailable')), undefined],
    [
      'is undefined for one that has timed out',
      deployment(updatedAt(earlier, 'ProgressDeadlineExceeded', 'False')),
      undefined,
    ],
    ['is undefined before the first report', deployment(), undefined],
  ])('%s', (_, one, expected) => {
    expect(untilDeadlineMs(one, nowMs)).toBe(expected);
  });
});
