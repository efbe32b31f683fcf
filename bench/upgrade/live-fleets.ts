import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ClusterSet, CustomResourceDefinition, Deployment, Namespace } from '@isthmus/api';
import { definitionObjects, roles } from '@isthmus/install';
import { systemClock } from '@isthmus/kube';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { createAuthority, serveHttps, sharedCompiler, startSandboxCluster } from '@isthmus/sandbox';
import { usageOf } from '../machine.ts';
import type { Figure } from '../report.ts';

const sizes = [3, 12, 60, 200] as const;
/** Clusters of one ClusterSet: one leads, the others are members. */
const setSize = 20;
const nodesOfCluster = 3;
const bundle = fileURLToPath(new URL('../../docs/upgrade/examples/antrea-2.7/bundle.yaml', import.meta.url));
const megabyte = 2 ** 20;
const daemonSets: ResourceType = { ...Deployment, kind: 'DaemonSet', plural: 'daemonsets' };

/**
 * A snapshot and a plan of fleets of sandboxes that grow: API servers over HTTPS in this process,
 * with Antrea 2.6 and ClusterSets of 20 clusters; the commands in processes of their own, as a
 * person runs them.
 */
export async function measureLiveFleets(program: string, note: (figure: Figure) => void): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'isthmus-live-fleets-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const contexts: Context[] = [];
  const compile = sharedCompiler();
  for (const count of sizes) {
    while (contexts.length < count) contexts.push(await startCluster(contexts.length, compile, stack));
    const [kubeconfig, snapshot] = [join(folder, `kubeconfig-${count}`), join(folder, `fleet-${count}.json`)];
    await writeFile(kubeconfig, kubeconfigOf(contexts), { mode: 0o600 });
    const taken = await readAll(program, ['snapshot', '--all-contexts', '--kubeconfig', kubeconfig, '-o', snapshot]);
    const again = await run(program, ['snapshot', '--all-contexts', '--kubeconfig', kubeconfig, '-o', snapshot]);
    const { size } = await stat(snapshot);
    const plan = await run(program, ['plan', '--bundle', bundle, '--snapshot', snapshot]);
    note({
      row: 'live',
      what: `a snapshot of ${count} sandboxes of ${nodesOfCluster} Nodes (${(size / megabyte).toFixed(1)} MB), the same again from its file, and a plan of it (${plan.lines} lines)`,
      value: `${seconds(taken)}${taken.runs === 1 ? '' : ` in ${taken.runs} runs`}, ${seconds(again)}, ${seconds(plan)}`,
      goal: '',
      met: undefined,
      data: { count, bytes: size, taken, again, plan },
    });
  }
}

interface Context {
  readonly name: string;
  readonly server: string;
  readonly caData: string;
  readonly certData: string;
  readonly keyData: string;
}

