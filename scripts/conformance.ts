/**
 * `npm run conformance -- --suite DIR [--api-server real|nodes|network] [--labels EXPRESSION]`:
 * runs the conformance suite of the MCS API against two members of a ClusterSet, on sandbox
 * clusters, with or without a network, on real API servers or on real Nodes, and prints what became
 * of each spec.
 *
 * DIR is a checkout of `sigs.k8s.io/mcs-api`; its folder `conformance` is a Go module of its own,
 * which is built with the Go in PATH. Without Nodes or a network, Pods are simulated, so the specs
 * about DNS and connectivity only run where `--labels` asks for them.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingForNodes } from '@isthmus/testkit';
import type { Members } from './conformance/members.ts';
import { members } from './conformance/members.ts';
import { startMembersOnApiServers } from './conformance/members-on-api-servers.ts';
import type { MembersOnNodesOptions } from './conformance/members-on-nodes.ts';
import { startMembersOnNodes } from './conformance/members-on-nodes.ts';
import { startMembersOnSandbox } from './conformance/members-on-sandbox.ts';
import { missingForImages } from './conformance/suite-images.ts';
import type { SpecReport } from './conformance/verdict.ts';
import { verdictOf } from './conformance/verdict.ts';
import { builtRelease } from './release/testing/built-release.ts';
import { scriptArguments, wrongArguments } from './script-arguments.ts';

const kinds = ['sandbox', 'network', 'real', 'nodes'] as const;
type Kind = (typeof kinds)[number];
const endpointIPTypes = ['PodIP', 'ClusterIP'] as const;

/** Simulated Pods send no packets. */
const withoutPackets = 'Required || (Optional && !DNS && !Connectivity)';
const usualLabels: Readonly<Record<Kind, string>> = {
  sandbox: withoutPackets,
  network: 'Required || Optional',
  real: withoutPackets,
  nodes: 'Required || Optional',
};

async function startNetwork(directory: string): Promise<Members> {
  // Containers of the sandbox are processes of this machine.
  const missing = missingForImages(process.env['PATH'] ?? '');
  if (missing.length > 0) throw new Error(`running the containers of the suite: not installed: ${missing.join(', ')}`);
  return startMembersOnSandbox(directory, ['--network']);
}

type NodesOptions = Pick<MembersOnNodesOptions, 'directory' | 'endpointIPType'>;

async function startNodes(options: NodesOptions): Promise<Members> {
  const missing = [
    ...missingForNodes(process.env),
    ...missingForImages(process.env['PATH'] ?? '').map((name) => `not installed: ${name}`),
  ];
  if (missing.length > 0) throw new Error(`starting clusters with Nodes: ${missing.join('; ')}`);
  say('build a release, unless ISTHMUS_DIST names one');
  return startMembersOnNodes({ ...options, dist: await builtRelease(options.directory), say });
}

/** Errors: the program can't be started, or is ended by a signal. */
function run(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', (cause) =>
      reject(new Error(`${program} cannot be started (${cause.message}); is it in PATH?`, { cause })),
    );
    child.once('close', (code, signal) =>
      code === null ? reject(new Error(`${program} was ended by ${signal}`)) : resolve(code),
    );
  });
}

const say = (line: string) => void process.stderr.write(`conformance: ${line}\n`);

async function main(): Promise<number> {
  const { values } = scriptArguments('conformance', {
    suite: { type: 'string' },
    'api-server': { type: 'string', default: 'sandbox' },
    labels: { type: 'string' },
    'endpoint-ip-type': { type: 'string', default: 'PodIP' },
  });
  const kind = kinds.find((one) => one === values['api-server']);
  const endpointIPType = endpointIPTypes.find((one) => one === values['endpoint-ip-type']);
  if (values.suite === undefined) return wrongArguments('conformance', '--suite is missing');
  if (kind === undefined) return wrongArguments('conformance', `--api-server must be one of ${kinds.join(', ')}`);
  if (endpointIPType === undefined)
    return wrongArguments('conformance', `--endpoint-ip-type must be ${endpointIPTypes.join(' or ')}`);
  const directory = mkdtempSync(join(tmpdir(), 'isthmus-conformance-'));
  try {
    const [suite, report] = [join(directory, 'suite'), join(directory, 'report.json')];
    const module = join(values.suite, 'conformance');
    if (!existsSync(join(module, 'go.mod'))) {
      say(
        `${module} is not a Go module; --suite must name a clone of sigs.k8s.io/mcs-api: its releases as a Go module lack the suite`,
      );
      return 2;
    }
    say('build the suite');
    if ((await run('go', ['test', '-c', '-o', suite, '.'], module, process.env)) !== 0) {
      say(`the suite in ${module} can't be built; --suite must name a checkout of sigs.k8s.io/mcs-api`);
      return 1;
    }
    const start: Readonly<Record<Kind, () => Promise<Members>>> = {
      sandbox: () => startMembersOnSandbox(directory, []),
      network: () => startNetwork(directory),
      real: () => startMembersOnApiServers(say),
      nodes: () => startNodes({ directory, endpointIPType }),
    };
    say(`start clusters: ${kind}`);
    await using clusters = await start[kind]();
    say('run the specs; this takes minutes');
    const { kubeconfig } = clusters;
    await run(
      suite,
      [
        '--contexts',
        members.join(','),
        `--ginkgo.label-filter=${values.labels ?? usualLabels[kind]}`,
        `--ginkgo.json-report=${report}`,
      ],
      directory,
      { ...process.env, KUBECONFIG: kubeconfig },
    );
    if (!existsSync(report)) {
      say('the suite has written no report');
      return 1;
    }
    const [{ SpecReports: specs }] = JSON.parse(readFileSync(report, 'utf8')) as [
      { readonly SpecReports: readonly SpecReport[] },
    ];
    const { table, ok } = verdictOf(specs);
    process.stdout.write(`${table}\n`);
    return ok ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (import.meta.main) process.exitCode = await main();
