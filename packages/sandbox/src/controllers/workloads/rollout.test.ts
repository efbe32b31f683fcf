import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReplicaSet } from '../kinds.ts';
import type { Bounds, Scaling } from './rollout.ts';
import { boundsOf, decideProportional, decideRecreate, decideRollingUpdate } from './rollout.ts';

/** A ReplicaSet as far as these decisions see it. */
function set(name: string, wanted: number, available = wanted): ReplicaSet {
  return {
    metadata: { name },
    spec: { replicas: wanted, selector: {}, template: {} },
    status: { availableReplicas: available },
  };
}

const shown = (scaling: Scaling) => Object.fromEntries([...scaling].map(([{ metadata }, to]) => [metadata.name, to]));

describe('the bounds of a rolling update', () => {
  it.each([
    [undefined, 4, { surge: 1, unavailable: 1 }],
    [undefined, 3, { surge: 1, unavailable: 0 }],
    [{ maxSurge: '50%', maxUnavailable: '50%' }, 3, { surge: 2, unavailable: 1 }],
    [{ maxSurge: 0, maxUnavailable: 0 }, 3, { surge: 0, unavailable: 1 }],
    [{ maxSurge: 0, maxUnavailable: '10%' }, 3, { surge: 0, unavailable: 1 }],
    [{ maxSurge: 2, maxUnavailable: 9 }, 3, { surge: 2, unavailable: 3 }],
  ])('of %o and %i replicas are %o', (update, replicas, bounds) => {
    expect(boundsOf(update, replicas)).toEqual(bounds);
  });
});

describe('the next step of a rolling update', () => {
  const next = (replicas: number, bounds: Bounds, fresh: ReplicaSet, ...old: readonly ReplicaSet[]) =>
    shown(decideRollingUpdate({ replicas, bounds, fresh, old }));
  const surge = { surge: 1, unavailable: 0 };

  it('grows the new ReplicaSet as far as the surge allows', () => {
    expect(next(3, surge, set('new', 0), set('old', 3))).toEqual({ new: 1 });
  });
  it('waits while the new Pods are not available', () => {
    expect(next(3, surge, set('new', 1, 0), set('old', 3))).toEqual({});
  });
  it('shrinks the old one when a new Pod is available', () => {
    expect(next(3, surge, set('new', 1), set('old', 3))).toEqual({ old: 2 });
  });
  it('takes Pods that are not available first, of the oldest first', () => {
    expect(next(3, surge, set('new', 0), set('a', 2), set('b', 2, 0))).toEqual({ b: 1 });
  });
  it('shrinks before it grows where there is no surge', () => {
    expect(next(3, { surge: 0, unavailable: 2 }, set('new', 0), set('old', 3))).toEqual({ old: 1 });
  });
  it('shrinks a new ReplicaSet that has too many', () => {
    expect(next(2, surge, set('new', 5))).toEqual({ new: 2 });
  });
});

