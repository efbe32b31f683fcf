import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { controllerMallocEnv, controllerNodeOptions } from '@isthmus/install';
import { startPacketLab } from '@isthmus/testkit';
import type { BenchOptions } from '../bench-options.ts';
import type { Figure } from '../report.ts';

const [clusters, services, nodes, pods] = [200, 2_000, 20, 110];
const changes = 50;
const betweenMs = 500;
/**
 * A processor that has rested takes up to three times as long for the same work, from one hour to
 * the next: what Node alone takes shows how fast this one is.
 */
const nodeRuns = 20;
/**
 * A minute after the start the agent is at rest: its network is compared with the kernel, and
 * gateways that do not answer are probed more rarely.
 */
const settleMs = 70_000;
const serverProgram = fileURLToPath(new URL('scale-server.ts', import.meta.url));
const environment = Object.entries({ ...controllerMallocEnv, NODE_OPTIONS: controllerNodeOptions }).map(
  ([name, value]) => `${name}=${value}`,
);
/** The unit of process times, on Linux everywhere. */
const ticksPerSecond = 100;

/**
 * The use of the agent on one gateway in a ClusterSet of 200 other clusters with 2,000 imported
 * Services and 10,000 endpoints: its process and all programs that it ran.
 */
export async function measureScale(
  { say, signal, program, profileInto }: BenchOptions,
  note: (figure: Figure) => void,
): Promise<void> {
  for (const hasPolicies of [false, true]) {
    say(`the agent of a large ClusterSet${hasPolicies ? ', with labels in packets' : ''}`);
    const found = await measureAgent({ launcher: program.path, hasPolicies, profileInto }, signal);
    const what = (text: string) =>
      `${text}, 200 clusters, 2,000 Services, 10,000 endpoints${hasPolicies ? ', 110 Pods with labels in packets' : ''}`;
    const figure = (text: string, value: string, goal: string, met: boolean) =>
      note({ row: 'scale', what: what(text), value, goal, met, data: found });
    figure(
      'from the start until the network is written, processor time',
      `${found.coldSeconds.toFixed(2)} s`,
      'under 3 s',
      found.coldSeconds < 3,
    );
    figure(
      'one endpoint changes, processor time',
      `${found.changeMs.toFixed(1)} ms, ${found.lines} lines of nft monitor`,
      'under 20 ms',
      found.changeMs < 20,
    );
    note({
      row: 'scale',
      what: what('at rest, of a processor'),
      value: `${found.restPercent.toFixed(1)} %`,
      goal: '',
      met: undefined,
      data: found,
    });
    note({
      row: 'scale',
      what: 'Node alone, from its start to its end, processor time, at the rhythm of the changes',
      value: `${found.nodeMs.toFixed(1)} ms`,
      goal: '',
      met: undefined,
      data: found,
    });
    figure(
      'memory at rest and while endpoints change, at most',
      `${found.megabytes} MB`,
      'under 120 MB',
      found.megabytes < 120,
    );
    note({
      row: 'scale',
      what: what('memory of the programs that it keeps open besides, at most'),
      value: `${found.programMegabytes} MB`,
      goal: '',
      met: undefined,
      data: found,
    });
  }
}

