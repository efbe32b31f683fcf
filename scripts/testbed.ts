/**
 * `npm run testbed -- up|status|kubectl|node|load|down`: clusters with real Nodes on this machine,
 * without Docker (docs/testbed.md).
 *
 * `up` starts a process that keeps the test bed and returns when all Nodes are Ready; `down` ends
 * that process, with which everything goes.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findBinaries, missingForNodes, startTestbed } from '@isthmus/testkit';
import { unlessHelp, wrongArguments } from './script-arguments.ts';

interface State {
  /** The process that keeps the test bed. */
  readonly pid: number;
  /** When it began: a process that gets its number later is another one. */
  readonly started: string;
  readonly clusters: Readonly<
    Record<
      string,
      {
        readonly kubeconfig: string;
        readonly nodes: Readonly<Record<string, { readonly pid: number; readonly address: string }>>;
      }
    >
  >;
}

const directory = join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local/state'), 'isthmus-testbed');
const statePath = join(directory, 'state.json');
const logPath = join(directory, 'log');

/** An error in what the user asked for, or in the state of things: printed without a stack. */
class Refusal extends Error {}

function readState(): State {
  const state = runningState();
  if (state === undefined) throw new Refusal('no test bed runs. Start one: npm run testbed -- up');
  return state;
}

/** Undefined where the process that wrote it has gone: killed, it leaves its state behind. */
function runningState(): State | undefined {
  const state = existsSync(statePath) ? (JSON.parse(readFileSync(statePath, 'utf8')) as State) : undefined;
  return state !== undefined && isAlive(state) ? state : undefined;
}

const isAlive = ({ pid, started }: State) => startOf(pid) === started;

/**
 * The start of the machine, and the time since then at which a process began; undefined where there
 * is none, or it has ended (proc_pid_stat(5)).
 */
function startOf(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name of the program, in parentheses, may contain any character.
  const [state = 'X', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return 'ZX'.includes(state) ? undefined : `${boot} ${fields[18]}`;
}

function clusterOf(name: string | undefined): State['clusters'][string] {
  const { clusters } = readState();
  const cluster = clusters[name ?? ''];
  if (cluster === undefined)
    throw new Refusal(`${name ?? 'no name'} is not a cluster of the test bed: ${Object.keys(clusters).join(', ')}`);
  return cluster;
}

/** The process that keeps the test bed: it ends with a signal, and everything with it. */
async function keep(args: readonly string[]): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const { values } = parseArgs({ args: [...args], options });
  const names = values.clusters.split(',').map((name) => name.trim());
  await using testbed = await startTestbed({
    clusters: Object.fromEntries(names.map((name) => [name, { nodes: Number(values.nodes) }])),
    kubeProxy: proxyOf(values['kube-proxy']),
    masquerade: !values['no-masquerade'],
    routed: values.routed,
    say: (line) => console.log(line),
  });
  const state: State = {
    pid: process.pid,
    started: startOf(process.pid) ?? '',
    clusters: Object.fromEntries(
      Object.entries(testbed.clusters).map(([name, { server, nodes }]) => [
        name,
        {
          kubeconfig: server.kubeconfigPath,
          nodes: Object.fromEntries(
            nodes.map((node) => [node.layout.name, { pid: node.pid, address: node.layout.address }]),
          ),
        },
      ]),
    ),
  };
  // Whole or not at all: `up` waits for it.
  writeFileSync(`${statePath}.new`, JSON.stringify(state, undefined, 2), { mode: 0o600 });
  renameSync(`${statePath}.new`, statePath);
  await ended;
  rmSync(statePath, { force: true });
}

const options = {
  clusters: { type: 'string', default: 'north,east,west' },
  nodes: { type: 'string', default: '2' },
  'kube-proxy': { type: 'string', default: 'nftables' },
  'no-masquerade': { type: 'boolean', default: false },
  routed: { type: 'boolean', default: false },
} as const;

function proxyOf(name: string): 'nftables' | 'iptables' | 'none' {
  if (name === 'nftables' || name === 'iptables' || name === 'none') return name;
  throw new Refusal(`--kube-proxy must be nftables, iptables or none, not ${JSON.stringify(name)}`);
}

