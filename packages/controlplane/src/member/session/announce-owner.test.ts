import { Annotation } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { Ownership, RivalSighting } from './announce-owner.ts';
import { announceOwner, takeOverAfterMs, takeOverOfLivingAfterMs } from './announce-owner.ts';

const announced = (uid: string | undefined, touchTs: string) => ({
  metadata: {
    namespace: 'antrea-multicluster',
    name: 'member-announce-from-west',
    annotations: { ...(uid !== undefined && { [Annotation.clusterUID]: uid }), [Annotation.touchTs]: touchTs },
  },
});

/** The owner found at each look, with the time since the first look. */
function seenInTurn(looks: readonly (readonly [atMs: number, uid: string, touchTs: string])[]): Ownership {
  let last: RivalSighting | undefined;
  let found: Ownership = { kind: 'ours' };
  for (const [nowMs, uid, touchTs] of looks) {
    found = announceOwner(announced(uid, touchTs), 'own', { last, nowMs });
    last = found.kind === 'rival' ? found.sighting : undefined;
  }
  return found;
}

describe('an announcement of the own cluster ID', () => {
  it.each([
    ['that is not there', undefined, 'own'],
    ['with the own uid', announced('own', '1'), 'own'],
    ['of an older version, without a uid', announced(undefined, '1'), 'own'],
    ['found by a cluster that does not know its uid', announced('other', '1'), ''],
  ])('%s is ours', (_, found, uid) => {
    expect(announceOwner(found, uid, { last: undefined, nowMs: 0 })).toEqual({ kind: 'ours' });
  });

  it.each([
    ['at the first look', [[0, 'other', '1']], 'rival'],
    [
      'before it has stood still for long enough',
      [
        [0, 'other', '1'],
        [takeOverAfterMs - 1, 'other', '1'],
      ],
      'rival',
    ],
    [
      'when it has stood still from the first look on',
      [
        [0, 'other', '1'],
        [takeOverAfterMs, 'other', '1'],
      ],
      'abandoned',
    ],
    [
      'that was seen to change, when it has stood still as long',
      [
        [0, 'other', '1'],
        [10_000, 'other', '2'],
        [10_000 + takeOverAfterMs, 'other', '2'],
      ],
      'rival',
    ],
    [
      'that was seen to change, after a day without another change',
      [
        [0, 'other', '1'],
        [10_000, 'other', '2'],
        [10_000 + takeOverOfLivingAfterMs, 'other', '2'],
      ],
      'abandoned',
    ],
    [
      'of a third cluster, after the second was seen to change',
      [
        [0, 'other', '1'],
        [10_000, 'other', '2'],
        [20_000, 'third', '3'],
        [20_000 + takeOverAfterMs, 'third', '3'],
      ],
      'abandoned',
    ],
  ] as const)('of another cluster, %s', (_, looks, kind) => {
    expect(seenInTurn(looks).kind).toBe(kind);
  });
});
