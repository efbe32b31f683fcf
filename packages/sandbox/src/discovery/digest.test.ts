import { expect, it } from 'vitest';
import { contentHash, storageVersionHash } from './digest.ts';

it.each([
  ['v1', 'ConfigMap', 'qFsyl6wFWjQ='],
  ['apps/v1', 'Deployment', '8aSe+NMegvE='],
  ['zz.disco.test/v1beta1', 'Thing', 'XgNXNNBHO3o='],
])('the storage version hash of %s %s is that of the real server', (apiVersion, kind, hash) => {
  expect(storageVersionHash(apiVersion, kind)).toBe(hash);
});

it('a content hash is 128 upper-case hexadecimal digits', () => {
  expect(contentHash('{}')).toMatch(/^[0-9A-F]{128}$/);
});