async function startCluster(
  index: number,
  compile: ReturnType<typeof sharedCompiler>,
  stack: AsyncDisposableStack,
): Promise<Context> {
  const name = `c${String(index + 1).padStart(3, '0')}`;
  const authority = await createAuthority(name);
  const nodes = Array.from({ length: nodesOfCluster }, (_, at) => ({ name: `${name}-${at + 1}` }));
  const cluster = startSandboxCluster({
    name,
    clock: systemClock(),
    seed: index,
    compile,
    caData: authority.caData,
    nodes,
  });
  stack.defer(() => cluster.stop());
  const server = stack.use(await serveHttps(cluster.sandbox, { authority }));
  const { certData, keyData } = await authority.issueClient({ user: 'admin', groups: ['system:masters'] });
  const put = <T extends KubernetesObject>(type: ResourceType<T>, object: object) =>
    cluster.sandbox.admin.put(type, object as T);
  const isServed = () => {
    try {
      return cluster.sandbox.admin.list(ClusterSet).length === 0;
    } catch {
      return false;
    }
  };
  const leads = index % setSize === 0;
  const leader = `c${String(Math.floor(index / setSize) * setSize + 1).padStart(3, '0')}`;
  const place = leads ? 'antrea-multicluster' : 'kube-system';
  for (const definition of definitionObjects(roles.member)) put(CustomResourceDefinition, definition);
  put(Namespace, { metadata: { name: 'antrea-multicluster' } });
  put(Deployment, workload('antrea-controller', 'kube-system', 'antrea/antrea-controller-ubuntu'));
  put(daemonSets, workload('antrea-agent', 'kube-system', 'antrea/antrea-agent-ubuntu'));
  put(Deployment, workload('antrea-mc-controller', place, 'antrea/antrea-mc-controller', leads ? 'leader' : 'member'));
  for (let app = 0; app < 20; app++) put(Deployment, workload(`shop-${app}`, 'default', 'example.com/shop'));
  await cluster.ready();
  // A definition is served a moment after it is created.
  while (!isServed()) await delay(20);
  const ref = leads ? { clusterID: leader } : { clusterID: leader, server: 'https://192.0.2.1:6443', secret: 'token' };
  put(ClusterSet, {
    metadata: { name: `set-${leader}`, namespace: place },
    spec: { clusterID: name, leaders: [ref], namespace: 'antrea-multicluster' },
  });
  return { name, server: server.url, caData: server.caData, certData, keyData };
}

function workload(name: string, namespace: string, image: string, word?: string): object {
  const labels = { app: name };
  return {
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name, image: `${image}:v2.6.0`, ...(word === undefined ? {} : { args: [word] }) }] },
      },
    },
  };
}

function kubeconfigOf(contexts: readonly Context[]): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return JSON.stringify({
    kind: 'Config',
    clusters: contexts.map(({ name, server, caData }) => ({
      name,
      cluster: { server, 'certificate-authority-data': base64(caData) },
    })),
    users: contexts.map(({ name, certData, keyData }) => ({
      name,
      user: { 'client-certificate-data': base64(certData), 'client-key-data': base64(keyData) },
    })),
    contexts: contexts.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
  });
}

/**
 * Repeats a snapshot until every cluster is read, as a person does: on a busy machine an API server
 * may not answer in time.
 */
async function readAll(program: string, args: readonly string[]): Promise<Run & { readonly runs: number }> {
  let [ms, peakMB] = [0, 0];
  for (let runs = 1; ; runs++) {
    const one = await run(program, args, runs < 5 ? [0, 2] : [0]);
    [ms, peakMB] = [ms + one.ms, Math.max(peakMB, one.peakMB)];
    if (one.code === 0) return { ...one, ms, peakMB, runs };
  }
}

interface Run {
  readonly code: number | null;
  readonly ms: number;
  readonly peakMB: number;
  readonly lines: number;
}

/**
 * Runs `isthmus upgrade …` to its end. The peak of its memory is that of the kernel, read every 20
 * ms.
 */
async function run(program: string, args: readonly string[], accepted: readonly number[] = [0]): Promise<Run> {
  const before = performance.now();
  const child = spawn(process.execPath, [program, 'upgrade', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [lines, errors, peakMB] = [0, '', 0];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (lines += text.split('\n').length - 1));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-2000)));
  const watch = setInterval(() => {
    try {
      peakMB = Math.max(peakMB, usageOf(child.pid ?? 0).peakResidentMB);
    } catch {
      // It has ended.
    }
  }, 20);
  const code = await new Promise<number | null>((resolve) => void child.on('close', resolve));
  clearInterval(watch);
  if (code === null || !accepted.includes(code))
    throw new Error(`isthmus upgrade ${args.join(' ')} ended with ${code}:\n${errors}`);
  return { code, ms: performance.now() - before, peakMB: Math.round(peakMB), lines };
}

function seconds({ ms, peakMB }: Run): string {
  return `${(ms / 1000).toFixed(1)} s (${peakMB} MB)`;
}
