/**
 * `npm run bench -- --api-server real`: the figures of the house (docs/benchmarks.md), measured on real API servers. The process's edge:
 * arguments, streams, signals, the file with the result.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findBinaries } from '@isthmus/testkit';
import { currentLoad, machineFacts } from './machine.ts';
import { bundleProgram } from './program.ts';
import type { BenchReport, Figure } from './report.ts';
import { renderReport } from './report.ts';
import { scenarios } from './rows.ts';

const usage = `usage: npm run bench -- --api-server real [--only row,row] [--services N] [--changes N] [--starts N] [--growth] [--json FILE] [--profile DIR] [--node-flags FLAGS]

  --api-server real  real API servers, from 'npm run envtest:install' or KUBEBUILDER_ASSETS
  --only 1,2         only these rows: 1 cold convergence, 2 endpoint change, 3 writes, 4 first import, 5 memory, growth
  --services N       how many Services rows 1, 3 and 5 export (default 1000)
  --changes N        how many endpoint changes row 2 makes (default 600)
  --starts N         how many starts row 4 measures (default 5)
  --growth           also cold convergence with 100, 1,000 and 5,000 Services: some minutes more
  --json FILE        where the result goes (default bench/results/<time>.json)
  --profile DIR      CPU profiles of the controllers of rows 1 and 2; their figures are then slower
  --node-flags FLAGS more flags for the Node of the controllers, beside those of their Pods
`;

interface Arguments {
  readonly wanted: ReadonlySet<string>;
  readonly services: number;
  readonly changes: number;
  readonly starts: number;
  readonly json: string | undefined;
  readonly profileInto: string | undefined;
  readonly nodeFlags: readonly string[];
}

function readArguments(): Arguments | { readonly problem: string } {
  const known = scenarios.flatMap(({ rows }) => rows);
  try {
    const { values } = parseArgs({
      options: {
        'api-server': { type: 'string' },
        only: { type: 'string' },
        services: { type: 'string', default: '1000' },
        changes: { type: 'string', default: '600' },
        starts: { type: 'string', default: '5' },
        growth: { type: 'boolean', default: false },
        json: { type: 'string' },
        profile: { type: 'string' },
        'node-flags': { type: 'string', default: '' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { problem: '' };
    if (values['api-server'] !== 'real') {
      return { problem: 'the benchmarks need --api-server real: the embedded sandbox is not built yet' };
    }
    const chosen = values.only?.split(',').map((row) => row.trim()) ?? known.filter((row) => row !== 'growth');
    const unknown = chosen.find((row) => !known.includes(row));
    if (unknown !== undefined)
      return { problem: `there is no row ${JSON.stringify(unknown)}; there are ${known.join(', ')}` };
    const numbers = { services: values.services, changes: values.changes, starts: values.starts };
    for (const [name, text] of Object.entries(numbers)) {
      if (!/^[1-9]\d{0,3}$/.test(text))
        return { problem: `--${name} must be a number from 1 to 9999, not ${JSON.stringify(text)}` };
    }
    return {
      wanted: new Set([...chosen, ...(values.growth ? ['growth'] : [])]),
      services: Number(values.services),
      changes: Number(values.changes),
      starts: Number(values.starts),
      json: values.json,
      profileInto: values.profile === undefined ? undefined : resolve(values.profile),
      nodeFlags: values['node-flags'].split(' ').filter((flag) => flag !== ''),
    };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function run(args: Arguments): Promise<number> {
  const say = (line: string) => void process.stderr.write(`bench: ${line}\n`);
  const [startedAt, facts, figures] = [performance.now(), machineFacts(), [] as Figure[]];
  const limit = AbortSignal.timeout(args.wanted.has('growth') ? growthLimitMs : usualLimitMs);
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => interrupted.abort(new Error(`interrupted by ${name}`)));
  }
  const signal = AbortSignal.any([limit, interrupted.signal]);
  const note = (figure: Figure) => {
    figures.push(figure);
    say(`row ${figure.row}: ${figure.what}: ${figure.value}`);
  };
  let error: string | undefined;
  try {
    await using program = await bundleProgram();
    const { wanted } = args;
    const options = { ...args, program, signal, say };
    for (const { name, rows, measure } of scenarios) {
      if (!rows.some((row) => wanted.has(row))) continue;
      signal.throwIfAborted();
      say(`${name}; load ${currentLoad()}`);
      await measure(options, wanted, note);
    }
  } catch (caught) {
    error = caught instanceof Error ? caught.message : String(caught);
  }
  const report: BenchReport = {
    ok: error === undefined,
    error,
    at: new Date(Date.now()).toISOString(),
    seconds: (performance.now() - startedAt) / 1000,
    machine: { ...facts, kubernetes: kubernetesVersion(), loadAtEnd: currentLoad() },
    figures: figures.toSorted((a, b) => (a.row < b.row ? -1 : a.row > b.row ? 1 : 0)),
  };
  const path = resolve(args.json ?? join(root, 'bench/results', `${report.at.replaceAll(':', '')}.json`));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(report, undefined, 2)}\n`);
  process.stdout.write(renderReport(report));
  process.stdout.write(`\n${path}\n`);
  if (error !== undefined) process.stderr.write(`bench: failed: ${error}\n`);
  return report.ok ? 0 : 1;
}

function kubernetesVersion(): string {
  return execFileSync(findBinaries(process.env)['kube-apiserver'], ['--version'], { encoding: 'utf8' })
    .replace('Kubernetes', '')
    .trim();
}

const root = fileURLToPath(new URL('..', import.meta.url));
/** On two cores without other work the usual rows take about six minutes. */
const usualLimitMs = 15 * 60_000;
const growthLimitMs = 30 * 60_000;

const args = readArguments();
if ('problem' in args) {
  const stream = args.problem === '' ? process.stdout : process.stderr;
  stream.write(args.problem === '' ? usage : `bench: ${args.problem}\n\n${usage}`);
  process.exitCode = args.problem === '' ? 0 : 2;
} else {
  process.exitCode = await run(args);
}
