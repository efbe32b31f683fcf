import type { ContainerRun } from './pod-runtime.ts';

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

/** The decision about one container. */
export type ContainerVerdict =
  | { readonly kind: 'running'; readonly run: ContainerRun }
  | { readonly kind: 'start'; readonly run: ContainerRun | undefined }
  /** It ended, and is started again later. */
  | { readonly kind: 'wait'; readonly run: ContainerRun; readonly forMs: number }
  | { readonly kind: 'ended'; readonly run: ContainerRun };

export interface PodVerdict {
  readonly containers: ReadonlyMap<string, ContainerVerdict>;
  readonly phase: 'Running' | 'Succeeded' | 'Failed';
  /** The time until the next decision; undefined if only a change of a container matters. */
  readonly againMs: number | undefined;
}

/**
 * The delay between a failure and the next start: 10 s, doubled each time. The first restart is
 * immediate.
 */
const backOffMs = 10_000;
const longestBackOffMs = 300_000;
/** A container that ran for so long has not failed in a row. */
const steadyMs = 600_000;

/**
 * Decides which containers of a Pod to start, and its phase, from their last runs. Containers that
 * the Pod does not name are ignored.
 */
export function decideContainers(
  names: readonly string[],
  runs: readonly ContainerRun[],
  { restartPolicy, nowMs }: { readonly restartPolicy: RestartPolicy; readonly nowMs: number },
): PodVerdict {
  const containers = new Map(
    names.map((name) => [
      name,
      decideContainer(
        runs.find((run) => run.name === name),
        restartPolicy,
        nowMs,
      ),
    ]),
  );
  const all = [...containers.values()];
  const ended = all.flatMap((one) => (one.kind === 'ended' ? [one.run] : []));
  const waits = all.flatMap((one) => (one.kind === 'wait' ? [one.forMs] : []));
  const isOver = all.length > 0 && ended.length === all.length;
  const hasFailed = ended.some(({ exit }) => exit?.code !== 0);
  return {
    containers,
    phase: !isOver ? 'Running' : hasFailed ? 'Failed' : 'Succeeded',
    againMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

function decideContainer(run: ContainerRun | undefined, policy: RestartPolicy, nowMs: number): ContainerVerdict {
  if (run === undefined) return { kind: 'start', run };
  const { exit, restarts, startedAtMs } = run;
  if (exit === undefined) return { kind: 'running', run };
  if (policy === 'Never' || (policy === 'OnFailure' && exit.code === 0)) return { kind: 'ended', run };
  const isSteady = exit.atMs - startedAtMs >= steadyMs;
  const waitMs = restarts === 0 || isSteady ? 0 : Math.min(backOffMs * 2 ** (restarts - 1), longestBackOffMs);
  const leftMs = exit.atMs + waitMs - nowMs;
  return leftMs > 0 ? { kind: 'wait', run, forMs: leftMs } : { kind: 'start', run };
}