async function measureAgent(
  {
    launcher,
    hasPolicies,
    profileInto,
  }: { readonly launcher: string; readonly hasPolicies: boolean; readonly profileInto: string | undefined },
  signal: AbortSignal,
) {
  const folder = mkdtempSync(join(tmpdir(), 'isthmus-scale-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const lab = stack.use(await startPacketLab({ clusters: { east: { nodes: 1 } } }));
  const { place } = lab.node('east-1');
  const start = (program: string, args: readonly string[], onLine: () => void = () => {}) => {
    const inside = place.command(program, args);
    const child = spawn(inside.program, inside.args, { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.on('error', () => {});
    child.stdout.on('data', (bytes: Buffer) => bytes.toString().split('\n').slice(1).forEach(onLine));
    stack.defer(() => void child.kill());
    return child;
  };
  const kubeconfig = join(folder, 'kubeconfig');
  const server = start(process.execPath, [serverProgram, kubeconfig, ...[clusters, services, nodes, pods].map(String)]);
  while (!existsSync(kubeconfig)) await delay(100, undefined, { signal });
  const policies = hasPolicies ? ['--enable-stretched-network-policy'] : [];
  const args = [launcher, 'agent', 'run', '--node', 'node-0', '--kubeconfig', kubeconfig, ...policies];
  const profile = profileInto === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileInto}`];
  // As in its Pods.
  start('env', [...environment, process.execPath, ...profile, ...args]);
  const isReady =
    "fetch('http://127.0.0.1:8482/readyz').then((r) => process.exit(r.status === 200 ? 0 : 1), () => process.exit(1))";
  while ((await place.run(process.execPath, ['-e', isReady])).code !== 0) await delay(100, undefined, { signal });
  const own = readdirSync('/proc').filter((pid) => {
    const words = commandOf(pid).split('\0');
    return words[0] === process.execPath && words.includes(launcher) && words.includes(kubeconfig);
  });
  if (own.length !== 1) throw new Error(`expected one process of the agent, and found ${own.length}`);
  const seconds = () => [...own, ...childrenOf(own)].reduce((sum, pid) => sum + secondsOf(pid), 0);
  const coldSeconds = seconds();
  let [megabytes, programMegabytes] = [0, 0];
  const wait = async (ms: number) => {
    await delay(ms, undefined, { signal });
    megabytes = Math.max(megabytes, residentMegabytes(own));
    programMegabytes = Math.max(programMegabytes, residentMegabytes(childrenOf(own)));
  };
  await delay(settleMs, undefined, { signal });
  let lines = 0;
  start('nft', ['monitor'], () => lines++);
  await delay(1_000, undefined, { signal });
  // Probes go on, and are not part of a change. What collections of garbage take is in both.
  const atRest = seconds();
  for (let change = 0; change < changes; change++) await wait(betweenMs);
  const restSeconds = seconds() - atRest;
  lines = 0;
  const before = seconds();
  for (let change = 0; change < changes; change++) {
    server.stdin.write('change\n');
    await wait(betweenMs);
  }
  const changeMs = (1_000 * (seconds() - before - restSeconds)) / changes;
  const childrenBefore = secondsOfChildren();
  for (let run = 0; run < nodeRuns; run++) {
    await place.run(process.execPath, ['--eval', '0']);
    await delay(betweenMs, undefined, { signal });
  }
  const nodeMs = (1_000 * (secondsOfChildren() - childrenBefore)) / nodeRuns;
  return {
    coldSeconds,
    changeMs,
    nodeMs,
    lines: Math.round(lines / changes),
    restPercent: (100_000 * restSeconds) / (changes * betweenMs),
    megabytes,
    programMegabytes,
  };
}

function residentMegabytes(pids: readonly string[]): number {
  const kilobytes = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(statusOf(pid))?.[1] ?? 0));
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
}

/** Empty if the process or thread has ended. */
function fileOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    // ESRCH where it ended after its file was opened, ENOTDIR where it is another file of /proc.
    if (['ENOENT', 'ENOTDIR', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
const commandOf = (pid: string) => fileOf(pid, 'cmdline');
const statusOf = (pid: string) => fileOf(pid, 'status');

/** The processes that these have started, and that still run, as `nft`. */
function childrenOf(parents: readonly string[]): readonly string[] {
  return parents.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      fileOf(pid, `task/${thread}/children`).split(' ').filter(Boolean),
    ),
  );
}

/** The time of a process and of its children that ended. */
const secondsOf = (pid: string) => secondsIn(pid, [11, 12, 13, 14]);
/** The time of all children of this process that ended. */
const secondsOfChildren = () => secondsIn('self', [13, 14]);

/** The sum of some times in the `stat` of a process, by their places behind its name. */
function secondsIn(pid: string, places: readonly number[]): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return places.reduce((sum, index) => sum + Number(fields[index]), 0) / ticksPerSecond;
}
