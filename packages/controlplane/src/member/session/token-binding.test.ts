import { describe, expect, it } from 'vitest';
import { decideTokenBinding } from './token-binding.ts';

const member = { namespace: 'area', name: 'member-west' };

describe('a ServiceAccount', () => {
  const judged = (annotations?: Readonly<Record<string, string>>) =>
    decideTokenBinding({ metadata: { ...member, annotations } }, { clusterID: 'west' });

  it('that names the cluster is accepted by every leader', () => {
    expect(judged({ 'multicluster.antrea.io/cluster-id': 'west' })).toBe('absent');
  });

  it.each([[undefined], [{}]])(
    'that names no cluster is reported with the command that annotates it, for an account that no other cluster uses: %j',
    (annotations) => {
      expect(judged(annotations)).toEqual({
        status: 'True',
        reason: 'NotBoundToCluster',
        message:
          'The token of this cluster belongs to ServiceAccount area/member-west at the leader, which has no annotation multicluster.antrea.io/cluster-id. A leader of Isthmus accepts it, a leader of Antrea rejects this member. If no other cluster uses the account, run on the leader: kubectl -n area annotate serviceaccount member-west multicluster.antrea.io/cluster-id=west. Otherwise create a ServiceAccount with the annotation for each cluster, and put its token into the Secret of the ClusterSet.',
      });
    },
  );

  it('whose annotation is empty is reported as one that leaders reject, with the command that overwrites it', () => {
    expect(judged({ 'multicluster.antrea.io/cluster-id': '' })).toEqual({
      status: 'True',
      reason: 'NotBoundToCluster',
      message:
        'The token of this cluster belongs to ServiceAccount area/member-west at the leader, whose annotation multicluster.antrea.io/cluster-id is empty. A leader rejects this member, except one of Isthmus without admission policies. If no other cluster uses the account, run on the leader: kubectl -n area annotate --overwrite serviceaccount member-west multicluster.antrea.io/cluster-id=west. Otherwise create a ServiceAccount with the annotation for each cluster, and put its token into the Secret of the ClusterSet.',
    });
  });

  it('that names another cluster is reported, without a command that would take it from that one', () => {
    expect(judged({ 'multicluster.antrea.io/cluster-id': 'east' })).toMatchObject({
      reason: 'NotBoundToCluster',
      message: expect.stringContaining('names "east". A leader rejects this member') as unknown,
    });
    expect(judged({ 'multicluster.antrea.io/cluster-id': 'east' })).toMatchObject({
      message: expect.not.stringContaining('kubectl') as unknown,
    });
  });
});
