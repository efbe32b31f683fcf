/**
 * `npm run demo -- --api-server real`: the story of one Service between three real API servers, with the controllers as processes of their
 * own. The process's edge of the demo: arguments, streams, signals.
 */
import type { RealFleet } from '@isthmus/testkit';
import { startRealFleet } from '@isthmus/testkit';
import type { Asked } from './arguments.ts';
import { parseDemoArguments, usage } from './arguments.ts';
import type { EndingSignal } from './ending.ts';
import { Interrupted, endingOf, endingSignals } from './ending.ts';
import { readBack } from './objects.ts';
import type { StepResult } from './report.ts';
import { jsonReporter, textReporter, wantsColour } from './report.ts';
import { demoSteps, deployShop } from './steps.ts';

type Play = Extract<Asked, { readonly kind: 'play' }>;

/** Plays, clears away, and only then reports the end: a cluster that does not go is a failure too. Gives the exit code. */
async function play(args: Play): Promise<number> {
  const write = (text: string) => void process.stdout.write(text);
  const reporter = args.json
    ? jsonReporter(write)
    : textReporter(write, wantsColour(process.env, process.stdout.isTTY));
  const steps: StepResult[] = [];
  const note = (step: StepResult) => {
    steps.push(step);
    reporter.step(step);
  };
  const failure = await tell(args, note, interruption()).then(
    () => undefined,
    (error: unknown) => error,
  );
  const { ok, error, exitCode } = endingOf(failure);
  const storyMs = steps.filter(({ phase }) => phase === 'story').reduce((sum, { ms }) => sum + ms, 0);
  reporter.end({ ok, apiServer: 'real', storyMs, steps, error });
  return exitCode;
}

/** Starts the clusters, tells the story, clears the clusters away. Rejects with what failed, or with {@link Interrupted}. */
async function tell(args: Play, note: (step: StepResult) => void, interrupted: AbortSignal): Promise<void> {
  await using fleet = await startRealFleet({
    clusters: { north: 'leader', east: 'member', west: 'member' },
    controllers: 'process',
    progress: (name, ms) => note({ name, ms: Math.round(ms), phase: 'start', objects: [] }),
    signal: interrupted,
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
      interrupted.throwIfAborted();
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}\n${lastWords(fleet)}`, {
        cause: error,
      });
    });
    interrupted.throwIfAborted();
    const ms = Math.round(performance.now() - from);
    note({ name, ms, phase: 'story', objects: await readBack(fleet) });
  }
  if (args.keep) await stay(fleet, interrupted);
}

/** What the controllers said last: the reason for most failures. */
function lastWords(fleet: RealFleet): string {
  return fleet.clusters.flatMap(({ name, output }) => output.slice(-5).map((line) => `  ${name}: ${line}`)).join('\n');
}

/** Says how to look at the clusters, and resolves when somebody interrupts: that is the end that was asked for. */
async function stay(fleet: RealFleet, interrupted: AbortSignal): Promise<void> {
  process.stderr.write('\nThe clusters stay up until you press Ctrl-C. In another terminal:\n');
  for (const { name, role, server } of fleet.clusters) {
    const kinds = role === 'leader' ? 'resourceexports,resourceimports' : 'serviceexports,serviceimports';
    process.stderr.write(`  kubectl --kubeconfig ${server.kubeconfigPath} get ${kinds} -A   # ${name}\n`);
  }
  if (interrupted.aborted) return;
  await new Promise<void>((resolve) => interrupted.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * Aborts with {@link Interrupted} at the first signal, from the start of the clusters to their end. Further ones are copies of it (npm and a
 * terminal may each send one), or from a person who does not want to wait: kill -9 is for that, and leaves nothing either.
 */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  const onSignal = (signal: EndingSignal) => {
    if (interrupted.signal.aborted) return;
    process.stderr.write(`\n${signal}: clearing the clusters away\n`);
    interrupted.abort(new Interrupted(signal));
  };
  for (const signal of Object.keys(endingSignals) as EndingSignal[]) process.on(signal, onSignal);
  return interrupted.signal;
}

const asked = parseDemoArguments(process.argv.slice(2));
switch (asked.kind) {
  case 'help':
    process.stdout.write(usage);
    break;
  case 'wrong':
    process.stderr.write(`demo: ${asked.problem}\n\n${usage}`);
    process.exitCode = 2;
    break;
  case 'play':
    process.exitCode = await play(asked);
    break;
}
