import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../field-error.ts';
import { validateObjectMeta } from './object-meta.ts';

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('metadata', () => {
  it.each<[string, unknown, readonly string[]]>([
    [
      'that is right',
      {
        name: 'a.b',
        namespace: 'shop',
        labels: { 'x.y/z': 'A' },
        annotations: { 'X.Y/z': 'any text' },
        finalizers: ['x.y/z'],
      },
      [],
    ],
    ['without a name', { namespace: 'shop' }, ['metadata.name: Required value: name or generateName is required']],
    ['with a name to be made', { generateName: 'a-', namespace: 'shop' }, []],
    ['with a bad prefix', { generateName: 'A-', namespace: 'shop' }, []],
    [
      'with an impossible prefix',
      { generateName: '_a', namespace: 'shop' },
      [`metadata.generateName: Invalid value: "_a": ${subdomain}`],
    ],
    ['with a bad name', { name: 'A_b', namespace: 'shop' }, [`metadata.name: Invalid value: "A_b": ${subdomain}`]],
    ['without a Namespace', { name: 'a' }, ['metadata.namespace: Required value']],
    [
      'with a bad Namespace',
      { name: 'a', namespace: 'a.b' },
      ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
    ],
    [
      'with a bad label',
      { name: 'a', namespace: 'b', labels: { 'a/b/c': 'x', d: '-' } },
      [
        expect.stringContaining('metadata.labels: Invalid value: "a/b/c": ') as string,
        expect.stringContaining('metadata.labels: Invalid value: "-": a valid label must be') as string,
      ],
    ],
    [
      'with a bad annotation',
      { name: 'a', namespace: 'b', annotations: { 'a b': 'x' } },
      [expect.stringContaining('metadata.annotations: Invalid value: "a b": name part must consist of') as string],
    ],
    [
      'with too many annotations',
      { name: 'a', namespace: 'b', annotations: { a: 'é'.repeat(131_072) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'with a bad finalizer',
      { name: 'a', namespace: 'b', finalizers: ['a b'] },
      [expect.stringContaining('metadata.finalizers: Invalid value: "a b": name part') as string],
    ],
    [
      'with an owner that is not named',
      { name: 'a', namespace: 'b', ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: '', uid: 'u' }] },
      ['metadata.ownerReferences.name: Invalid value: "": must not be empty'],
    ],
    [
      'with two controllers and an Event as owners',
      {
        name: 'a',
        namespace: 'b',
        ownerReferences: [
          { apiVersion: 'v1', kind: 'A', name: 'x', uid: 'u', controller: true },
          { apiVersion: 'v1', kind: 'Event', name: 'y', uid: 'u', controller: true },
        ],
      },
      [
        expect.stringContaining('/v1, Kind=Event is disallowed from being an owner') as string,
        expect.stringContaining('Found "true" in references for A/x and Event/y') as string,
      ],
    ],
    [
      'that is to be orphaned and to wait for what it owns',
      { name: 'a', namespace: 'b', generation: -1, finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
        expect.stringContaining('finalizer orphan and foregroundDeletion cannot be both set') as string,
      ],
    ],
    [
      'with wrong types',
      { name: 3, namespace: 'b', labels: [], annotations: { a: 1 }, finalizers: 'x', ownerReferences: {} },
      [
        'metadata.name: Invalid value: "integer": metadata.name in body must be of type string: "integer"',
        'metadata.name: Required value: name or generateName is required',
        'metadata.labels: Invalid value: "array": metadata.labels in body must be of type object: "array"',
        'metadata.annotations.a: Invalid value: "integer": metadata.annotations.a in body must be of type string: "integer"',
        'metadata.ownerReferences: Invalid value: "object": metadata.ownerReferences in body must be of type array: "object"',
        'metadata.finalizers: Invalid value: "string": metadata.finalizers in body must be of type array: "string"',
      ],
    ],
    ['that is none', undefined, ['metadata: Invalid value: "null": metadata in body must be of type object: "null"']],
  ])('%s', (_what, metadata, errors) => {
    expect(validateObjectMeta(metadata, true).map(formatFieldError)).toEqual(errors);
  });

  it('of a cluster-scoped object has no Namespace', () => {
    expect(validateObjectMeta({ name: 'a', namespace: 'b' }, false).map(formatFieldError)).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });
});
