import { expect, it } from 'vitest';
import { compareVersions } from './version-order.ts';

it('prefers stable versions, then higher ones; names that are not Kubernetes versions come last, bytewise', () => {
  const given = ['v1alpha1', 'foo10', 'v1', 'v2beta1', 'v10', 'foo1', 'v2', 'v11alpha2', 'v3beta1', 'v1beta2', 'v01a'];
  expect(given.toSorted(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v3beta1',
    'v2beta1',
    'v1beta2',
    'v11alpha2',
    'v1alpha1',
    'foo1',
    'foo10',
    'v01a',
  ]);
});
