import { describe, expect, it } from 'vitest';
import type { Remaining } from './namespace-conditions.ts';
import { namespaceConditions } from './namespace-conditions.ts';

const content = 'NamespaceContentRemaining';
const finalizers = 'NamespaceFinalizersRemaining';
const pods: Remaining = { resource: 'pods.', finalizers: [[], []] };
const held: Remaining = { resource: 'widgets.shop.test', finalizers: [['a/b'], ['a/b', 'c/d'], []] };
const [first, second] = ['2026-11-21T10:00:00Z', '2026-11-21T10:00:05Z'];

describe('the conditions of a Namespace that is being deleted', () => {
  const messages = (...remaining: readonly Remaining[]) =>
    namespaceConditions(undefined, remaining, first)
      .filter(({ type }) => type === content || type === finalizers)
      .map(({ status, reason, message }) => `${status} ${reason}: ${message}`);

  it('are five, in the order of kube-controller-manager, all since the same moment at first', () => {
    const conditions = namespaceConditions(undefined, [], first);
    expect(conditions.map(({ type, status, lastTransitionTime }) => [type, status, lastTransitionTime])).toEqual(
      [
        'NamespaceDeletionDiscoveryFailure',
        'NamespaceDeletionGroupVersionParsingFailure',
        'NamespaceDeletionContentFailure',
        content,
        finalizers,
      ].map((type) => [type, 'False', first]),
    );
  });

  it.each<readonly [string, readonly Remaining[], string, string]>([
    [
      'nothing remains',
      [],
      'False ContentRemoved: All content successfully removed',
      'False ContentHasNoFinalizers: All content-preserving finalizers finished',
    ],
    [
      'objects without finalizers remain',
      [pods],
      'True SomeResourcesRemain: Some resources are remaining: pods. has 2 resource instances',
      'False ContentHasNoFinalizers: All content-preserving finalizers finished',
    ],
    [
      'objects of several resources remain, some with finalizers',
      [held, pods],
      'True SomeResourcesRemain: Some resources are remaining: pods. has 2 resource instances, widgets.shop.test has 3 resource instances',
      'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a/b in 2 resource instances, c/d in 1 resource instances',
    ],
  ])('report that %s', (_what, remaining, ...expected) => {
    expect(messages(...remaining)).toEqual(expected);
  });

  it.each<readonly [string, readonly Remaining[], readonly Remaining[], string, string]>([
    ['nothing changes', [held], [held], first, first],
    ['only a number changes', [held], [{ ...held, finalizers: [['a/b']] }], first, first],
    ['the last finalizer is removed', [held], [pods], first, second],
    ['the last object is removed', [pods], [], second, first],
    ['both are removed', [held], [], second, second],
    ['objects with finalizers come back', [], [held], second, second],
  ])('keep their time unless their status changes: %s', (_what, before, after, ofContent, ofFinalizers) => {
    const earlier = namespaceConditions(undefined, before, first);
    const later = namespaceConditions(earlier, after, second);
    const times = new Map(later.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]));
    expect([times.get(content), times.get(finalizers)]).toEqual([ofContent, ofFinalizers]);
    expect(times.get('NamespaceDeletionContentFailure')).toBe(first);
  });

  it('have the time of now where an earlier condition has none', () => {
    const earlier = [{ type: content, status: 'False', reason: 'ContentRemoved', message: '' }] as never;
    const [, , , found] = namespaceConditions(earlier, [], second);
    expect(found?.lastTransitionTime).toBe(second);
  });
});
