/**
 * `npm run demo -- --api-server real`: the story of one Service between three real API servers, with the controllers as processes of their
 * own. The process's edge of the demo: arguments, streams, signals.
 */
import { parseArgs } from 'node:util';
import type { RealFleet } from '@isthmus/testkit';
import { startRealFleet } from '@isthmus/testkit';
import { readBack } from './objects.ts';
import type { DemoReport, StepResult } from './report.ts';
import { jsonReporter, textReporter, wantsColour } from './report.ts';
import { demoSteps, deployShop } from './steps.ts';

const usage = `usage: npm run demo -- --api-server real [--json] [--keep]

  --api-server real  three real API servers, from 'npm run envtest:install' or KUBEBUILDER_ASSETS
  --json             print one JSON document { ok, steps: [{ name, ms, objects }] }
  --keep             do not withdraw and leave at the end, but stay up until interrupted, and say how to point kubectl at each cluster
`;

interface Arguments {
  readonly json: boolean;
  readonly keep: boolean;
}

function readArguments(): Arguments | { readonly problem: string } {
  try {
    const { values } = parseArgs({
      options: {
        'api-server': { type: 'string' },
        json: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { problem: '' };
    if (values['api-server'] !== 'real') {
      return { problem: 'the demo needs --api-server real: the embedded sandbox is not built yet' };
    }
    return { json: values.json, keep: values.keep };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function play(args: Arguments): Promise<number> {
  const write = (text: string) => void process.stdout.write(text);
  const reporter = args.json
    ? jsonReporter(write)
    : textReporter(write, wantsColour(process.env, process.stdout.isTTY));
  const steps: StepResult[] = [];
  const note = (step: StepResult) => {
    steps.push(step);
    reporter.step(step);
  };
  const report = (ok: boolean, error?: string): DemoReport => {
    const storyMs = steps.filter(({ phase }) => phase === 'story').reduce((sum, { ms }) => sum + ms, 0);
    return { ok, apiServer: 'real', storyMs, steps, error };
  };
  try {
    await using fleet = await startRealFleet({
      clusters: { north: 'leader', east: 'member', west: 'member' },
      controllers: 'process',
      progress: (name, ms) => note({ name, ms: Math.round(ms), phase: 'start', objects: [] }),
    });
    const deployed = performance.now();
    await deployShop(fleet);
    note({
      name: 'Service shop/cart deployed in west',
      ms: Math.round(performance.now() - deployed),
      phase: 'start',
      objects: [],
    });
    for (const { name, run } of demoSteps.filter(({ clearsUp }) => clearsUp !== true || !args.keep)) {
      const from = performance.now();
      await run(fleet).catch((error: unknown) => {
        throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}\n${lastWords(fleet)}`, {
          cause: error,
        });
      });
      const ms = Math.round(performance.now() - from);
      note({ name, ms, phase: 'story', objects: await readBack(fleet) });
    }
    reporter.end(report(true));
    if (args.keep) await keep(fleet);
    return 0;
  } catch (error) {
    reporter.end(report(false, error instanceof Error ? error.message : String(error)));
    return 1;
  }
}

/** What the controllers said last: the reason for most failures. */
function lastWords(fleet: RealFleet): string {
  return fleet.clusters.flatMap(({ name, output }) => output.slice(-5).map((line) => `  ${name}: ${line}`)).join('\n');
}

async function keep(fleet: RealFleet): Promise<void> {
  process.stderr.write('\nThe clusters stay up until you press Ctrl-C. In another terminal:\n');
  for (const { name, server } of fleet.clusters) {
    process.stderr.write(
      `  kubectl --kubeconfig ${server.kubeconfigPath} get serviceexports,serviceimports -A   # ${name}\n`,
    );
  }
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

const args = readArguments();
if ('problem' in args) {
  const stream = args.problem === '' ? process.stdout : process.stderr;
  stream.write(args.problem === '' ? usage : `demo: ${args.problem}\n\n${usage}`);
  process.exitCode = args.problem === '' ? 0 : 2;
} else {
  process.exitCode = await play(args);
}
