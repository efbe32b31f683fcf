import type { ResourceExport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { writeOf } from './member-writes.ts';

const nowMs = Date.parse('2026-11-30T13:00:00Z');
const object = (metadata: object = {}, more: object = {}): ResourceExport => ({
  metadata: { name: 'east-x', resourceVersion: '1', creationTimestamp: '2026-11-30T12:00:00Z', ...metadata },
  spec: { clusterID: 'east' },
  ...more,
});
const newer = { resourceVersion: '2' };
const deletion = { deletionTimestamp: '2026-11-30T13:00:00Z' };
const bytes = expect.any(Number) as number;

describe('a change that a watch shows', () => {
  it.each<[string, Parameters<typeof writeOf>[0], ReturnType<typeof writeOf>]>([
    ['a new object: its bytes', { key: 'x', after: object() }, { bytes, rewrites: 0 }],
    ['a changed object', { key: 'x', before: object(), after: object(newer) }, { bytes, rewrites: 1 }],
    [
      'the status, which the leader writes',
      { key: 'x', before: object(), after: object(newer, { status: {} }) },
      undefined,
    ],
    ['another form of the same version', { key: 'x', before: object(), after: object() }, undefined],
    [
      'the mark of a deletion: its bytes',
      { key: 'x', before: object(), after: object({ ...newer, ...deletion }) },
      { bytes, rewrites: 0 },
    ],
    [
      'the finalizer that the leader removes',
      { key: 'x', before: object(deletion), after: object({ ...newer, ...deletion }) },
      undefined,
    ],
    ['the deletion of an old object', { key: 'x', before: object() }, undefined],
    [
      'the deletion of an object of this minute',
      { key: 'x', before: object({ creationTimestamp: '2026-11-30T12:59:30Z' }) },
      { bytes: 0, rewrites: 1 },
    ],
    ['the objects of a list', { key: 'x', after: object(), byList: true }, undefined],
    [
      'what a list shows as changed',
      { key: 'x', before: object(), after: object(newer), byList: true },
      { bytes, rewrites: 1 },
    ],
    [
      'what a list lacks',
      { key: 'x', before: object({ creationTimestamp: '2026-11-30T12:59:30Z' }), byList: true },
      undefined,
    ],
  ])('counts as the write of a member: %s', (_, change, expected) => {
    expect(writeOf(change, nowMs)).toEqual(expected);
  });
});
