import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FixedName } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml, printYamlDocuments } from '@isthmus/machinery';
import type { RealCluster } from '@isthmus/testkit';
import { serviceAccountToken, tokenKubeconfig } from '@isthmus/testkit';
import type { Antrea, AntreaController } from './antrea.ts';

export interface RealAntreaOptions {
  /** The program `antrea-mc-controller`. */
  readonly binary: string;
  /** Has `antrea-multicluster-leader.yml` and `antrea-multicluster-member.yml` of the same release. */
  readonly manifests: string;
  /** Default `PodIP`. */
  readonly endpointIPType?: 'ClusterIP' | 'PodIP' | undefined;
  readonly say: (line: string) => void;
}

/** A controller whose credentials and configuration are written. */
export interface PreparedAntrea {
  /** Starts it; returns at once. */
  launch(): LaunchedAntrea;
}

export interface LaunchedAntrea extends AntreaController {
  /** The number of the process; undefined where it does not run. */
  pid(): number | undefined;
  readonly ended: Promise<void>;
  /** Resolves when it is Ready. Errors: it ended, or is not within a minute, with what it said last. */
  ready(): Promise<void>;
  /** Ends it by SIGKILL, waited for. */
  kill(): Promise<void>;
}

export interface RealAntrea extends Antrea {
  prepare(cluster: RealCluster, role: 'leader' | 'member'): Promise<PreparedAntrea>;
}

const definitionKinds = ['CustomResourceDefinition'];
/** Without what needs Pods: the Deployment, and the webhooks, which the API server would wait for. */
const accessKinds = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding', 'ConfigMap'];
const readyMs = 60_000;

/** Antrea's controllers as processes, as their ServiceAccounts, with the rights and definitions of Antrea's manifests. */
export async function realAntrea(options: RealAntreaOptions): Promise<RealAntrea> {
  const { binary, manifests, endpointIPType = 'PodIP', say } = options;
  const directory = await mkdtemp(join(tmpdir(), 'isthmus-swaps-'));
  const running = new Set<LaunchedAntrea>();
  const objects = async (role: string): Promise<readonly KubernetesObject[]> => {
    const path = join(manifests, `antrea-multicluster-${role}.yml`);
    return parseYaml(await readFile(path, 'utf8'), { source: path }).map(({ value }) => value as KubernetesObject);
  };
  const ofKinds = async (role: string, kinds: readonly string[]) =>
    printYamlDocuments((await objects(role)).filter(({ kind = '' }) => kinds.includes(kind)));
  const prepare = async (cluster: RealCluster, role: 'leader' | 'member'): Promise<PreparedAntrea> => {
    const namespace = role === 'leader' ? FixedName.leaderNamespace : FixedName.memberNamespace;
    const [health, webhook] = [await freePort(), await freePort()];
    const file = async (kind: string, text: string) => {
      const path = join(directory, `${cluster.name}.${kind}`);
      await writeFile(path, text, { mode: 0o600 });
      return path;
    };
    const token = await serviceAccountToken(cluster.admin, namespace, FixedName.controllerServiceAccount);
    const kubeconfig = await file('kubeconfig', tokenKubeconfig(cluster.server, { token }));
    const config = await file('yaml', JSON.stringify(configOf({ health, webhook, endpointIPType })));
    const env = { PATH: process.env['PATH'] ?? '', HOME: directory, KUBECONFIG: kubeconfig, POD_NAMESPACE: namespace };
    return {
      launch() {
        const launched = launch({ binary, args: [role, `--config=${config}`], env, health });
        running.add(launched);
        void launched.ended.then(() => running.delete(launched));
        return launched;
      },
    };
  };
  return {
    what: binary,
    definitions: (role) => ofKinds(role, definitionKinds),
    access: (role) => ofKinds(role, accessKinds),
    prepare,
    async start(cluster, role) {
      const from = performance.now();
      const controller = (await prepare(cluster, role)).launch();
      await controller.ready();
      say(`${cluster.name}: antrea-mc-controller ${role} is ready after ${Math.round(performance.now() - from)} ms`);
      return controller;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((controller) => controller.stop()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Launch {
  readonly binary: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The port of its health. */
  readonly health: number;
}

function launch({ binary, args, env, health }: Launch): LaunchedAntrea {
  // A process that ends when its standard input does: however this one ends.
  const script =
    'exec 3<&0; "$@" 3<&- & pid=$!; (read -r _ <&3; kill -TERM $pid; sleep 10; kill -KILL $pid) 2>/dev/null & watch=$!; wait $pid; kill $watch';
  const child = spawn('sh', ['-c', script, 'sh', binary, ...args], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  const heard: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.push(text);
    heard.splice(0, heard.length - 50);
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const pid = () => (child.pid === undefined ? undefined : childRunning(child.pid, realpathSync(binary)));
  return {
    pid,
    ended,
    async ready() {
      const from = performance.now();
      while (!(await isReady(health))) {
        if (child.exitCode !== null || performance.now() - from > readyMs)
          throw new Error(`${binary} ${args.join(' ')} is not ready:\n${heard.join('')}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    async stop() {
      child.stdin.destroy();
      await ended;
    },
    async kill() {
      const running = pid();
      if (running !== undefined) process.kill(running, 'SIGKILL');
      await ended;
    },
  };
}

/** The child of a process that runs this program. Linux only; undefined where there is none. */
function childRunning(parent: number, program: string): number | undefined {
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').map(Number);
    return children.find((child) => readlinkSync(`/proc/${child}/exe`) === program);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

interface Config {
  /** Ports. */
  readonly health: number;
  readonly webhook: number;
  readonly endpointIPType: 'ClusterIP' | 'PodIP';
}

function configOf({ health, webhook, endpointIPType }: Config) {
  return {
    apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
    kind: 'MultiClusterConfig',
    health: { healthProbeBindAddress: `127.0.0.1:${health}` },
    metrics: { bindAddress: '0' },
    webhook: { port: webhook, host: '127.0.0.1' },
    serviceCIDR: '10.96.0.0/12',
    podCIDRs: ['10.10.0.0/16'],
    endpointIPType,
  };
}
