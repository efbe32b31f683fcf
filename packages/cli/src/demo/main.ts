/**
 * `npm run demo`: the story of one Service between three clusters, on the sandbox or on real API
 * servers. The process's edge of the demo: arguments, streams, signals.
 */
import { fileURLToPath } from 'node:url';
import type { Output } from '../render/output.ts';
import { nodeIo } from '../world/node-process.ts';
import { showSteps } from '../render/steps.ts';
import { keepLogs } from '../sandbox/kept-log.ts';
import type { Asked } from './arguments.ts';
import { parseDemoArguments, usage } from './arguments.ts';
import type { EndingSignal } from './ending.ts';
import { Interrupted, endingOf, endingSignals } from './ending.ts';
import { networkStory } from './network-steps.ts';
import { realDemoFleet } from './real-fleet.ts';
import type { StepResult } from './report.ts';
import { jsonReporter, textReporter } from './report.ts';
import { sandboxDemoFleet } from './sandbox-fleet.ts';
import { serviceStory } from './steps.ts';
import { tell } from './tell.ts';

type Play = Extract<Asked, { readonly kind: 'play' }>;

/**
 * Plays, removes the clusters, and only then reports the end: a cluster that cannot be removed is a
 * failure too. Returns the exit code.
 */
async function play(args: Play): Promise<number> {
  const io = nodeIo(fileURLToPath(new URL('../main.ts', import.meta.url)));
  const reporter = args.json ? jsonReporter(io.stdout) : textReporter(io.stdout);
  const interrupted = new AbortController();
  const shown = showSteps({ output: io.stdout, clock: io.clock, signal: interrupted.signal });
  const stderr = args.json ? io.stderr : shown.beside(io.stderr);
  interruptBySignal(interrupted, stderr);
  const steps: StepResult[] = [];
  const common = {
    keep: args.keep,
    clock: io.clock,
    run: args.json ? <T>(_name: string, work: () => Promise<T>) => work() : shown.run,
    note(step: StepResult) {
      steps.push(step);
      reporter.objects(step.objects);
    },
    show: (text: string) => stderr.write(text),
    keepLogs: (text: string) => keepLogs('demo', text, io),
    interrupted: interrupted.signal,
  } as const;
  const start = args.apiServer === 'real' ? realDemoFleet(io) : sandboxDemoFleet(io);
  const told = args.network
    ? tell({ ...common, start: sandboxDemoFleet(io, { hasNetwork: true }), story: networkStory })
    : tell({ ...common, start, story: serviceStory });
  const failure = await told.then(
    () => undefined,
    (error: unknown) => error,
  );
  const { ok, error, exitCode } = endingOf(failure);
  const storyMs = steps.filter(({ phase }) => phase === 'story').reduce((sum, { ms }) => sum + ms, 0);
  reporter.end({ ok, apiServer: args.apiServer, network: args.network, storyMs, steps, error });
  return exitCode;
}

/**
 * Aborts with {@link Interrupted} at the first signal, from the start of the clusters to their end.
 * Further signals are copies (npm and a terminal may each send one), or the user does not want to
 * wait. `kill -9` does not wait, and leaves nothing either.
 */
function interruptBySignal(interrupted: AbortController, stderr: Output): void {
  const onSignal = (signal: EndingSignal) => {
    if (interrupted.signal.aborted) return;
    stderr.write(`\n${signal}: removing the clusters\n`);
    interrupted.abort(new Interrupted(signal));
  };
  for (const signal of Object.keys(endingSignals) as EndingSignal[]) process.on(signal, onSignal);
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
