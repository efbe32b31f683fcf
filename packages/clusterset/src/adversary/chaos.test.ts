import { describe, expect, it } from 'vitest';
import type { ChaosOptions } from './testing/chaos-run.ts';
import { chaosRun } from './testing/chaos-run.ts';

/** What the suite runs each time; several hundred seeds of each were run when this was written. */
const runs: readonly (readonly [what: string, options: ChaosOptions])[] = [
  ['exports that change under faults', { seed: 4, steps: 60, faults: true, paceMs: 5_000 }],
  [
    'the same with Pod IPs and Services that become headless and back',
    { seed: 1032, steps: 60, faults: true, paceMs: 1_500, headless: true, podIPs: true },
  ],
  [
    'members that come and go, with other tokens and other IDs',
    { seed: 203, steps: 60, faults: true, paceMs: 5_000, membership: true },
  ],
  [
    'all of it, and names that meet on the leader',
    {
      seed: 2021,
      steps: 80,
      faults: true,
      paceMs: 6_000,
      collisions: true,
      namespaces: true,
      membership: true,
      headless: true,
      wallClock: true,
    },
  ],
  [
    'people who delete and change by hand what controllers made',
    { seed: 3, steps: 60, faults: true, paceMs: 5_000, drift: true },
  ],
  [
    'two dozen Services, exported and withdrawn all at once',
    { seed: 1003, steps: 20, faults: true, paceMs: 8_000, many: 24 },
  ],
];

describe('when all faults are over, the fleet is as if there had been none', () => {
  it.each(runs)('%s', async (_, options) => {
    const { breaches, difference, restless } = await chaosRun(options);
    expect({ breaches, difference, restless }).toEqual({ breaches: [], difference: [], restless: [] });
  });
});
