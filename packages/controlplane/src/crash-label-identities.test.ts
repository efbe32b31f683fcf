import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { runIdentityStory } from './testing/identity-story.ts';

/** A death at every fourth write; each write has its death in one of the runs. */
const every = 4;

describe('the exchange of label identities', async () => {
  const calm = await runIdentityStory();
  const runs = Array.from({ length: every }, (_, first) => first).flatMap((first) =>
    (['die-before', 'die-after'] as const).map((death) => ({ first, death })),
  );

  it('has a story to die in', () => {
    expect(calm.breaches).toEqual([]);
    expect(calm.writes).toBeGreaterThan(20);
  });

  it.each(sweepOf(runs, { oneIn: 8, kindOf: ({ death }) => death }))(
    'keeps each number and ends in the same states where controllers die at every fourth write from $first: $death',
    async ({ first, death }) => {
      const { states, breaches } = await runIdentityStory(({ number }) => (number % every === first ? death : 'pass'));
      expect(breaches).toEqual([]);
      expect(states).toEqual(calm.states);
    },
  );
});
