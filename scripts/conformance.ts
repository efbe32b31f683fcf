/**
 * `npm run conformance -- --suite DIR [--api-server real] [--labels EXPRESSION]`: runs the conformance suite of the MCS API against two members
 * of a ClusterSet, on sandbox clusters or on real API servers, and prints what became of each spec.
 *
 * DIR is a checkout of `sigs.k8s.io/mcs-api`; its folder `conformance` is a Go module of its own, which is built with the Go in PATH. Pods are
 * simulated on both kinds of servers, so the specs about DNS and connectivity only run where `--labels` asks for them.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createClient, noLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import { createClusterControllers } from '@isthmus/sandbox';
import { adminTransport, startRealFleet } from '@isthmus/testkit';

const usualLabels = 'Required || (Optional && !DNS && !Connectivity)';

const usage = `Usage: npm run conformance -- --suite DIR [--api-server sandbox|real] [--labels EXPRESSION]

  --suite DIR            a checkout of sigs.k8s.io/mcs-api
  --api-server KIND      sandbox (the default), or real: what npm run envtest:install has built
  --labels EXPRESSION    the specs that run (default: ${usualLabels})

Exits with 0 when every spec that ran has passed and no required one was left out, otherwise with 1.
`;

/** What the suite's JSON report has of a spec. */
export interface SpecReport {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly ContainerHierarchyLabels: readonly (readonly string[] | null)[] | null;
  readonly LeafNodeLabels: readonly string[] | null;
  readonly State: string;
  readonly Failure?: { readonly Message: string } | undefined;
}

/** What became of a run: its table, and whether it shows conformance. */
export interface Verdict {
  readonly table: string;
  readonly ok: boolean;
}

/**
 * A line for each spec that ran or is required, the required ones first, and the sums. It's `ok` when none failed and every required one has
 * passed; a report without required specs is not.
 */
export function verdictOf(specs: readonly SpecReport[]): Verdict {
  const rows = specs
    .filter(({ LeafNodeType }) => LeafNodeType === 'It')
    .map((spec) => ({ ...spec, labels: labelsOf(spec), what: textOf(spec) }))
    .map((spec) => ({ ...spec, required: spec.labels.includes('Required') }))
    .filter(({ required, State }) => required || State !== 'skipped')
    .toSorted((one, other) => Number(other.required) - Number(one.required));
  const sum = (kind: string, of: typeof rows) =>
    `${kind}: ${of.filter(({ State }) => State === 'passed').length} of ${of.length} passed`;
  const [required, optional] = [rows.filter((row) => row.required), rows.filter((row) => !row.required)];
  const lines = rows.flatMap(({ State, labels, what, Failure }) => [
    `${State.padEnd(8)}${what} [${labels.join(', ')}]`,
    ...(Failure === undefined ? [] : Failure.Message.split('\n').map((line) => `          ${line}`)),
  ]);
  return {
    table: [...lines, '', sum('required', required), sum('optional', optional)].join('\n'),
    ok: required.length > 0 && rows.every(({ State }) => State === 'passed'),
  };
}

const labelsOf = ({ ContainerHierarchyLabels, LeafNodeLabels }: SpecReport): readonly string[] => [
  ...new Set([...(ContainerHierarchyLabels ?? []).flatMap((labels) => labels ?? []), ...(LeafNodeLabels ?? [])]),
];

const textOf = ({ ContainerHierarchyTexts, LeafNodeText }: SpecReport): string =>
  [...(ContainerHierarchyTexts ?? []), LeafNodeText].filter((text) => text !== '').join(' ');

/** Two members that the suite can reach. */
interface Members extends AsyncDisposable {
  /** For KUBECONFIG: the files, with a context of the name of each member. */
  readonly kubeconfig: string;
}

const members = ['east', 'west'] as const;

async function startSandbox(directory: string): Promise<Members> {
  const kubeconfig = join(directory, 'kubeconfig');
  const program = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [program, 'sandbox', 'up', '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // The file appears when all clusters are ready.
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null) throw new Error(`isthmus sandbox up has ended with exit code ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    kubeconfig,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function startReal(): Promise<Members> {
  await using stack = new AsyncDisposableStack();
  const fleet = stack.use(
    await startRealFleet({
      clusters: { north: 'leader', east: 'member', west: 'member' },
      kubeControllers: ['*'],
      run(phase, work) {
        say(phase);
        return work();
      },
    }),
  );
  // The suite creates Deployments and waits for their Pods to run.
  const end = new AbortController();
  const clock = systemClock();
  for (const name of members) {
    const client = createClient({ transport: adminTransport(fleet.cluster(name).server, 'kubelet'), clock });
    const ended = createClusterControllers({
      client,
      world: { clock, random: systemRandom(), log: noLog, metrics: noMetrics },
      which: ['scheduler', 'nodes'],
      kubelet: { nodes: [{ name: `${name}-node`, podCIDR: '10.244.1.0/24' }], terminationMs: 100 },
    }).run(end.signal);
    stack.defer(async () => {
      end.abort(new Error('the suite has ended'));
      await ended;
      client.close();
    });
  }
  const kubeconfig = members.map((name) => fleet.cluster(name).server.kubeconfigPath).join(delimiter);
  const owned = stack.move();
  return { kubeconfig, [Symbol.asyncDispose]: () => owned.disposeAsync() };
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
  const { values } = parseArgs({
    options: {
      suite: { type: 'string' },
      'api-server': { type: 'string', default: 'sandbox' },
      labels: { type: 'string', default: usualLabels },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const kind = values['api-server'];
  if (values.help === true || values.suite === undefined || !['sandbox', 'real'].includes(kind)) {
    process.stderr.write(usage);
    return values.help === true ? 0 : 2;
  }
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
    say(kind === 'real' ? 'start real API servers' : 'start the sandbox');
    await using clusters = kind === 'real' ? await startReal() : await startSandbox(directory);
    say('run the specs; this takes minutes');
    const { kubeconfig } = clusters;
    await run(
      suite,
      ['--contexts', members.join(','), `--ginkgo.label-filter=${values.labels}`, `--ginkgo.json-report=${report}`],
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
