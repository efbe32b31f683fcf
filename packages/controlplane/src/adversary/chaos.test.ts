import { sweepOf, sweepRuns } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { chaosRun } from './testing/chaos-run.ts';
import { chaosShapes } from './testing/chaos-shapes.ts';

/**
 * The runs of the suite: one seed per shape, at rest after five minutes. `npm test` runs half of
 * the shapes, each with a sixth of its steps. `npm run soak -- chaos --seeds <n>` runs any number
 * of seeds, for longer.
 */
const seeds: readonly (readonly [shape: keyof typeof chaosShapes, seed: number])[] = [
  ['exports that change under faults', 4],
  ['the same with Pod IPs and Services that become headless and back', 1032],
  ['members that come and go, with other tokens and other IDs', 203],
  ['all of it, and names that meet on the leader', 2021],
  ['people who delete and change by hand what controllers made', 3],
  ['two dozen Services, exported and withdrawn all at once', 1003],
];

describe('when all faults are over, the fleet is as if there had been none', () => {
  it.each(sweepOf(seeds, { oneIn: 2 }))('%s', async (shape, seed) => {
    const { breaches, difference, restless } = await chaosRun({
      ...chaosShapes[shape],
      steps: sweepRuns(chaosShapes[shape].steps, { oneIn: 12 }),
      seed,
      restMs: 180_000,
      quietMs: 120_000,
    });
    expect({ breaches, difference, restless }).toEqual({ breaches: [], difference: [], restless: [] });
  });
});
