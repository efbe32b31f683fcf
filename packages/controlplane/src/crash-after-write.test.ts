import { sweepOf } from '@isthmus/testkit';
import { describe, expect, it } from 'vitest';
import { runStory } from './testing/story-run.ts';

/**
 * In the whole sweep, each write of the story has its death in one of the runs: the same write of
 * every second step. So a step without a death follows, and must end as always before the next
 * death. A run ends with the step after its last death: later writes have their own runs.
 */
describe('a controller that dies after a write was applied and before it heard so', async () => {
  const calm = await runStory();
  const runs = Array.from({ length: Math.max(...calm.writes) }, (_, index) => index + 1).flatMap((ofStep) =>
    (['first', 'second'] as const).map((which) => ({
      ofStep,
      which,
      steps: calm.writes.flatMap((writes, step) =>
        step % 2 === (which === 'first' ? 0 : 1) && writes >= ofStep ? [step] : [],
      ),
    })),
  );
  const visited = sweepOf(
    runs.filter(({ steps }) => steps.length > 0),
    { oneIn: 14, kindOf: ({ which }) => which },
  );

  it('has its death at every write of the whole sweep, and in every step of its share', () => {
    expect(runs.reduce((sum, { steps }) => sum + steps.length, 0)).toBe(calm.writes.reduce((sum, one) => sum + one, 0));
    expect(new Set(visited.flatMap(({ steps }) => steps))).toEqual(new Set(calm.writes.keys()));
  });

  it.each(visited)(
    'at write $ofStep of every second step from the $which on leaves the same states as one that lives',
    async ({ ofStep, steps }) => {
      const { states, breaches, deaths } = await runStory(
        (write) => (steps.includes(write.step) && write.ofStep === ofStep ? 'die-after' : 'pass'),
        (steps.at(-1) ?? 0) + 2,
      );
      expect(breaches).toEqual([]);
      expect(states).toEqual(calm.states.slice(0, states.length));
      expect(deaths).toBe(steps.length);
    },
  );
});
