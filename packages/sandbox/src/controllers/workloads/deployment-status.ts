import { conditionOf, equal, parseRfc3339, rfc3339 } from '@isthmus/machinery';
import type { Deployment, ReplicaSet, WorkloadCondition } from '../kinds.ts';
import { counted } from './replica-set.ts';
import type { Bounds } from './rollout.ts';
import { wantedOf } from './rollout.ts';

export interface DeploymentStatusInput {
  readonly deployment: Deployment;
  readonly replicas: number;
  readonly bounds: Bounds;
  /** The ReplicaSet of the present template; undefined while a paused Deployment has none. */
  readonly fresh: ReplicaSet | undefined;
  readonly all: readonly ReplicaSet[];
  readonly nowMs: number;
}

type Status = NonNullable<Deployment['status']>;

/** The status of a Deployment, conditions in the words of kube-controller-manager 1.36. */
export function deploymentStatus(input: DeploymentStatusInput): Status {
  const { deployment, all, fresh } = input;
  const total = sum(all, ({ status }) => status?.replicas);
  const wanted = sum(all, wantedOf);
  const available = sum(all, ({ status }) => status?.availableReplicas);
  const counts: Status = {
    observedGeneration: deployment.metadata.generation,
    ...counted('replicas', total),
    ...counted('updatedReplicas', fresh?.status?.replicas ?? 0),
    ...counted(
      'readyReplicas',
      sum(all, ({ status }) => status?.readyReplicas),
    ),
    ...counted('availableReplicas', available),
    ...counted('unavailableReplicas', Math.max(0, wanted - available)),
    terminatingReplicas: sum(all, ({ status }) => status?.terminatingReplicas),
    ...(deployment.status?.collisionCount !== undefined && { collisionCount: deployment.status.collisionCount }),
  };
  const conditions = [availableCondition(input, available), ...progressing(input, counts), ...failure(input)];
  return { ...counts, conditions: lastChangedLast(deployment.status?.conditions ?? [], conditions) };
}

/**
 * Orders conditions as kube-controller-manager does: unchanged ones first, in their order, then
 * changed ones.
 */
function lastChangedLast(
  before: readonly WorkloadCondition[],
  next: readonly WorkloadCondition[],
): readonly WorkloadCondition[] {
  const place = (condition: WorkloadCondition) => before.findIndex((one) => equal(one, condition));
  const kept = next.filter((condition) => place(condition) >= 0).toSorted((a, b) => place(a) - place(b));
  return [...kept, ...next.filter((condition) => place(condition) < 0)];
}

/** Milliseconds until the rollout counts as stuck; undefined if none is in progress. */
export function untilDeadlineMs({ spec, status }: Deployment, nowMs: number): number | undefined {
  const condition = conditionOf(status?.conditions, 'Progressing');
  const seconds = spec?.progressDeadlineSeconds ?? 600;
  if (condition?.status !== 'True' || condition.reason === 'NewReplicaSetAvailable' || seconds >= 2 ** 31 - 1)
    return undefined;
  return Math.max(0, (parseRfc3339(condition.lastUpdateTime) ?? nowMs) + seconds * 1_000 - nowMs);
}

function availableCondition(
  { deployment, replicas, bounds, nowMs }: DeploymentStatusInput,
  available: number,
): WorkloadCondition {
  const isAvailable = available >= replicas - bounds.unavailable;
  return timed(deployment, nowMs, {
    type: 'Available',
    status: isAvailable ? 'True' : 'False',
    reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: `Deployment ${isAvailable ? 'has' : 'does not have'} minimum availability.`,
  });
}

function progressing(input: DeploymentStatusInput, counts: Status): readonly WorkloadCondition[] {
  const { deployment, replicas, fresh, nowMs } = input;
  const before = conditionOf(deployment.status?.conditions, 'Progressing');
  const told = (status: 'True' | 'False' | 'Unknown', reason: string, message: string, isNews = false) => [
    timed(deployment, nowMs, { type: 'Progressing', status, reason, message }, isNews),
  ];
  if (deployment.spec?.paused === true) return told('Unknown', 'DeploymentPaused', 'Deployment is paused');
  if (fresh === undefined) return before === undefined ? [] : [before];
  const name = `ReplicaSet "${fresh.metadata.name}"`;
  const { updatedReplicas = 0, availableReplicas = 0, readyReplicas = 0 } = counts;
  const isComplete =
    updatedReplicas === replicas && (counts.replicas ?? 0) === replicas && availableReplicas === replicas;
  if (isComplete) return told('True', 'NewReplicaSetAvailable', `${name} has successfully progressed.`);
  // A complete rollout stays complete while Pods come and go, until the template changes.
  const isSameRollout = before?.message?.includes(`"${fresh.metadata.name}"`) === true;
  if (
    before !== undefined &&
    before.reason === 'NewReplicaSetAvailable' &&
    isSameRollout &&
    updatedReplicas === (counts.replicas ?? 0)
  )
    return [before];
  const had = deployment.status ?? {};
  const old = (status: Status) => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  const isNews =
    updatedReplicas > (had.updatedReplicas ?? 0) ||
    old(counts) < old(had) ||
    readyReplicas > (had.readyReplicas ?? 0) ||
    availableReplicas > (had.availableReplicas ?? 0);
  if (!isNews && before?.reason === 'ProgressDeadlineExceeded' && isSameRollout) return [before];
  if (!isNews && untilDeadlineMs(deployment, nowMs) === 0 && isSameRollout) {
    return told('False', 'ProgressDeadlineExceeded', `${name} has timed out progressing.`);
  }
  if (!isNews && isSameRollout) return [before];
  if (!isNews) return told('True', 'NewReplicaSetCreated', `Created new replica set "${fresh.metadata.name}"`);
  return told('True', 'ReplicaSetUpdated', `${name} is progressing.`, isNews);
}

/** The condition of ReplicaSets whose Pods are rejected; the current ReplicaSet has precedence. */
function failure({ fresh, all }: DeploymentStatusInput): readonly WorkloadCondition[] {
  const told = [...(fresh === undefined ? [] : [fresh]), ...all].flatMap(
    ({ status }) => conditionOf(status?.conditions, 'ReplicaFailure') ?? [],
  );
  return told.slice(0, 1).map((one) => ({ ...one, lastUpdateTime: one.lastTransitionTime }));
}

/** The conditions with the times of their last transition and of their last update. */
function timed(
  { status }: Deployment,
  nowMs: number,
  next: Omit<WorkloadCondition, 'lastTransitionTime' | 'lastUpdateTime'>,
  isNews = false,
): WorkloadCondition {
  const before = conditionOf(status?.conditions, next.type);
  const now = rfc3339(nowMs);
  const isSame =
    !isNews && before?.status === next.status && before.reason === next.reason && before.message === next.message;
  return {
    ...next,
    lastUpdateTime: (isSame ? before.lastUpdateTime : undefined) ?? now,
    lastTransitionTime: (before?.status === next.status ? before.lastTransitionTime : undefined) ?? now,
  };
}

function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((all, set) => all + (count(set) ?? 0), 0);
}
