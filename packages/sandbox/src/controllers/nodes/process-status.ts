import { conditionOf, rfc3339, setCondition } from '@isthmus/machinery';
import type { Pod } from '../kinds.ts';
import type { ContainerVerdict, PodVerdict } from './decide-containers.ts';
import type { ContainerRun } from './pod-runtime.ts';
import { simulatedCondition } from './running-status.ts';

export interface ProcessPod {
  readonly podIP: string;
  readonly hostIP: string;
  readonly verdict: PodVerdict;
  /** Whether the containers that can be called count as ready. */
  readonly mayBeReady: boolean;
  readonly simulation: { readonly reason: string; readonly message: string };
  readonly nowMs: number;
}

/**
 * The status of a Pod whose containers are processes: their reports, and the condition about the
 * simulated parts.
 */
export function processStatus(
  pod: Pod,
  { podIP, hostIP, verdict, mayBeReady, simulation, nowMs }: ProcessPod,
): Readonly<Record<string, unknown>> {
  const before = pod.status as (Readonly<Record<string, unknown>> & Pod['status']) | undefined;
  const now = rfc3339(nowMs);
  const { phase } = verdict;
  const isOver = phase !== 'Running';
  const containers = pod.spec?.containers ?? [];
  const isReady = (name: string) => {
    const one = verdict.containers.get(name);
    return mayBeReady && one?.kind === 'running' && one.run.isReady;
  };
  const unready = containers.filter(({ name }) => !isReady(name)).map(({ name }) => name);
  const notReady = isOver
    ? { reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
    : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  let conditions = before?.conditions ?? [];
  for (const type of ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']) {
    const isTrue = (type !== 'Ready' && type !== 'ContainersReady') || unready.length === 0;
    conditions = setCondition(conditions, { type, status: isTrue ? 'True' : 'False', ...(!isTrue && notReady) }, now);
  }
  conditions = setCondition(conditions, { type: simulatedCondition, status: 'True', ...simulation }, now);
  return {
    ...before,
    phase,
    message: simulation.message,
    conditions,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: before?.startTime ?? conditionOf(conditions, 'Initialized')?.lastTransitionTime ?? now,
    containerStatuses: containers.map(({ name, image = '' }) => {
      const one = verdict.containers.get(name);
      const run = one?.run;
      return {
        name,
        image,
        imageID: '',
        containerID: run?.id ?? '',
        restartCount: run?.restarts ?? 0,
        ready: isReady(name),
        started: one?.kind === 'running',
        state: stateOf(one),
        lastState: {},
      };
    }),
  };
}

function stateOf(verdict: ContainerVerdict | undefined): Readonly<Record<string, unknown>> {
  switch (verdict?.kind) {
    case 'running':
      return { running: { startedAt: rfc3339(verdict.run.startedAtMs) } };
    case 'ended':
      return { terminated: terminated(verdict.run) };
    case 'wait':
      return {
        waiting: { reason: 'CrashLoopBackOff', message: `it ended: ${endOf(verdict.run)}; it is started again later` },
      };
    case 'start':
    case undefined:
      return { waiting: { reason: 'ContainerCreating' } };
  }
}

function terminated({ id, startedAtMs, exit }: ContainerRun): Readonly<Record<string, unknown>> {
  const { code = 0, atMs = startedAtMs, message } = exit ?? {};
  return {
    containerID: id,
    exitCode: code,
    reason: code === 0 ? 'Completed' : 'Error',
    ...(message !== undefined && { message }),
    startedAt: rfc3339(startedAtMs),
    finishedAt: rfc3339(atMs),
  };
}

function endOf({ exit }: ContainerRun): string {
  const code = `exit code ${exit?.code ?? 0}`;
  return exit?.message === undefined ? code : `${code}, ${exit.message}`;
}