describe('any rolling update', () => {
  interface Live {
    readonly wanted: number;
    /** Pods that run, and those among them that are available. */
    readonly pods: number;
    readonly available: number;
    /** The count in the status, which may be outdated. */
    readonly reported: number;
  }
  const actions = ['decide', 'run', 'become-ready', 'report', 'new-template'] as const;

  /** The last one is the new one. */
  function act(
    sets: readonly Live[],
    action: (typeof actions)[number],
    replicas: number,
    bounds: Bounds,
  ): readonly Live[] {
    switch (action) {
      case 'decide': {
        const seen = sets.map(({ wanted, reported }, index) => set(`${index}`, wanted, reported));
        const fresh = seen.at(-1) ?? set('none', 0);
        const scaling = decideRollingUpdate({ replicas, bounds, fresh, old: seen.slice(0, -1) });
        return sets.map((one, index) => ({ ...one, wanted: scaling.get(seen[index] ?? fresh) ?? one.wanted }));
      }
      case 'run':
        // Pods that are not available go first.
        return sets.map((one) => ({ ...one, pods: one.wanted, available: Math.min(one.available, one.wanted) }));
      case 'become-ready': {
        const index = sets.findIndex(({ pods, available }) => available < pods);
        return sets.map((one, at) => (at === index ? { ...one, available: one.available + 1 } : one));
      }
      case 'report':
        return sets.map((one) => ({ ...one, reported: one.available }));
      case 'new-template':
        return [...sets, { wanted: 0, pods: 0, available: 0, reported: 0 }];
    }
  }

  const rollout = fc.record({
    replicas: fc.integer({ min: 1, max: 12 }),
    update: fc.record({ maxSurge: fc.integer({ min: 0, max: 5 }), maxUnavailable: fc.integer({ min: 0, max: 5 }) }),
    steps: fc.array(fc.constantFrom(...actions), { maxLength: 80 }),
  });

  it('never wants more than the surge allows, never has fewer available than allowed, and ends with new Pods only', () => {
    fc.assert(
      fc.property(rollout, ({ replicas, update, steps }) => {
        const bounds = boundsOf(update, replicas);
        let sets: readonly Live[] = [
          { wanted: replicas, pods: replicas, available: replicas, reported: replicas },
          { wanted: 0, pods: 0, available: 0, reported: 0 },
        ];
        const step = (action: (typeof actions)[number]) => {
          sets = act(sets, action, replicas, bounds);
          expect(sum(sets, ({ wanted }) => wanted)).toBeLessThanOrEqual(replicas + bounds.surge);
          expect(sum(sets, ({ available }) => available)).toBeGreaterThanOrEqual(replicas - bounds.unavailable);
        };
        for (const action of steps) step(action);
        const end = () => sets.map(({ available }) => available);
        const isOver = () => end().every((count, index) => count === wanted[index]);
        const wanted = [...sets.slice(1).map(() => 0), replicas];
        for (let round = 0; round < 200 && !isOver(); round++) {
          for (const action of ['decide', 'run', 'become-ready', 'report'] as const) step(action);
        }
        expect(end()).toEqual(wanted);
      }),
      { numRuns: 400 },
    );
  });

  function sum(sets: readonly Live[], count: (one: Live) => number): number {
    return sets.reduce((all, one) => all + count(one), 0);
  }
});

describe('the next step of Recreate', () => {
  it('first shrinks the old ones to nothing, then waits for their Pods, then grows the new one', () => {
    const input = { replicas: 3, bounds: { surge: 0, unavailable: 0 }, fresh: set('new', 0) };
    expect(shown(decideRecreate({ ...input, old: [set('a', 2), set('b', 0)] }, true))).toEqual({ a: 0 });
    expect(shown(decideRecreate({ ...input, old: [set('a', 0)] }, true))).toEqual({});
    expect(shown(decideRecreate({ ...input, old: [set('a', 0)] }, false))).toEqual({ new: 3 });
    expect(shown(decideRecreate({ ...input, fresh: set('new', 3), old: [] }, false))).toEqual({});
  });
});

describe('a change of replicas during an update', () => {
  it('goes to each ReplicaSet in proportion, and what rounding leaves to the largest', () => {
    expect(shown(decideProportional([set('a', 7), set('b', 3)], 20, 2))).toEqual({ a: 16, b: 6 });
  });
  it('leaves a Deployment that is scaled to 0 without Pods', () => {
    expect(shown(decideProportional([set('a', 7), set('b', 3)], 0, 2))).toEqual({ a: 0, b: 0 });
  });
  it('is a change of the only ReplicaSet with Pods, without surge', () => {
    expect(shown(decideProportional([set('a', 0), set('b', 3)], 5, 2))).toEqual({ b: 5 });
  });

  it('gives out exactly what is allowed, and never less than nothing', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(sizes, fc.nat(60), fc.nat(10), (wanted, replicas, surge) => {
        const sets = wanted.map((count, index) => set(`${index}`, count));
        const scaling = decideProportional(sets, replicas, surge);
        const after = sets.map((one) => scaling.get(one) ?? one.spec?.replicas ?? 0);
        expect(after.reduce((all, count) => all + count, 0)).toBe(replicas === 0 ? 0 : replicas + surge);
        expect(Math.min(...after)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 300 },
    );
  });
});
