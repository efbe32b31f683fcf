import { describe, expect, it } from 'vitest';
import { runStory } from './testing/story-run.ts';

/**
 * Before write n the API holds what it holds after write n - 1, and a controller that starts anew knows nothing else: these deaths are those of
 * `crash-after-write.test.ts`. Here only every second step has one, so that a step in which nobody dies follows, and must end as ever before
 * the next death: an odd number dies in the first step, an even one in the second, and so on.
 */
describe('a controller that dies before a write', async () => {
  const calm = await runStory();

  it('has a story to die in', () => {
    expect(calm).toMatchObject({ breaches: [], deaths: 0 });
    expect(calm.writes.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(60);
  });

  it.each(Array.from({ length: Math.max(...calm.writes) }, (_, index) => index + 1))(
    'number %i of every second step of the story leaves the same states as one that lives',
    async (ofStep) => {
      const isMeant = (step: number) => step % 2 === (ofStep + 1) % 2;
      const { states, breaches, deaths } = await runStory((write) =>
        isMeant(write.step) && write.ofStep === ofStep ? 'die-before' : 'pass',
      );
      expect(breaches).toEqual([]);
      expect(states).toEqual(calm.states);
      expect(deaths).toBe(calm.writes.filter((writes, step) => isMeant(step) && writes >= ofStep).length);
    },
  );
});
