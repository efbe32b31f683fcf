import { conditionOf, rfc3339, setCondition } from '@isthmus/machinery';
import type { Pod } from '../kinds.ts';

export interface RunningPod {
  readonly podIP: string;
  readonly hostIP: string;
  readonly isReady: boolean;
  readonly nowMs: number;
}

/** The status of a Pod whose containers have done their work. */
export function succeededStatus(pod: Pod, nowMs: number): Readonly<Record<string, unknown>> {
  const before = pod.status as (Readonly<Record<string, unknown>> & Pod['status']) | undefined;
  const now = rfc3339(nowMs);
  const startedAt = before?.startTime ?? now;
  const conditions = ['Ready', 'ContainersReady'].reduce(
    (all, type) => setCondition(all, { type, status: 'False', reason: 'PodCompleted' }, now),
    before?.conditions ?? [],
  );
  const terminated = { exitCode: 0, reason: 'Completed', startedAt, finishedAt: now };
  return {
    ...before,
    phase: 'Succeeded',
    conditions,
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      containerID: `simulated://${pod.metadata.uid}-${name}`,
      ready: false,
      started: false,
      restartCount: 0,
      lastState: {},
      state: { terminated },
    })),
  };
}

interface ContainerName {
  readonly name: string;
  readonly image?: string | undefined;
}

/** The type of the condition by which a Pod reports its simulated parts. */
export const simulatedCondition = 'sandbox.isthmus.dev/Simulated';

/** `kubectl describe pod` shows the message. */
const simulation = {
  reason: 'NoContainers',
  message: 'This Pod is simulated: it has an address and reports that it runs, but no container was started.',
};

/**
 * The status of a Pod whose containers run. Existing values are kept, so that computing it again
 * changes nothing.
 */
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
  conditions = setCondition(conditions, { type: simulatedCondition, status: 'True', ...simulation }, now);
  const startedAt = conditionOf(before?.conditions, 'Initialized')?.lastTransitionTime ?? now;
  const { ephemeralContainers: debugged = [] } = (pod.spec ?? {}) as {
    readonly ephemeralContainers?: readonly ContainerName[];
  };
  const running = ({ name, image = '' }: ContainerName) => ({
    name,
    image,
    imageID: '',
    containerID: `simulated://${pod.metadata.uid}-${name}`,
    restartCount: 0,
    lastState: {},
    state: { running: { startedAt } },
  });
  return {
    ...before,
    phase: 'Running',
    message: simulation.message,
    conditions,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime,
    containerStatuses: (pod.spec?.containers ?? []).map((one) => ({ ...running(one), ready: isReady, started: true })),
    ...(debugged.length > 0 && {
      ephemeralContainerStatuses: debugged.map((one) => ({ ...running(one), ready: false })),
    }),
  };
}
