import { describe, expect, it } from 'vitest';
import { runStory } from './testing/story-run.ts';

describe('a controller that dies before a write', async () => {
  const calm = await runStory();

  it('has a story to die in', () => {
    expect(calm).toMatchObject({ breaches: [], deaths: 0 });
    expect(calm.writes).toBeGreaterThan(60);
  });

  it.each(Array.from({ length: calm.writes }, (_, index) => index + 1))(
    'number %i of the story leaves the same state as one that lives',
    async (n) => {
      const { states, breaches, deaths } = await runStory((write) => (write.n === n ? 'die-before' : 'pass'));
      expect({ breaches, deaths }).toEqual({ breaches: [], deaths: 1 });
      expect(states).toEqual(calm.states);
    },
  );
});
