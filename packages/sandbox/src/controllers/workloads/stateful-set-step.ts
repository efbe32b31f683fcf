import type { Pod, StatefulSet } from '../kinds.ts';
import { availableInMs, isFinished, isTerminating } from '../pod-state.ts';
import { revisionHashLabel } from './template.ts';

/** The next step of a StatefulSet. Ordinals are the numbers at the end of the names. */
export interface StatefulSetStep {
  readonly create: readonly { readonly ordinal: number; readonly revision: string }[];
  readonly delete: readonly Pod[];
}

export interface StatefulSetInput {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /**
   * Names of the ControllerRevisions of the template that is being left, and of the present one.
   */
  readonly current: string;
  readonly update: string;
  readonly nowMs: number;
}

/**
 * The next step (kubernetes.io/docs, "StatefulSets"). OrderedReady: Pods come in the order of their
 * ordinals and go in the reverse order, one at a time, each after the one before is available.
 * Parallel: all at once. A rolling update replaces from the highest ordinal down to the partition,
 * one at a time, and waits until all others are available.
 */
export function decideStatefulSet({ set, pods, current, update, nowMs }: StatefulSetInput): StatefulSetStep {
  const { replicas = 1, podManagementPolicy, ordinals, updateStrategy, minReadySeconds = 0 } = set.spec ?? {};
  const start = ordinals?.start ?? 0;
  const isOrdered = podManagementPolicy !== 'Parallel';
  const partition = updateStrategy?.rollingUpdate?.partition ?? 0;
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const isAvailable = (pod: Pod) => !isTerminating(pod) && availableInMs(pod, minReadySeconds, nowMs) === 0;

  const create: { ordinal: number; revision: string }[] = [];
  for (let ordinal = start; ordinal < start + replicas; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod !== undefined && isFinished(pod) && !isTerminating(pod)) return { create, delete: [pod] };
    if (pod === undefined) create.push({ ordinal, revision: ordinal < partition + start ? current : update });
    if (isOrdered && (pod === undefined || !isAvailable(pod))) return { create, delete: [] };
  }
  const surplus = pods.filter((pod) => !isWithin(ordinalOf(pod))).toSorted((a, b) => ordinalOf(b) - ordinalOf(a));
  if (surplus.length > 0) {
    const going = isOrdered ? surplus.slice(0, 1) : surplus;
    return { create, delete: going.filter((pod) => !isTerminating(pod)) };
  }
  if (create.length > 0 || updateStrategy?.type === 'OnDelete') return { create, delete: [] };
  for (let ordinal = start + replicas - 1; ordinal >= start + partition; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined || isTerminating(pod)) return { create, delete: [] };
    if (pod.metadata.labels?.[revisionHashLabel] !== update) return { create, delete: [pod] };
    if (!isAvailable(pod)) return { create, delete: [] };
  }
  return { create, delete: [] };

  function isWithin(ordinal: number): boolean {
    return ordinal >= start && ordinal < start + replicas;
  }
}

export function ordinalOf({ metadata }: Pod): number {
  return Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1));
}
