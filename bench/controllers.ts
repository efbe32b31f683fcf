import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixedName } from '@isthmus/api';
import { controllerMallocEnv, controllerNodeOptions } from '@isthmus/install';
import { serviceAccountToken, tokenKubeconfig } from '@isthmus/testkit';
import type { BenchCluster } from './fleet.ts';

export interface ControllersOptions {
  /** The file that Node runs: a bundle, or the command of the checkout. */
  readonly program: string;
  readonly endpointIPType: 'ClusterIP' | 'PodIP';
  /** Where Node puts CPU profiles, one per process; undefined: none are taken. */
  readonly profileInto?: string | undefined;
  /**
   * A folder of what V8 compiled before, to which controllers add when they stop; undefined: none.
   */
  readonly compileCacheAt?: string | undefined;
  /** For Node itself. */
  readonly nodeFlags?: readonly string[] | undefined;
  /** Whether label identities are exchanged. */
  readonly stretched?: boolean | undefined;
  /** Whether they serve metrics. */
  readonly metrics?: boolean | undefined;
}

/** One `isthmus controller` process per cluster, as its ServiceAccount. */
export interface Controllers extends AsyncDisposable {
  /** Starts all that do not run; returns at once. */
  start(): void;
  /** Ends one by SIGKILL, waited for: {@link Controllers.start} starts it again. */
  kill(name: string): Promise<void>;
  /** Ends them by SIGTERM, waited for. */
  stop(): Promise<void>;
  /** Process numbers by cluster, of those that run. */
  readonly pids: ReadonlyMap<string, number>;
  /** Where each serves its metrics, by cluster, as far as they have been started. */
  readonly metricsOf: ReadonlyMap<string, string>;
  /** Aborts when a controller ends that was not stopped, with its last output. */
  readonly failed: AbortSignal;
}

/**
 * Prepares credentials and configuration, so that `start` measures the program and nothing else.
 */
export async function prepareControllers(
  clusters: readonly BenchCluster[],
  options: ControllersOptions,
): Promise<Controllers> {
  const directory = await mkdtemp(join(tmpdir(), 'isthmus-bench-'));
  const failed = new AbortController();
  const running = new Map<string, { readonly child: ChildProcess; readonly ended: Promise<void> }>();
  const metricsOf = new Map<string, string>();
  const plans = await Promise.all(clusters.map((cluster) => planOf(cluster, directory, options)));
  const stop = async () => {
    const ending = [...running.values()];
    running.clear();
    for (const { child } of ending) child.kill('SIGTERM');
    await Promise.all(ending.map(({ ended }) => ended));
  };
  return {
    start() {
      for (const { name, uid, args } of plans) {
        if (running.has(name)) continue;
        const child = spawn(process.execPath, args, {
          env: {
            POD_NAME: name,
            POD_UID: uid,
            NODE_OPTIONS: controllerNodeOptions,
            ...controllerMallocEnv,
            ...(options.compileCacheAt !== undefined && { NODE_COMPILE_CACHE: options.compileCacheAt }),
          },
          stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        });
        let said = '';
        child.stderr?.setEncoding('utf8').on('data', (text: string) => {
          said = (said + text).slice(-2_000);
          const port = /metrics\.bindAddress[^\n]*?"port":(\d+)/.exec(said)?.[1];
          if (port !== undefined) metricsOf.set(name, `http://127.0.0.1:${port}/metrics`);
        });
        const { promise: ended, resolve } = Promise.withResolvers<void>();
        running.set(name, { child, ended });
        child.once('error', (error) => failed.abort(error));
        child.once('exit', (code) => {
          if (running.delete(name)) failed.abort(new Error(`the controller of ${name} ended with ${code}:\n${said}`));
          resolve();
        });
      }
    },
    async kill(name) {
      const found = running.get(name);
      running.delete(name);
      found?.child.kill('SIGKILL');
      await found?.ended;
    },
    stop,
    get pids() {
      return new Map([...running].flatMap(([name, { child }]) => (child.pid === undefined ? [] : [[name, child.pid]])));
    },
    metricsOf,
    failed: failed.signal,
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Plan {
  readonly name: string;
  /** The uid of its Pod. A controller that is started again is the next container of that Pod. */
  readonly uid: string;
  readonly args: readonly string[];
}

async function planOf(
  { name, role, admin, server }: BenchCluster,
  directory: string,
  { program, endpointIPType, profileInto, nodeFlags = [], metrics = false, stretched = false }: ControllersOptions,
): Promise<Plan> {
  if (role === 'leader+member') throw new Error(`cluster ${name}: benchmarks run one controller per cluster`);
  const namespace = role === 'leader' ? FixedName.leaderNamespace : FixedName.memberNamespace;
  const token = await serviceAccountToken(admin, namespace, FixedName.controllerServiceAccount);
  const file = async (kind: string, text: string) => {
    const path = join(directory, `${name}.${kind}`);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const kubeconfig = await file('kubeconfig', tokenKubeconfig(server, { tokenFile: await file('token', token) }));
  const config = await file('config', configOf({ endpointIPType, metrics, stretched }));
  const profile =
    profileInto === undefined
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${profileInto}`, `--cpu-prof-name=${name}.cpuprofile`];
  const args = ['controller', role, '--kubeconfig', kubeconfig, '--config', config, '--namespace', namespace];
  return { name, uid: randomUUID(), args: [...nodeFlags, ...profile, '--import', endWithParent, program, ...args] };
}

/**
 * However this process ends, its end closes the channel, and the controllers go with it. Each is
 * the first process of its container.
 */
const endWithParent =
  'data:text/javascript,process.on("disconnect",()=>process.exit(1));process.channel.unref();Object.defineProperty(process,"pid",{value:1})' as const;

function configOf({
  endpointIPType,
  metrics,
  stretched,
}: Required<Pick<ControllersOptions, 'endpointIPType' | 'metrics' | 'stretched'>>): string {
  return JSON.stringify({
    apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
    kind: 'MultiClusterConfig',
    health: { healthProbeBindAddress: '127.0.0.1:0' },
    metrics: { bindAddress: metrics ? '127.0.0.1:0' : '0' },
    webhook: { port: 9443 },
    endpointIPType,
    enableStretchedNetworkPolicy: stretched,
  });
}
