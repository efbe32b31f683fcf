import { describe, expect, it } from 'vitest';
import type { SpecReport } from './verdict.ts';
import { verdictOf } from './verdict.ts';

function spec(text: string, State: string, ...LeafNodeLabels: readonly string[]): SpecReport {
  return {
    LeafNodeType: 'It',
    LeafNodeText: text,
    ContainerHierarchyTexts: ['', 'An export'],
    ContainerHierarchyLabels: [null, ['ClusterIP']],
    LeafNodeLabels,
    State,
    ...(State === 'failed' ? { Failure: { Message: 'expected\nTrue' } } : {}),
  };
}

describe('a run of the conformance suite', () => {
  it('prints the required specs first, why one failed, and the sums', () => {
    const { table } = verdictOf([
      { ...spec('', 'passed'), LeafNodeType: 'BeforeSuite' },
      spec('has labels', 'failed', 'Optional'),
      spec('has a name', 'skipped', 'Optional'),
      spec('is imported', 'passed', 'Required'),
    ]);
    expect(table.split('\n')).toEqual([
      'passed  An export is imported [ClusterIP, Required]',
      'failed  An export has labels [ClusterIP, Optional]',
      '          expected',
      '          True',
      '',
      'required: 1 of 1 passed',
      'optional: 0 of 1 passed',
    ]);
  });

  it.each([
    ['all that ran passed', [spec('a', 'passed', 'Required'), spec('b', 'skipped', 'Optional')], true],
    ['a required spec was left out', [spec('a', 'passed', 'Required'), spec('b', 'skipped', 'Required')], false],
    ['a spec failed', [spec('a', 'passed', 'Required'), spec('b', 'failed', 'Optional')], false],
    ['a spec panicked', [spec('a', 'passed', 'Required'), spec('b', 'panicked', 'Required')], false],
    ['no required spec is there', [spec('a', 'passed', 'Optional')], false],
    ['nothing ran', [], false],
  ])('where %s', (_, specs, ok) => {
    expect(verdictOf(specs).ok).toBe(ok);
  });
});
