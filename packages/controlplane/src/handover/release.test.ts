import { Service } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { release } from './release.ts';

const patchOf = (metadata: object, options = {}) =>
  release(
    Service,
    { metadata: { name: 'antrea-mc-cart', namespace: 'shop', resourceVersion: '7', ...metadata } },
    options,
  ).map(({ patch }) => patch);

describe('what is taken from an object', () => {
  it.each([
    [
      'our label, not that of another tool',
      { labels: { 'app.kubernetes.io/managed-by': 'isthmus', app: 'cart' } },
      { labels: { 'app.kubernetes.io/managed-by': null }, annotations: {} },
    ],
    [
      'our annotations, not those of others',
      { annotations: { 'isthmus.dev/withdrawals': 'marked', 'multicluster.antrea.io/imported-service': 'true' } },
      { labels: {}, annotations: { 'isthmus.dev/withdrawals': null } },
    ],
    [
      'our finalizer, not those of others',
      { finalizers: ['isthmus.dev/leave', 'example.com/other'] },
      { finalizers: ['example.com/other'], labels: {}, annotations: {} },
    ],
  ])('is %s', (_, metadata, patch) => {
    expect(patchOf(metadata)).toEqual([{ metadata: patch }]);
  });

  it.each([
    ['has nothing of ours', { labels: { app: 'cart' }, finalizers: ['example.com/other'] }],
    ['another tool manages', { labels: { 'app.kubernetes.io/managed-by': 'helm' } }],
  ])('is nothing where the object %s', (_, metadata) => {
    expect(patchOf(metadata)).toEqual([]);
  });

  it('is a label by its name where that is asked for, and an annotation is put back that has to be there', () => {
    const options = { labels: ['sourceKind'], annotations: { 'multicluster.antrea.io/imported-service': 'true' } };
    expect(patchOf({ labels: { sourceKind: 'Endpoints' } }, options)).toEqual([
      {
        metadata: {
          labels: { sourceKind: null },
          annotations: { 'multicluster.antrea.io/imported-service': 'true' },
        },
      },
    ]);
  });
});
