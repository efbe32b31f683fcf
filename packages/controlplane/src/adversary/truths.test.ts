import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { truthRun } from './testing/truths/truth-run.ts';

/** `npm run soak -- truths --seeds <n>` runs any number of seeds. */
const runs: readonly (readonly [title: string, gateways: boolean, seed: number])[] = [
  ['no status is false for a minute, and no object is written more often than each ten seconds', false, 1],
  ['the same holds with gateways, whose agents die and whose network breaks', true, 5],
  ['the same holds for another seed', false, 2],
  ['the same holds with gateways for another seed', true, 2],
];

describe('while controllers die, and people delete, hold and restore objects', () => {
  it.each(sweepOf(runs, { oneIn: 2 }))(
    '%s',
    async (_, gateways, seed) => {
      const { breaches, looks } = await truthRun({ seed, sequences: 6, gateways });
      expect(breaches).toEqual([]);
      // The run looks where statuses are wrong for a moment, too.
      expect(looks.false).toBeGreaterThan(0);
    },
    60_000,
  );
});
