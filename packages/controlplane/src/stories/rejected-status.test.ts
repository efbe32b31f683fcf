import { ClusterSet } from '@isthmus/api';
import type { ApiRequest } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  exportCart,
  exportCondition,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const clusters = { north: 'leader', east: 'member', west: 'member' } as const;
const statusOf = (plural: string) => (request: ApiRequest) =>
  request.method === 'PATCH' && new RegExp(`/${plural}/[^/]+/status`).test(request.path);
const reported = (cluster: VirtualCluster) => eventsOf(cluster).filter((event) => event.startsWith('StatusRejected '));

describe('a status that the API server rejects', () => {
  it.each([403, 422])(
    'of a ServiceExport is reported by an Event on it (%i), and written when that is corrected',
    async (code) => {
      await using fleet = await createVirtualFleet({ clusters });
      const west = fleet.cluster('west');
      const allow = fleet
        .link('west-member', 'west')
        .add({ match: statusOf('serviceexports'), fault: { kind: 'status', code } });
      exportCart(west, '10.20.1.5');
      await fleet.until('it is reported', () => reported(west).length > 0, 5_000);
      expect(reported(west)).toEqual([
        expect.stringMatching(
          /^StatusRejected ServiceExport\/cart: The API server of this cluster rejects the status of this object, so its conditions are out of date: .*serviceexports\.multicluster\.x-k8s\.io.* Correct the role/,
        ),
      ]);
      expect(exportCondition(west, 'Ready')).toBe('none');
      allow();
      await fleet.until('the status is written', () => exportCondition(west, 'Ready') === 'True Exported', 15_000);
    },
  );

  it('of the ClusterSet of a member is reported by an Event on it, and neither keeps the cluster from working nor from leaving', async () => {
    await using fleet = await createVirtualFleet({ clusters });
    const east = fleet.cluster('east');
    const found = () => east.server.admin.get(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
    fleet.link('east-member', 'east').add({ match: statusOf('clustersets'), fault: { kind: 'status', code: 422 } });
    fleet.link('east-member', 'north').add({ match: () => true, fault: { kind: 'status', code: 401 } });
    await fleet.until('it is reported', () => reported(east).length > 0, 60_000);
    expect(reported(east)).toEqual([expect.stringMatching(/^StatusRejected ClusterSet\/.*clustersets\.multicluster/)]);
    expect(conditionOf(found()?.status?.conditions, 'Ready')?.status).toBe('True');
    east.server.admin.delete(ClusterSet, { namespace: memberNamespace, name: clusterSetName });
    await fleet.until('it has left', () => found() === undefined, 90_000);
  });

  it('of the ClusterSet of a leader is reported by an Event on it, and written when that is corrected', async () => {
    await using fleet = await createVirtualFleet({ clusters });
    const { leader } = fleet;
    const ofLeader = { namespace: leaderNamespace, name: clusterSetName };
    await fleet.until('all members are there', () => clusterSetCondition(leader, ofLeader) === 'True AllClustersReady');
    const allow = fleet
      .link('north-leader', 'north')
      .add({ match: statusOf('clustersets'), fault: { kind: 'status', code: 403 } });
    fleet.cluster('west').kill();
    await fleet.until('it is reported', () => reported(leader).length > 0, 60_000);
    expect(clusterSetCondition(leader, ofLeader)).toBe('True AllClustersReady');
    allow();
    await fleet.until('it is written', () => clusterSetCondition(leader, ofLeader) === 'False NoReadyCluster', 15_000);
  });
});
