import { describe, expect, it } from 'vitest';
import { objectEffects } from '../object-problem.ts';
import type { Found } from './group-problems.ts';
import { groupProblems } from './group-problems.ts';

const found = (more: Partial<Found> = {}): Found => ({
  version: 'v1',
  effect: 'blocks-change',
  field: 'spec.mode',
  message: 'must be one of a, b',
  ...more,
});
const crd = 'things.example.io';
const group = { crd, version: 'v1', effect: 'blocks-change', field: 'spec.mode', message: 'must be one of a, b' };

describe('the problems of objects', () => {
  it('are counted once for each object, with the first five objects, their Namespaces and managers', () => {
    const problems = groupProblems(crd);
    for (const name of ['g', 'b', 'f', 'a', 'e', 'c', 'd'])
      problems.add(
        `${name < 'd' ? 'shop' : 'bank'}/${name}`,
        ['v1'],
        [found({ manager: 'kubectl' }), found({ path: 'spec.mode[1]', manager: 'helm' })],
      );
    expect(problems.report()).toEqual({
      crd,
      objects: 7,
      struck: 7,
      judged: [{ version: 'v1', objects: 7 }],
      groups: [
        {
          ...group,
          count: 7,
          first: ['bank/d', 'bank/e', 'bank/f', 'bank/g', 'shop/a'],
          namespaces: ['bank', 'shop'],
          managers: ['helm', 'kubectl'],
        },
      ],
    });
  });

  it.each(
    objectEffects.map((effect) => [effect, ['read-breaks', 'unknown-conversion'].includes(effect) ? 0 : 1] as const),
  )('of effect %s harm %i objects', (effect, struck) => {
    const problems = groupProblems(crd);
    problems.add('a', ['v1'], [found({ effect })]);
    problems.add('b', ['v1'], []);
    expect(problems.report()).toMatchObject({ objects: 2, struck, groups: [{ effect, namespaces: [] }] });
  });

  it('are one group only with the same version, effect, field and rules, in the order of their effects', () => {
    const problems = groupProblems(crd);
    problems.add(
      'shop/a',
      ['v1', 'v2'],
      [
        found({ effect: 'data-loss' }),
        found({ version: 'v2' }),
        found({ field: 'spec.other' }),
        found({ rules: ['F12'] }),
        found({ rules: ['F12'], message: 'the first message stays' }),
        found(),
      ],
    );
    const { groups, judged } = problems.report();
    expect(groups.map(({ effect, version, field, rules, count }) => [effect, version, field, rules, count])).toEqual([
      ['blocks-change', 'v1', 'spec.mode', undefined, 1],
      ['blocks-change', 'v1', 'spec.mode', ['F12'], 1],
      ['blocks-change', 'v1', 'spec.other', undefined, 1],
      ['blocks-change', 'v2', 'spec.mode', undefined, 1],
      ['data-loss', 'v1', 'spec.mode', undefined, 1],
    ]);
    expect(judged).toEqual([
      { version: 'v1', objects: 1 },
      { version: 'v2', objects: 1 },
    ]);
  });

  it('at more than 1,000 fields are one group for each version and effect from then on', () => {
    const problems = groupProblems(crd);
    for (let at = 0; at < 1_005; at++) problems.add('shop/a', [], [found({ field: `spec.f${at}`, rules: ['F12'] })]);
    problems.add('shop/b', [], [found({ field: 'spec.f7', rules: ['F12'] }), found({ field: 'new' })]);
    const { groups } = problems.report();
    expect(groups).toHaveLength(1_001);
    expect(groups.find(({ field }) => field === 'spec.f7')?.count).toBe(2);
    expect(groups.find(({ field }) => field === 'other fields')).toEqual({
      ...group,
      field: 'other fields',
      message: 'see the first fields',
      count: 6,
      first: ['shop/a', 'shop/b'],
      namespaces: ['shop'],
      managers: [],
    });
  });

  it('name at most 100 Namespaces and managers', () => {
    const problems = groupProblems(crd);
    for (let at = 0; at < 150; at++) problems.add(`n${at}/a`, [], [found({ manager: `m${at}` })]);
    const [one] = problems.report().groups;
    expect([one?.count, one?.namespaces.length, one?.managers.length]).toEqual([150, 100, 100]);
  });
});
