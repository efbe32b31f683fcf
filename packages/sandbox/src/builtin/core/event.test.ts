import { formatFieldError } from '@isthmus/schema';
import { expect, it } from 'vitest';
import type { Stored } from '../../store/stored.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';
import { event } from './event.ts';

const context = {} as StrategyContext;
/** The problems of an Event in Namespace `shop`, unless it has another. */
const problemsOf = (more: object, namespace = 'shop') =>
  (event.strategy.validate?.({ metadata: { name: 'a', namespace }, ...more } as unknown as Stored, context) ?? []).map(
    formatFieldError,
  );
const about = (namespace?: string) => ({ involvedObject: { name: 'cart', namespace } });
const complete = {
  eventTime: '2026-11-29T10:00:00.000000Z',
  reportingComponent: 'example.com/controller',
  reportingInstance: 'controller-1',
  action: 'Binding',
  reason: 'Bound',
};
const mismatch = [expect.stringMatching(/^involvedObject\.namespace: .*does not match event\.namespace$/)];

it.each<readonly [string, object, string, readonly unknown[]]>([
  ['about an object of its Namespace is valid', about('shop'), 'shop', []],
  ['about an object of another Namespace is not', about('other'), 'shop', mismatch],
  ['about a cluster-wide object is valid in Namespace default', about(), 'default', []],
  ['about a cluster-wide object is not valid elsewhere', about(), 'kube-system', mismatch],
  ['of the newer form may be about an object of another Namespace', { ...complete, ...about('other') }, 'shop', []],
  [
    'of the newer form about a cluster-wide object may be in kube-system',
    { ...complete, ...about() },
    'kube-system',
    [],
  ],
  [
    'of the newer form about a cluster-wide object is not valid elsewhere',
    { ...complete, ...about() },
    'shop',
    mismatch,
  ],
])('an Event %s', (_, more, namespace, expected) => {
  expect(problemsOf(more, namespace)).toEqual(expected);
});

it.each([
  ['reportingComponent', ''],
  ['reportingInstance', ''],
  ['action', ''],
  ['reason', ''],
  ['action', 'a'.repeat(129)],
  ['reason', 'a'.repeat(129)],
  ['reportingInstance', 'a'.repeat(129)],
  ['message', 'a'.repeat(1025)],
])('an Event of the newer form has a problem in %s if that is %j', (field, value) => {
  const problems = problemsOf({ ...complete, ...about('shop'), [field]: value });
  expect(problems.length).toBeGreaterThan(0);
  for (const problem of problems) expect(problem).toMatch(new RegExp(`^${field}: `));
  expect(problemsOf({ ...about('shop'), [field]: value })).toEqual([]);
});
