/**
 * `npm run bench`: the figures of the house (docs/benchmarks.md), of the sandbox, of the
 * controllers on real API servers, and of the rules of upgrades. The process's edge: arguments,
 * streams, signals, the file with the result.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '@isthmus/machinery';
import { findBinaries } from '@isthmus/testkit';
import { readArguments, usage } from './arguments.ts';
import type { Arguments } from './arguments.ts';
import { currentLoad, machineFacts } from './machine.ts';
import { bundleProgram } from './program.ts';
import type { BenchReport, Figure } from './report.ts';
import { inOrder, renderReport } from './report.ts';
import { allRows, askedRows } from './row-names.ts';
import { churnScenarios, fleetScenarios, networkScenarios, sandboxScenarios, upgradeScenarios } from './rows.ts';

const scenariosOf = {
  fleet: fleetScenarios,
  sandbox: sandboxScenarios,
  upgrade: upgradeScenarios,
  churn: churnScenarios,
  network: networkScenarios,
};

async function run(args: Arguments): Promise<number> {
  const say = (line: string) => void process.stderr.write(`bench: ${line}\n`);
  const [startedAt, facts, figures] = [performance.now(), machineFacts(), [] as Figure[]];
  const limit = AbortSignal.timeout(
    args.part === 'churn' || askedRows.some((row) => args.wanted.has(row)) ? growthLimitMs : usualLimitMs,
  );
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
    const checkout = args.against === undefined ? undefined : resolve(args.against);
    await using other = checkout === undefined ? undefined : await bundleProgram(checkout);
    const against = checkout === undefined || other === undefined ? undefined : { program: other, checkout };
    const profileInto = args.profileInto === undefined ? undefined : resolve(args.profileInto);
    const antrea = args.antrea && {
      binary: resolve(args.antrea.binary),
      manifests: resolve(args.antrea.manifests),
    };
    const options = { ...args, antrea, against, profileInto, program, signal, say };
    for (const { name, rows, measure } of scenariosOf[args.part]) {
      if (!rows.some((row) => wanted.has(row))) continue;
      signal.throwIfAborted();
      say(`${name}; load ${currentLoad()}`);
      await measure(options, wanted, note);
    }
  } catch (caught) {
    error = errorMessage(caught);
  }
  const report: BenchReport = {
    ok: error === undefined,
    error,
    at: new Date(Date.now()).toISOString(),
    seconds: (performance.now() - startedAt) / 1000,
    machine: { ...facts, kubernetes: args.besideReal ? kubernetesVersion() : undefined, loadAtEnd: currentLoad() },
    figures: inOrder(figures, allRows),
  };
  const path = resolve(args.json ?? join(root, 'bench/results', `${report.at.replaceAll(':', '')}.json`));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(report, undefined, 2)}\n`);
  process.stdout.write(renderReport(report));
  process.stdout.write(`\n${path}\n`);
  if (args.part === 'sandbox' && !args.besideReal) say(goesOn);
  if (error !== undefined) process.stderr.write(`bench: failed: ${error}\n`);
  return report.ok ? 0 : 1;
}

function kubernetesVersion(): string {
  return execFileSync(findBinaries(process.env)['kube-apiserver'], ['--version'], { encoding: 'utf8' })
    .replace('Kubernetes', '')
    .trim();
}

const root = fileURLToPath(new URL('..', import.meta.url));
/**
 * On two cores without other work the usual rows take about six minutes, the sandbox's about three.
 */
const usualLimitMs = 15 * 60_000;
const growthLimitMs = 30 * 60_000;

/** The figures that a run on the sandbox alone lacks, with their commands. */
const goesOn =
  "with the real API server's figures beside these: npm run bench -- sandbox --api-server real; the controllers on real ones: npm run bench -- --api-server real";

const args = readArguments(process.argv.slice(2));
if ('problem' in args) {
  const stream = args.problem === '' ? process.stdout : process.stderr;
  stream.write(args.problem === '' ? usage : `bench: ${args.problem}\n\n${usage}`);
  process.exitCode = args.problem === '' ? 0 : 2;
} else {
  process.exitCode = await run(args);
}
