import { Annotation } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { BeatInput } from './beat-annotations.ts';
import { beatAnnotations } from './beat-annotations.ts';

const some = (): string => 'problems';
const unknown = (): undefined => undefined;
const now = '2026-01-01T00:00:00Z';
const beat = (input: Partial<BeatInput>) =>
  beatAnnotations({
    found: {},
    nowMs: Date.parse(now),
    clusterUID: 'uid-1',
    user: undefined,
    version: '1.2.3',
    settings: { endpointIPType: 'ClusterIP', enableStretchedNetworkPolicy: false },
    isRestoring: false,
    importProblems: () => '',
    ...input,
  });

describe('a heartbeat', () => {
  it('announces the time, the cluster and its version, for a new announcement as for an older one', () => {
    const { annotations, changes } = beat({});
    expect(annotations).toMatchObject({
      [Annotation.touchTs]: now,
      [Annotation.marksAt]: now,
      [Annotation.clusterUID]: 'uid-1',
      [Annotation.version]: '1.2.3',
    });
    expect(changes).toEqual(annotations);
  });

  it.each([
    ['the cluster, if its uid is not known', { clusterUID: '' }, Annotation.clusterUID, undefined],
    ['exports to restore, if there are none', {}, Annotation.restoring, undefined],
    ['exports to restore, with the time of the beat', { isRestoring: true }, Annotation.restoring, now],
    ['its user, if the token names none', {}, Annotation.announcedBy, undefined],
    ['problems of imports, if there are none', {}, Annotation.importProblems, undefined],
    ['problems of imports', { importProblems: some }, Annotation.importProblems, 'problems'],
    [
      'problems of imports as they are, while the new ones are not known',
      { found: { [Annotation.importProblems]: 'before' }, importProblems: unknown },
      Annotation.importProblems,
      'before',
    ],
  ])('announces %s', (_, input, key, value) => {
    expect(beat(input).annotations[key]).toBe(value);
  });

  it.each([
    ['exports to restore that are there', Annotation.restoring],
    ['the mark of a withdrawal', Annotation.withdrawn],
    ['problems of imports that are gone', Annotation.importProblems],
    ['the user of an older token', Annotation.announcedBy],
  ])('takes back %s', (_, key) => {
    expect(beat({ found: { [key]: 'before' } }).changes[key]).toBeNull();
    expect(key in beat({}).changes).toBe(false);
  });
});
