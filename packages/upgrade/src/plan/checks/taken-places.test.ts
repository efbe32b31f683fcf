import { describe, expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

/** What is found where a bundle of one component meets a cluster with another one. */
function found(id: string, ...installed: readonly object[]) {
  const bundle = loadedOf([written({ id, version: { upstream: 'v2.7.0' } })]);
  const { spec } = planOf(bundle, snapshotOf({ clusters: [{ name: 'a', components: installed }] }));
  const about = spec.findings.filter(({ rule }) => rule === 'plan.taken-place');
  return { outcome: spec.outcome, found: about.map(({ why }) => why) };
}

describe('a component whose place another one has', () => {
  it.each([
    ['mc-leader', 'isthmus-leader'],
    ['isthmus-member', 'mc-member'],
  ])('blocks: %s where %s runs', (id, occupant) => {
    expect(found(id, running(occupant, 'v0.1.0'))).toEqual({
      outcome: 'blocked',
      found: [`the plan would install ${id}, but ${occupant} runs in this cluster and has objects of the same names`],
    });
  });

  it('is upgraded where it runs itself, and installed where the other role runs', () => {
    expect(found('mc-leader', running('mc-leader', 'v2.6.0')).found).toEqual([]);
    expect(found('mc-leader', running('isthmus-member', 'v0.1.0')).found).toEqual([]);
  });

  it('is found by its type, whatever its id', () => {
    expect(found('mc-leader', { ...running('our-leader', 'v0.1.0'), type: 'isthmus-leader' }).found).toEqual([
      'the plan would install mc-leader, but our-leader runs in this cluster and has objects of the same names',
    ]);
  });
});
