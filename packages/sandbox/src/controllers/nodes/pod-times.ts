import { controllerOf, parseRfc3339 } from '@isthmus/machinery';
import type { Pod } from '../kinds.ts';

/** How long the Pod of a Job runs. */
const jobMs = 1_000;

/** Milliseconds until the Pod of a Job has done its work; undefined for other Pods. */
export function workLeftMs(pod: Pod, nowMs: number): number | undefined {
  if (controllerOf(pod)?.kind !== 'Job') return undefined;
  const started = parseRfc3339(pod.status?.startTime);
  return started === undefined ? jobMs : Math.max(0, started + jobMs - nowMs);
}

/** The time that containers get to end: the grace period of their Pod, or less. */
export function graceMs({ metadata }: Pod, terminationMs: number | undefined): number {
  return Math.min((metadata.deletionGracePeriodSeconds ?? 0) * 1_000, terminationMs ?? Infinity);
}

/** When the containers of a deleted Pod have ended; undefined for a Pod that is not deleted. */
export function terminationEndMs(pod: Pod, terminationMs: number | undefined): number | undefined {
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp === undefined) return undefined;
  // The deletionTimestamp is the end of the grace period.
  const deletedMs = (parseRfc3339(deletionTimestamp) ?? 0) - graceMs(pod, undefined);
  return deletedMs + graceMs(pod, terminationMs);
}
