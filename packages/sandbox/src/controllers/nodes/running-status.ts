import { conditionOf, rfc3339, setCondition } from '@isthmus/machinery';
import type { Pod } from '../kinds.ts';

export interface RunningPod {
  readonly podIP: string;
  readonly hostIP: string;
  readonly isReady: boolean;
  readonly nowMs: number;
}

/** The status of a Pod whose containers run. What it says already, it says again: nothing changes by looking. */
export function runningStatus(
  pod: Pod,
  { podIP, hostIP, isReady, nowMs }: RunningPod,
): Readonly<Record<string, unknown>> {
  const before = pod.status as (Readonly<Record<string, unknown>> & Pod['status']) | undefined;
  const now = rfc3339(nowMs);
  const startTime = before?.startTime ?? now;
  let conditions = before?.conditions ?? [];
  const notReady = {
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${(pod.spec?.containers ?? []).map(({ name }) => name).join(' ')}]`,
  };
  for (const type of ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']) {
    const depends = type === 'Ready' || type === 'ContainersReady';
    const isTrue = !depends || isReady;
    conditions = setCondition(conditions, { type, status: isTrue ? 'True' : 'False', ...(!isTrue && notReady) }, now);
  }
  const startedAt = conditionOf(before?.conditions, 'Initialized')?.lastTransitionTime ?? now;
  return {
    ...before,
    phase: 'Running',
    conditions,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime,
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      containerID: `simulated://${pod.metadata.uid}-${name}`,
      ready: isReady,
      started: true,
      restartCount: 0,
      lastState: {},
      state: { running: { startedAt } },
    })),
  };
}
