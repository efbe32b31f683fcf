import { conditionOf, parseRfc3339 } from '@isthmus/machinery';
import type { Pod } from './kinds.ts';

/** Whether its containers are done, for good. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Counts among the replicas of a workload. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

export function isReady({ status }: Pod): boolean {
  return conditionOf(status?.conditions, 'Ready')?.status === 'True';
}

/**
 * Milliseconds until the Pod has been ready for so many seconds: 0 when it has; undefined when it
 * is not ready.
 */
export function availableInMs(pod: Pod, minReadySeconds: number, nowMs: number): number | undefined {
  if (!isReady(pod)) return undefined;
  const since = parseRfc3339(conditionOf(pod.status?.conditions, 'Ready')?.lastTransitionTime) ?? 0;
  return Math.max(0, since + minReadySeconds * 1_000 - nowMs);
}

/** Milliseconds until the next of these Pods becomes available; undefined if none will. */
export function nextAvailableMs(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  const waits = pods.map((pod) => availableInMs(pod, minReadySeconds, nowMs) ?? 0).filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}
