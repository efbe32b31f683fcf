/** One of the modules that may touch the world: it reads the logs of a cluster's processes (fs). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@isthmus/machinery';
import type { Component } from './flags.ts';
import type { Command, SupervisedProcess, Supervision } from './supervision.ts';

/** The processes of one cluster, at most one of each component at a time. */
export interface ClusterProcesses {
  /** Starts a component. Errors: it already runs; its program cannot be executed. */
  spawn(component: Component, command: Omit<Command, 'log'>): Promise<void>;
  /** Ends a component with SIGKILL and resolves when it has ended; at once if it does not run. */
  stop(component: Component): Promise<void>;
  /** Undefined while it does not run. */
  get(component: Component): SupervisedProcess | undefined;
  /** The whole output of a component, in all its runs. */
  logs(component: Component): string;
  /**
   * Waits for `ready`, which must end when its signal aborts. Errors: {@link ComponentEnded} as
   * soon as one of `needed` ends without `stop`; when `signal` aborts, its reason; if that is a
   * timeout, the error of `ready` and an excerpt of the last log of `needed`.
   */
  whileRunning(
    needed: readonly Component[],
    ready: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** A component ended while it was needed. */
export class ComponentEnded extends Error {
  override readonly name = 'ComponentEnded';
  readonly component: Component;
  /** The output of its last run: the first three lines and the last fifteen. */
  readonly wrote: string;
  constructor(cluster: string, component: Component, ending: { readonly how: string; readonly wrote: string }) {
    super(`starting cluster ${cluster}: ${component} ${ending.how}. It wrote:\n${ending.wrote}`);
    this.component = component;
    this.wrote = ending.wrote;
  }
}

interface Run {
  readonly process: SupervisedProcess;
  /** Length of the component's log when this run began. */
  readonly logStart: number;
}

/** The processes of the cluster `name`; none run yet. */
export function clusterProcesses(name: string, supervision: Supervision): ClusterProcesses {
  const runs = new Map<Component, Run>();
  const ended = new Set<Run>();
  const running = (component: Component) => {
    const run = runs.get(component);
    return run === undefined || ended.has(run) ? undefined : run;
  };
  const logs = (component: Component) => {
    const path = join(supervision.directory, `${component}.log`);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const wrote = (component: Component) => excerpt(logs(component).slice(runs.get(component)?.logStart ?? 0));

  return {
    async spawn(component, command) {
      if (running(component) !== undefined)
        throw new Error(`starting ${component} of cluster ${name}: it runs already`);
      const logStart = logs(component).length;
      const process = await supervision.spawn({ ...command, log: `${component}.log` });
      const run: Run = { process, logStart };
      runs.set(component, run);
      void process.exited.then(() => ended.add(run));
    },
    async stop(component) {
      const process = running(component)?.process;
      runs.delete(component);
      process?.signal('SIGKILL');
      await process?.exited;
    },
    get: (component) => running(component)?.process,
    logs,
    async whileRunning(needed, ready, signal) {
      const over = new AbortController();
      const endings = needed.flatMap((component) => {
        const exited = runs.get(component)?.process.exited;
        return exited === undefined
          ? []
          : [
              exited.then((how) =>
                Promise.reject(new ComponentEnded(name, component, { how, wrote: wrote(component) })),
              ),
            ];
      });
      try {
        await Promise.race([...endings, ready(AbortSignal.any([signal, over.signal]))]);
      } catch (error) {
        if (error instanceof ComponentEnded || !signal.aborted) throw error;
        const last = needed.at(-1);
        if (!isTimeout(signal.reason) || last === undefined) throw signal.reason;
        const message = errorMessage(error);
        throw new Error(`starting cluster ${name}: ${message}\n${last} wrote:\n${wrote(last)}`, { cause: error });
      } finally {
        over.abort();
        for (const ending of endings) ending.catch(() => {});
      }
    },
  };
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

/**
 * The last 15 lines of a run; before them its first three, because etcd reports the error before it
 * explains its usage.
 */
function excerpt(text: string): string {
  const lines = text.trimEnd().split('\n');
  return (lines.length <= 18 ? lines : [...lines.slice(0, 3), '…', ...lines.slice(-15)]).join('\n');
}
