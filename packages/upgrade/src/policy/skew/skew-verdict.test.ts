import { describe, expect, it } from 'vitest';
import { parseVersion } from '../../version/parse-version.ts';
import { parseVersionRange } from '../../version/parse-version-range.ts';
import type { ReadySkewRule } from '../rule-set.ts';
import { skewRule } from '../testing/skew-rule.ts';
import { skewBreach } from './skew-verdict.ts';

const rangeOf = (text: string) => {
  const range = parseVersionRange(text);
  if ('problem' in range) throw new Error(range.problem);
  return range;
};
const strict = { newer: { minors: 0, patches: 'none' }, older: { minors: 0, patches: 'none' } } as const;
const loose = { newer: { patches: 'any' }, older: { patches: 'any' } } as const;

describe('the verdict on two versions', () => {
  it.each<readonly [string, Partial<ReadySkewRule>, string, string, string | undefined]>([
    ['the same text without an order', strict, 'nightly', 'nightly', undefined],
    ['builds of one release', strict, 'v1.30.0+b', 'v1.30.0+a', undefined],
    ['a later patch', strict, 'v1.30.1', 'v1.30.0', 'newer by 0'],
    ['an earlier patch', strict, 'v1.30.0', 'v1.30.1', 'older by 0'],
    ['a pre-release before its release', strict, 'v1.30.0-rc.1', 'v1.30.0', 'older by 0'],
    ['patches that do not count', loose, 'v1.30.0', 'v1.30.1', undefined],
    ['as many minors as are allowed, ahead', {}, 'v1.31.0', 'v1.30.9', undefined],
    ['as many minors as are allowed, behind', {}, 'v1.29.9', 'v1.30.0', undefined],
    ['one minor more, ahead', {}, 'v1.32.0', 'v1.30.9', 'newer by 2'],
    ['one minor more, behind', {}, 'v1.28.9', 'v1.30.0', 'older by 2'],
    ['any number of minors', loose, 'v1.50.0', 'v1.30.0', undefined],
    ['another subject than the rule speaks of', { whenSubject: rangeOf('<1.25.0') }, 'v1.32.0', 'v1.30.0', undefined],
    ['a subject that it speaks of', { whenSubject: rangeOf('<1.25.0') }, 'v1.24.0', 'v1.30.0', 'older by 6'],
    ['another reference', { whenReference: rangeOf('<1.25.0') }, 'v1.24.0', 'v1.30.0', undefined],
    ['a reference that it speaks of', { whenReference: rangeOf('>=1.25.0') }, 'v1.24.0', 'v1.30.0', 'older by 6'],
    [
      'minors that a sequence orders in its own way',
      { minors: { name: 'years', minors: ['24.1', '2.0', '2.1'] } },
      'v24.1.0',
      'v2.1.0',
      'older by 2',
    ],
    ['majors without a sequence', {}, 'v2.0.0', 'v1.30.0', 'unknown'],
  ])('with %s', (_, more, subject, reference, expected) => {
    const breach = skewBreach(skewRule(more), parseVersion(subject), parseVersion(reference));
    const told =
      breach === undefined || breach.kind === 'unknown' ? breach?.kind : `${breach.kind} by ${breach.minors}`;
    expect(told).toBe(expected);
  });
});
