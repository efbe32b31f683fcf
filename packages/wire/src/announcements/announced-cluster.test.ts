import { expect, it } from 'vitest';
import { announcedCluster } from './announced-cluster.ts';

it.each([
  ['its own name', 'member-announce-from-east', 'east', 'east'],
  ["another cluster's name", 'member-announce-from-west', 'east', undefined],
  ['any other name', 'impostor', 'east', undefined],
  ['no cluster ID', 'member-announce-from-', undefined, undefined],
  ['an ID that is too long for a label', `member-announce-from-${'a'.repeat(64)}`, 'a'.repeat(64), undefined],
])('an announcement with %s speaks for cluster %s: %s', (_, name, clusterID, expected) => {
  expect(announcedCluster({ metadata: { name }, clusterID })).toBe(expected);
});
