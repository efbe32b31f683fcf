import type { Clock } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import { logSummary } from '../render/log-summary.ts';
import type { RunStep } from '../render/steps.ts';
import type { DemoFleet, StartDemoFleet, Story } from './demo-fleet.ts';
import { readBack } from './objects.ts';
import type { StepResult } from './report.ts';

export interface TellOptions<F extends DemoFleet = DemoFleet> {
  readonly start: StartDemoFleet<F>;
  readonly story: Story<F>;
  /** Keeps the objects that a user might want to look at, until the demo is interrupted. */
  readonly keep: boolean;
  readonly clock: Clock;
  /** Shows a step while it runs. */
  readonly run: RunStep;
  /** Called after each step. */
  readonly note: (step: StepResult) => void;
  /** Shows a person who stays how to look around. */
  readonly show: (text: string) => void;
  /** Keeps the logs of a story that failed, where the clusters go; gives the path. */
  readonly keepLogs: (text: string) => Promise<string>;
  readonly interrupted: AbortSignal;
}

/**
 * Starts the clusters, plays the story, and removes the clusters. Rejects with the failure, or with
 * the reason of the interruption.
 */
export async function tell<F extends DemoFleet>(options: TellOptions<F>): Promise<void> {
  const { start, story, keep, clock, note, keepLogs, interrupted } = options;
  const runAs = (phase: StepResult['phase'], objects: () => Promise<StepResult['objects']>): RunStep => {
    return async (name, work) => {
      const from = clock.monotonic();
      const result = await options.run(name, work);
      interrupted.throwIfAborted();
      note({
        name,
        ms: Math.round(clock.monotonic() - from),
        phase,
        objects: [...(await objects()), ...(phase === 'story' ? shown(result) : [])],
      });
      return result;
    };
  };
  const preparation = runAs('start', async () => []);
  await using fleet = await start({ keep, run: preparation, signal: interrupted });
  const telling = runAs('story', () => readBack(fleet));
  const steps = [
    { ...story.preparation, runStep: preparation },
    ...story.steps.filter(({ clearsUp }) => clearsUp !== true || !keep).map((step) => ({ ...step, runStep: telling })),
  ];
  for (const { name, run, runStep } of steps) {
    await runStep(name, () => run(fleet)).catch(async (error: unknown) => {
      interrupted.throwIfAborted();
      const why = errorMessage(error);
      const logs = `all logs: ${await keepLogs(fleet.logs())}`;
      throw new Error([`${name}: ${why}`, ...logSummary(fleet.controllerLog()), logs].join('\n  '), { cause: error });
    });
  }
  if (keep) await stay(fleet, options);
}

/** The objects that a step of the story returned, if it returned any. */
function shown(result: unknown): StepResult['objects'] {
  return Array.isArray(result) ? (result as StepResult['objects']) : [];
}

/**
 * Shows how to look at the clusters, and resolves when a signal interrupts: the user asked for this
 * end.
 */
async function stay(
  { clusters }: DemoFleet,
  { show, interrupted }: Pick<TellOptions, 'show' | 'interrupted'>,
): Promise<void> {
  show('\nThe clusters stay up until you press Ctrl-C. In another terminal:\n');
  for (const { name, isLeader, kubectl } of clusters) {
    const kinds = isLeader ? 'resourceexports,resourceimports' : 'serviceexports,serviceimports';
    show(`  kubectl ${kubectl} get ${kinds} -A   # ${name}\n`);
  }
  if (interrupted.aborted) return;
  await new Promise<void>((resolve) => interrupted.addEventListener('abort', () => resolve(), { once: true }));
}
