import { describe, expect, it } from 'vitest';
import { Thing, thing } from '../testing/thing.ts';
import { malformation } from './well-formed.ts';

describe('malformation', () => {
  it.each<[string, unknown, string | undefined]>([
    ['a whole object', thing('a'), undefined],
    ['an object whose kind is left out, as in lists', { metadata: thing('a').metadata }, undefined],
    ['null', null, 'it is not a JSON object'],
    ['a list', [], 'it is not a JSON object'],
    ['a text', 'x', 'it is not a JSON object'],
    ['no metadata', { kind: 'Thing' }, 'it has no metadata'],
    ['an empty name', thing(''), 'it has no usable name'],
    ['a name that would be another key', thing('a/b'), 'it has no usable name'],
    ['a name of 254 characters', thing('a'.repeat(254)), 'it has no usable name'],
    ['a number as name', { metadata: { ...thing('a').metadata, name: 7 } }, 'it has no usable name'],
    ['another kind', { ...thing('a'), kind: 'Secret' }, 'its kind is "Secret", not Thing'],
    ['another version', { ...thing('a'), apiVersion: 'v1' }, 'its apiVersion is "v1", not example.io/v1'],
    ['no resourceVersion', thing('a', { resourceVersion: undefined }), 'it has no resourceVersion'],
    ['no Namespace', thing('a', { namespace: undefined }), 'it has no usable namespace'],
    ['labels as a list', { metadata: { ...thing('a').metadata, labels: [] } }, 'metadata.labels is not a map'],
    [
      'finalizers as a text',
      { metadata: { ...thing('a').metadata, finalizers: 'x' } },
      'metadata.finalizers is not a list',
    ],
  ])('judges %s', (_, value, expected) => {
    expect(malformation(value, { type: Thing })).toBe(expected);
  });

  it('refuses objects outside of the Namespace that is read', () => {
    expect(malformation(thing('a'), { type: Thing, namespace: 'zoo' })).toBe('its namespace is not zoo');
  });

  it('refuses a Namespace on cluster-scoped kinds', () => {
    const type = { ...Thing, namespaced: false };
    expect(malformation(thing('a', { namespace: undefined }), { type })).toBeUndefined();
    expect(malformation(thing('a'), { type })).toBe('it has a namespace although its kind is cluster-scoped');
  });
});
