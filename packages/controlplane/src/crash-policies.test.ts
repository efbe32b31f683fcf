import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { runPolicyStory } from './testing/policy-story.ts';

/**
 * A death at every fourth write; each write has its death in one of the runs. So each story
 * continues among controllers that have just died.
 */
const every = 4;

describe('the replication of policies', async () => {
  const calm = await runPolicyStory();
  const runs = Array.from({ length: every }, (_, first) => first).flatMap((first) =>
    (['die-before', 'die-after'] as const).map((death) => ({ first, death })),
  );

  it('has a story to die in', () => {
    expect(calm.breaches).toEqual([]);
    expect(calm.writes).toBeGreaterThan(15);
  });

  it.each(sweepOf(runs, { oneIn: 8, kindOf: ({ death }) => death }))(
    'ends in the same states where controllers die at every fourth write from $first: $death',
    async ({ first, death }) => {
      const { states, breaches } = await runPolicyStory(({ number }) => (number % every === first ? death : 'pass'));
      expect(breaches).toEqual([]);
      expect(states).toEqual(calm.states);
    },
  );
});