async function up(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options });
  proxyOf(values['kube-proxy']);
  const missing = missingForNodes(process.env);
  if (missing.length > 0) throw new Refusal(`this machine cannot run the test bed:\n  ${missing.join('\n  ')}`);
  if (runningState() !== undefined) throw new Refusal('a test bed runs already. End it first: npm run testbed -- down');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  rmSync(statePath, { force: true });
  const started = performance.now();
  const log = openSync(logPath, 'w', 0o600);
  const keeper = spawn(process.execPath, [fileURLToPath(import.meta.url), 'keep', ...args], {
    detached: true,
    stdio: ['ignore', log, log],
  });
  let ended = false;
  keeper.once('exit', () => (ended = true));
  let printed = 0;
  const print = () => {
    const text = readFileSync(logPath, 'utf8');
    process.stdout.write(text.slice(printed));
    printed = text.length;
  };
  while (!existsSync(statePath)) {
    print();
    if (ended) throw new Refusal('the test bed did not start');
    await delay(100);
  }
  print();
  keeper.unref();
  console.log(`All Nodes are Ready after ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  for (const [name, { kubeconfig }] of Object.entries(readState().clusters))
    console.log(`  ${name}: export KUBECONFIG=${kubeconfig}`);
}

async function down(): Promise<void> {
  const state = readState();
  process.kill(state.pid, 'SIGTERM');
  while (isAlive(state)) await delay(50);
  console.log('The test bed is gone.');
}

function status(): void {
  for (const [name, { kubeconfig, nodes }] of Object.entries(readState().clusters)) {
    console.log(`${name}  ${kubeconfig}`);
    for (const [node, { address }] of Object.entries(nodes)) console.log(`  ${node}  ${address}`);
  }
}

/** Runs a program in the foreground and ends as it ends. */
async function become(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { stdio: 'inherit' });
  process.exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

async function load([name, path]: readonly string[]): Promise<void> {
  if (path === undefined) wrongArguments('testbed', 'load needs a cluster and an archive');
  // Absolute, because ctr starts in the root of the Node; npm runs scripts in the root of the
  // checkout, and has here where the user is.
  const archive = resolve(process.env['INIT_CWD'] ?? '', path);
  if (!existsSync(archive)) throw new Refusal(`no archive ${archive}`);
  for (const [node, { pid }] of Object.entries(clusterOf(name).nodes)) {
    console.log(`Importing ${archive} into ${node}`);
    await become('nsenter', [
      ...inNode(pid),
      'ctr',
      '--address',
      '/run/containerd/containerd.sock',
      '--namespace',
      'k8s.io',
      'images',
      'import',
      // On a Node, paths begin elsewhere.
      resolve(archive),
    ]);
    if (process.exitCode !== 0) return;
  }
}

const inNode = (pid: number) => ['-t', String(pid), '-p', '-m', '-n', '--'];

async function main([command, ...rest]: readonly string[]): Promise<void> {
  switch (command) {
    case 'up':
      return up(rest);
    case 'keep':
      return keep(rest);
    case 'down':
      return down();
    case 'status':
      return status();
    case 'kubectl': {
      const [name, ...args] = rest;
      return become(findBinaries(process.env).kubectl, ['--kubeconfig', clusterOf(name).kubeconfig, ...args]);
    }
    case 'node': {
      const [name, ...args] = rest;
      const nodes = Object.assign(
        {},
        ...Object.values(readState().clusters).map((cluster) => cluster.nodes),
      ) as State['clusters'][string]['nodes'];
      const node = nodes[name ?? ''];
      if (node === undefined)
        throw new Refusal(`${name ?? 'no name'} is not a Node of the test bed: ${Object.keys(nodes).join(', ')}`);
      return become('nsenter', [...inNode(node.pid), ...(args.length === 0 ? ['sh'] : args)]);
    }
    case 'load':
      return load(rest);
    default:
      wrongArguments('testbed', command === undefined ? 'a command is missing' : `unknown command ${command}`);
  }
}

if (import.meta.main) {
  try {
    const args = process.argv.slice(2);
    // These hand their arguments to another program.
    await main(['kubectl', 'node'].includes(args[0] ?? '') ? args : unlessHelp('testbed'));
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) wrongArguments('testbed', error.message);
    console.error(error instanceof Refusal ? `testbed: ${error.message}` : error);
    process.exitCode = 2;
  }
}
