import { describe, expect, it } from 'vitest';
import { runStory } from './testing/story-run.ts';

/** Each write of the story has its death in one of these runs: the same write of every step, so that a step begins among controllers that have just died. */
describe('a controller that dies after a write was applied and before it heard so', async () => {
  const calm = await runStory();

  it.each(Array.from({ length: Math.max(...calm.writes) }, (_, index) => index + 1))(
    'number %i of each step of the story leaves the same states as one that lives',
    async (ofStep) => {
      const { states, breaches, deaths } = await runStory((write) => (write.ofStep === ofStep ? 'die-after' : 'pass'));
      expect(breaches).toEqual([]);
      expect(states).toEqual(calm.states);
      expect(deaths).toBe(calm.writes.filter((writes) => writes >= ofStep).length);
    },
  );
});
