import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import type { Network } from './testing/truths/truth-run.ts';
import { truthRun } from './testing/truths/truth-run.ts';

/** `npm run soak -- truths --seeds <n>` runs any number of seeds. */
const runs: readonly (readonly [title: string, network: Network, seed: number])[] = [
  ['no status is false for a minute, and no object is written more often than each ten seconds', 'of Nodes', 1],
  ['the same holds with gateways, whose agents die and whose network breaks', 'of gateways', 5],
  ['the same holds for gateways that lead to Pods', 'of gateways, to Pods', 2],
  ['the same holds with gateways for another seed', 'of gateways', 2],
];

describe('while controllers die, and people delete, hold and restore objects', () => {
  it.each(sweepOf(runs, { oneIn: 2 }))(
    '%s',
    async (_, network, seed) => {
      const { breaches, looks } = await truthRun({ seed, sequences: 6, network });
      expect(breaches).toEqual([]);
      // The run looks where statuses are wrong for a moment, too.
      expect(looks.false).toBeGreaterThan(0);
    },
    60_000,
  );
});
