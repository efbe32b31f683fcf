import { expect, it } from 'vitest';
import { written } from '../../bundle/testing/bundle-of.ts';
import { running, snapshotOf } from '../../fleet/testing/snapshot-of.ts';
import { loadedOf, planOf } from '../testing/plan-of.ts';

/**
 * What is found of clusters that were read at these times, in a snapshot of 2026-11-21T09:00:00Z.
 */
function found(...all: readonly object[]) {
  const clusters = all.map((more, at) => ({ name: `c${at}`, components: [running('x', 'v1.0.0')], ...more }));
  const { spec } = planOf(loadedOf([written({ id: 'x', version: { upstream: 'v1.1.0' } })]), snapshotOf({ clusters }), {
    unreachableAllowed: 1,
  });
  return spec.findings
    .filter(({ rule }) => rule === 'plan.old-reading')
    .map(({ severity, clusters: names, why, unblock }) => [severity, names, why, unblock]);
}

it('warns once of all clusters that were read more than a day before the date of the snapshot, with the command that reads them again', () => {
  const read = [{ readAt: '2026-10-22T09:00:00Z' }, { readAt: '2026-10-21T09:00:00Z', context: 'admin@c1' }];
  expect(found(...read, { readAt: '2026-11-21T08:59:00Z' })).toEqual([
    [
      'warn',
      ['c0', 'c1'],
      'read more than a day before the date of the snapshot (first: 2026-10-21T09:00:00Z), so the running versions may have changed since',
      'read again: isthmus upgrade snapshot --context c0,admin@c1 --refresh all -o <file of the snapshot>',
    ],
  ]);
});

it('is silent about clusters that were read with the snapshot, written by hand, or are left alone', () => {
  expect(found({ readAt: '2026-11-20T09:00:00Z' })).toEqual([]);
  expect(found({})).toEqual([]);
  expect(found({ readAt: '2026-10-21T09:00:00Z', paused: true })).toEqual([]);
  expect(found({ readAt: '2026-10-21T09:00:00Z', reachable: false })).toEqual([]);
});
