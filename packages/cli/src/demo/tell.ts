import type { Clock } from '@isthmus/machinery';
import type { DemoFleet, StartDemoFleet } from './demo-fleet.ts';
import { readBack } from './objects.ts';
import type { StepResult } from './report.ts';
import { demoSteps, deployShop } from './steps.ts';

export interface TellOptions {
  readonly start: StartDemoFleet;
  /** What a person might want to look at is left, and looked at until the demo is interrupted. */
  readonly keep: boolean;
  readonly clock: Clock;
  /** Told of each step when it is over. */
  readonly note: (step: StepResult) => void;
  /** Shows a person who stays how to look around. */
  readonly show: (text: string) => void;
  readonly interrupted: AbortSignal;
}

/** Starts the clusters, tells the story, clears the clusters away. Rejects with what failed, or with the reason of the interruption. */
export async function tell({ start, keep, clock, note, show, interrupted }: TellOptions): Promise<void> {
  const timed = async (name: string, phase: StepResult['phase'], work: () => Promise<unknown>) => {
    const from = clock.monotonic();
    await work();
    return { name, ms: Math.round(clock.monotonic() - from), phase, objects: [] };
  };
  await using fleet = await start({
    keep,
    progress: (name, ms) => note({ name, ms: Math.round(ms), phase: 'start', objects: [] }),
    signal: interrupted,
  });
  note(await timed('Deployment and Service shop/cart in west', 'start', () => deployShop(fleet)));
  for (const { name, run } of demoSteps.filter(({ clearsUp }) => clearsUp !== true || !keep)) {
    const step = await timed(name, 'story', () => run(fleet)).catch((error: unknown) => {
      interrupted.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      throw new Error([`${name}: ${why}`, ...fleet.lastWords()].join('\n  '), { cause: error });
    });
    interrupted.throwIfAborted();
    note({ ...step, objects: await readBack(fleet) });
  }
  if (keep) await stay(fleet, { show, interrupted });
}

/** Says how to look at the clusters, and resolves when somebody interrupts: that is the end that was asked for. */
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
