import type { Outcome, Resource } from '@isthmus/kube';
import { again, done } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { keyOfObject } from '@isthmus/machinery';
import type { Pod } from '../kinds.ts';
import { decideContainers } from './decide-containers.ts';
import type { RestartPolicy } from './decide-containers.ts';
import type { PodRuntime } from './pod-runtime.ts';
import { processStatus } from './process-status.ts';

/** The Node and the addresses of a Pod. */
interface Placed {
  readonly node: string;
  readonly podIP: string;
  readonly hostIP: string;
  readonly signal: AbortSignal;
}

export interface RunContainersOptions {
  readonly runtime: PodRuntime;
  readonly pods: Pick<Resource<Pod>, 'changeStatus'>;
  readonly clock: Clock;
  readonly isReady: (pod: Pod) => boolean;
}

/** Starts the containers of a Pod that must run, and reports their state. */
export async function runContainers(options: RunContainersOptions, pod: Pod, at: Placed): Promise<Outcome> {
  const { runtime, pods, clock, isReady } = options;
  const { podIP, hostIP, signal } = at;
  const key = keyOfObject(pod);
  await runtime.start(pod, at);
  const names = (pod.spec?.containers ?? []).map(({ name }) => name);
  const restartPolicy = (pod.spec as { readonly restartPolicy?: RestartPolicy } | undefined)?.restartPolicy ?? 'Always';
  const decide = () => decideContainers(names, runtime.runs(key), { restartPolicy, nowMs: clock.now() });
  for (const [name, { kind }] of decide().containers) if (kind === 'start') await runtime.startContainer(key, name);
  const verdict = decide();
  const { simulation } = runtime;
  const nowMs = clock.now();
  const status = processStatus(pod, { podIP, hostIP, verdict, mayBeReady: isReady(pod), simulation, nowMs });
  await pods.changeStatus(pod, status, signal);
  if (verdict.phase !== 'Running') await runtime.finish(key);
  const { againMs } = verdict;
  return againMs === undefined ? done : again(againMs, 'a container that has ended is started again');
}
