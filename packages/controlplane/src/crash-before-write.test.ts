import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { runStory } from './testing/story-run.ts';

/**
 * Before write n the API contains what it contained after write n - 1, and a restarted controller
 * knows nothing else. So these deaths are those of `crash-after-write.test.ts`, which has all of
 * them. Here each step of the story has one death, so that a step begins among controllers that
 * have just died. Every third step is enough.
 */
describe('a controller that dies before a write', async () => {
  const calm = await runStory();

  it('has a story to die in', () => {
    expect(calm).toMatchObject({ breaches: [], deaths: 0 });
    expect(calm.writes.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(60);
  });

  const thirds = Array.from({ length: Math.ceil(Math.max(...calm.writes) / 3) }, (_, index) => 3 * index + 1);

  it.each(sweepOf(thirds, { oneIn: 9 }))(
    'number %i of each step of the story leaves the same states as one that lives',
    async (ofStep) => {
      const { states, breaches, deaths } = await runStory((write) => (write.ofStep === ofStep ? 'die-before' : 'pass'));
      expect(breaches).toEqual([]);
      expect(states).toEqual(calm.states);
      expect(deaths).toBe(calm.writes.filter((writes) => writes >= ofStep).length);
    },
  );
});
