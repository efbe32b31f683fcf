import type { ClusterInfo, ClusterInfoImport, KnownCluster, ResourceImport } from '@isthmus/api';
import type { Grant } from '@isthmus/wire';
import { judgedRangesText, nothingNew, withoutGrant } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { grantForImport } from './import-grant.ts';

const network: ClusterInfo = { clusterID: 'east', serviceCIDR: '10.96.0.0/12', podCIDRs: ['10.10.0.0/16'] };
const remote: ResourceImport = {
  metadata: { name: 'east-clusterinfo' },
  spec: { kind: 'ClusterInfo', clusterinfo: network },
};
const judged: ResourceImport = {
  ...remote,
  metadata: { ...remote.metadata, annotations: { 'isthmus.dev/judged-ranges': judgedRangesText(network) } },
};
const current: ClusterInfoImport = { metadata: { name: 'east-clusterinfo' }, spec: network };
const known = (spec: Partial<KnownCluster['spec']>): KnownCluster => ({
  metadata: { name: 'east' },
  spec: { clusterID: 'east', origin: 'Granted', state: 'Accepted', ...spec },
});
const grantsWith = (object: KnownCluster | undefined, of: Grant = withoutGrant, areUsed = true) => ({
  of: () => of,
  objectOf: () => object,
  areUsed,
});
const shown = (grant: Grant | undefined) =>
  grant === undefined ? 'as published' : `${grant.state} ${grant.pods?.length ?? 'any'}`;

describe('the grant by which a member judges', () => {
  const record = known({ origin: 'Observed', pods: [] });

  it.each<[string, ReturnType<typeof grantsWith>, ResourceImport, ClusterInfoImport | undefined, string]>([
    [
      'nothing, without the kind',
      grantsWith(known({ pods: [] }), withoutGrant, false),
      remote,
      current,
      'as published',
    ],
    ['what an administrator wrote', grantsWith(known({ pods: [] })), remote, current, 'Accepted 0'],
    [
      'what an administrator wrote, under a leader that judges',
      grantsWith(known({ pods: [] })),
      judged,
      current,
      'Accepted 0',
    ],
    ['what was recorded', grantsWith(record), remote, current, 'Accepted 0'],
    ['not what was recorded, under a leader that judges', grantsWith(record), judged, current, 'as published'],
    [
      'what was recorded and is refused, under a leader that judges',
      grantsWith(known({ origin: 'Observed', state: 'Refused' })),
      judged,
      current,
      'Refused any',
    ],
    ['what is usual, of a new cluster', grantsWith(undefined), remote, undefined, 'Accepted any'],
    ['what will be recorded, of a cluster that is imported', grantsWith(undefined), remote, current, 'Accepted 1'],
    ['nothing, under a leader that judges', grantsWith(undefined), judged, current, 'as published'],
    ['what is in use, while grants are not read', grantsWith(undefined, nothingNew), remote, current, 'Held any'],
    ['what is in use, when the kind is gone', grantsWith(undefined, nothingNew), judged, current, 'Held any'],
  ])('is %s', (_what, grants, published, imported, expected) => {
    expect(shown(grantForImport(grants, published, imported))).toBe(expected);
  });
});
