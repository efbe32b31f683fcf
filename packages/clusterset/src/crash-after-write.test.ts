import { describe, expect, it } from 'vitest';
import { runStory } from './testing/story-run.ts';

describe('a controller that dies after a write was applied and before it heard so', async () => {
  const calm = await runStory();

  it.each(Array.from({ length: sum(calm.writes) }, (_, index) => index + 1))(
    'at write %i of the story leaves the same state as one that lives',
    async (n) => {
      const { states, breaches, deaths } = await runStory((write) => (write.n === n ? 'die-after' : 'pass'));
      expect({ breaches, deaths }).toEqual({ breaches: [], deaths: 1 });
      expect(states).toEqual(calm.states);
    },
  );
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
