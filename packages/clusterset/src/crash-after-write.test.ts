import { describe, expect, it } from 'vitest';
import { runStory } from './testing/story-run.ts';

/**
 * Each write of the story has its death in one of these runs: the same write of every second step, so that a step in which nobody dies follows
 * and must end as ever before the next death.
 */
describe('a controller that dies after a write was applied and before it heard so', async () => {
  const calm = await runStory();
  const numbers = Array.from({ length: Math.max(...calm.writes) }, (_, index) => index + 1);

  it.each(numbers.flatMap((ofStep) => (['first', 'second'] as const).map((which) => ({ ofStep, which }))))(
    'at write $ofStep of every second step from the $which on leaves the same states as one that lives',
    async ({ ofStep, which }) => {
      const isMeant = (step: number) => step % 2 === (which === 'first' ? 0 : 1);
      const { states, breaches, deaths } = await runStory((write) =>
        isMeant(write.step) && write.ofStep === ofStep ? 'die-after' : 'pass',
      );
      expect(breaches).toEqual([]);
      expect(states).toEqual(calm.states);
      expect(deaths).toBe(calm.writes.filter((writes, step) => isMeant(step) && writes >= ofStep).length);
    },
  );
});
