import { parseRfc3339 } from '@isthmus/machinery';
import type { ObjectMeta } from '@isthmus/machinery';
import { humanDuration } from '../name-and-age.ts';

export interface PodShape {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly containers?: readonly unknown[];
    readonly initContainers?: readonly { readonly name: string; readonly restartPolicy?: string }[];
    readonly nodeName?: string;
    readonly readinessGates?: readonly { readonly conditionType: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly reason?: string }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name?: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string };
  readonly running?: object;
  readonly terminated?: Terminated;
}

interface Terminated {
  readonly exitCode?: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly finishedAt?: string | null;
}

/** How far a Pod has come, in the words of `kubectl get pods`. */
export interface PodProgress {
  readonly ready: number;
  readonly total: number;
  readonly status: string;
  /** `3`, or `3 (5m ago)`. */
  readonly restarts: string;
}

export function podProgress(pod: PodShape, now: number): PodProgress {
  const { spec = {}, status = {} } = pod;
  const sidecars = new Set(
    (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const isSidecar = ({ name = '' }: ContainerStatus) => sidecars.has(name);
  const total = (spec.containers ?? []).length + sidecars.size;
  const init = status.initContainerStatuses ?? [];
  const main = status.containerStatuses ?? [];
  const blocking = init.findIndex((each) => !isPassed(each, isSidecar(each)));
  const passed = blocking === -1 ? init : init.slice(0, blocking);
  const readySidecars = passed.filter((each) => isSidecar(each) && !isDone(each) && each.ready === true).length;
  const initialized = status.conditions?.some(({ type, status: is }) => type === 'Initialized' && is === 'True');
  const waitsFor = init[blocking];
  if (waitsFor !== undefined && initialized !== true) {
    return {
      ready: readySidecars,
      total,
      status: ended(pod) ?? initText(waitsFor, blocking, spec.initContainers?.length ?? 0),
      restarts: restartsText(init.slice(0, blocking + 1), now),
    };
  }
  const start =
    waitsFor === undefined ? phaseText(pod) : initText(waitsFor, blocking, spec.initContainers?.length ?? 0);
  const readyMain = main.filter((each) => reasonOf(each) === undefined && isUp(each)).length;
  return {
    ready: readySidecars + readyMain,
    total,
    status: ended(pod) ?? mainText(pod, main, start),
    restarts: restartsText(
      [...init.slice(0, blocking === -1 ? init.length : blocking + 1).filter(isSidecar), ...main],
      now,
    ),
  };
}

/** The phase or its reason: the status of a Pod before any container has a status. */
function phaseText({ status = {} }: PodShape): string {
  const gated = status.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  return gated === true ? 'SchedulingGated' : status.reason || (status.phase ?? '');
}

function ended({ metadata, status = {} }: PodShape): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  if (status.reason === 'NodeLost') return 'Unknown';
  return status.phase === 'Succeeded' || status.phase === 'Failed' ? undefined : 'Terminating';
}

function isDone({ state }: ContainerStatus): boolean {
  return state?.terminated !== undefined && (state.terminated.exitCode ?? 0) === 0;
}

/** Whether the next init container may begin. */
function isPassed(container: ContainerStatus, sidecar: boolean): boolean {
  return isDone(container) || (sidecar && container.started === true);
}

function isUp({ ready, state }: ContainerStatus): boolean {
  return ready === true && state?.running !== undefined;
}

function initText({ state }: ContainerStatus, index: number, count: number): string {
  if (state?.terminated !== undefined) return `Init:${terminatedText(state.terminated)}`;
  const waiting = state?.waiting?.reason ?? '';
  return waiting !== '' && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${count}`;
}

function terminatedText({ reason = '', signal = 0, exitCode = 0 }: Terminated): string {
  if (reason !== '') return reason;
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

/** The reason why a container does not run. */
function reasonOf({ state }: ContainerStatus): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason;
  return state?.terminated === undefined ? undefined : terminatedText(state.terminated);
}

/**
 * The status is the reason of the first container that does not run; a failure precedes a
 * completion.
 */
function mainText({ status = {} }: PodShape, main: readonly ContainerStatus[], start: string): string {
  const word = main.map(reasonOf).find((reason) => reason !== undefined) ?? start;
  if (word !== 'Completed') return word;
  const running = main.some((each) => reasonOf(each) === undefined && isUp(each));
  if (running && status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true) {
    return 'Running';
  }
  const failed = main.find(({ state }) => !state?.waiting?.reason && (state?.terminated?.exitCode ?? 0) !== 0);
  return (failed && reasonOf(failed)) ?? (running ? 'NotReady' : word);
}

function restartsText(containers: readonly ContainerStatus[], now: number): string {
  const count = containers.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  const times = containers.map(({ lastState }) => parseRfc3339(lastState?.terminated?.finishedAt ?? undefined));
  const last = Math.max(...times.map((time) => time ?? -Infinity), -Infinity);
  return count === 0 || last === -Infinity ? String(count) : `${count} (${humanDuration(now - last)} ago)`;
}
