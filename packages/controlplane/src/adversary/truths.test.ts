import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { truthRun } from './testing/truths/truth-run.ts';

/** `npm run soak -- truths --seeds <n>` runs any number of seeds. */
const runs: readonly (readonly [title: string, gateways: boolean, seed: number])[] = [
  ['with Pod IPs', false, 1],
  ['with gateways', true, 5],
  ['with Pod IPs', false, 2],
  ['with gateways', true, 2],
];

describe('while controllers die, and people delete, hold and restore objects', () => {
  it.each(sweepOf(runs, { oneIn: 2 }))(
    'no status is false for a minute, and no object is written more often than each ten seconds (%s)',
    async (_, gateways, seed) => {
      const { breaches, looks } = await truthRun({ seed, sequences: 6, gateways });
      expect(breaches).toEqual([]);
      // The run looks where statuses are wrong for a moment, too.
      expect(looks.false).toBeGreaterThan(0);
    },
    60_000,
  );
});
