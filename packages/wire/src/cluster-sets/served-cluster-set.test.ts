import type { ClusterSet } from '@isthmus/api';
import { expect, it } from 'vitest';
import { leaderOf, servedClusterSet } from './served-cluster-set.ts';

const made = (name: string, creationTimestamp: string): ClusterSet => ({ metadata: { name, creationTimestamp } });
const [early, late] = ['2026-11-21T10:00:00Z', '2026-11-21T10:00:01Z'];

it.each([
  ['none where there is none', [], undefined],
  ['the only one', [made('b', late)], 'b'],
  ['the older one', [made('a', late), made('b', early)], 'b'],
  ['of equally old ones the first by name', [made('b', early), made('a', early)], 'a'],
])('serves %s, in whatever order they come', (_, clusterSets, name) => {
  expect(servedClusterSet(clusterSets)?.metadata.name).toBe(name);
  expect(servedClusterSet(clusterSets.toReversed())?.metadata.name).toBe(name);
});

it.each([
  ['one', [{ clusterID: 'north' }], 'north'],
  ['none', [], undefined],
  ['two', [{ clusterID: 'north' }, { clusterID: 'south' }], undefined],
])('a ClusterSet with %s in spec.leaders has a leader only where it is the only one', (_, leaders, clusterID) => {
  expect(leaderOf({ metadata: { name: 'fleet' }, spec: { leaders } })?.clusterID).toBe(clusterID);
});
