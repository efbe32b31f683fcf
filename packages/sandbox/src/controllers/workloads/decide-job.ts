import { conditionOf, setCondition } from '@isthmus/machinery';
import type { Job, Pod } from '../kinds.ts';
import { isActive, isReady } from '../pod-state.ts';

export interface JobDecision {
  /** How many Pods are missing. */
  readonly create: number;
  readonly status: NonNullable<Job['status']>;
}

/** Whether a Job has come to its end, good or bad. */
export function isOver({ status }: Job): boolean {
  return ['Complete', 'Failed'].some((type) => conditionOf(status?.conditions, type)?.status === 'True');
}

/**
 * Decides how many Pods a Job lacks, and its status. A Job with `completions` is complete when that
 * many Pods have succeeded. Without it, the Job is complete when one has succeeded and none is
 * active. `now`: RFC 3339.
 */
export function decideJob(job: Job, pods: readonly Pod[], now: string): JobDecision {
  const { parallelism = 1, completions, suspend = false } = job.spec ?? {};
  const before = job.status ?? {};
  const succeeded = pods.filter(({ status }) => status?.phase === 'Succeeded').length;
  const failed = pods.filter(({ status }) => status?.phase === 'Failed').length;
  const active = pods.filter(isActive);
  const isComplete = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  const wanted = completions === undefined ? (succeeded > 0 ? 0 : parallelism) : completions - succeeded;
  const mayStart = !isComplete && !suspend;
  const create = mayStart ? Math.max(0, Math.min(parallelism, wanted) - active.length) : 0;
  const reason = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  const conditions = isComplete
    ? ['SuccessCriteriaMet', 'Complete'].reduce(
        (all, type) => setCondition(all, { type, status: 'True', ...reason }, now),
        before.conditions ?? [],
      )
    : before.conditions;
  return {
    create,
    status: {
      ...before,
      ...(!suspend && { startTime: before.startTime ?? now }),
      ...(isComplete && { completionTime: before.completionTime ?? now }),
      ...(conditions !== undefined && { conditions }),
      active: active.length + create,
      ready: active.filter(isReady).length,
      succeeded,
      failed,
    },
  };
}
