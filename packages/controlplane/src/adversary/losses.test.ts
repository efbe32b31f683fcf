import { sweepOf } from '@isthmus/testkit';
import { expect, it } from 'vitest';
import { lossRun } from './testing/loss-run.ts';

// `npm run soak -- losses` runs other seeds.
it.each(sweepOf([2, 11, 15, 33, 34, 37, 39, 48, 59, 120], { oneIn: 4 }))(
  'no import changes, and all is exported and published again, when objects of the Common Area lose their labels or annotations and are lost (%i)',
  async (seed) => {
    const { story, breaches } = await lossRun(seed);
    expect(breaches, story.join('\n')).toEqual([]);
  },
);
