import { ConfigMap } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { decodeItem, decodePage } from './decode.ts';

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

describe('metadata of an object', () => {
  it.each([
    ['labels', { a: '1', b: '2' }],
    ['finalizers', ['a', 'b']],
    ['ownerReferences', [owner, { ...owner, controller: true }]],
    ['generation', 4],
    ['managedFields', [{}]],
    ['unheardOf', 1],
  ])('is taken as it is with valid %s', (key, value) => {
    const object = decodeItem(ConfigMap, { metadata: { name: 'a', [key]: value } }, 'item 0');
    expect(object.metadata).toMatchObject({ name: 'a', [key]: value });
  });

  it.each([
    ['labels', { a: '1', b: 2 }],
    ['labels', ['a']],
    ['annotations', 'a'],
    ['finalizers', ['a', 1]],
    ['finalizers', { a: 'a' }],
    ['ownerReferences', [owner, 'p']],
    ['ownerReferences', [owner, { ...owner, uid: undefined }]],
    ['ownerReferences', { 0: owner }],
    ['generation', '4'],
    ['generation', 0.5],
    ['managedFields', {}],
    ['name', 1],
  ])('is refused where a part of it has another type: %s %j', (key, value) => {
    const item = { metadata: { name: 'a', [key]: value } };
    expect(() => decodeItem(ConfigMap, item, 'item 0')).toThrow(`metadata.${key} of item 0 has the wrong type`);
  });
});

it.each([
  ['t', 't'],
  ['', undefined],
  [7, undefined],
  [null, undefined],
])('a page whose token is %j goes on with %s', (token, expected) => {
  expect(decodePage(ConfigMap, { metadata: { continue: token }, items: null }).continueToken).toBe(expected);
});
