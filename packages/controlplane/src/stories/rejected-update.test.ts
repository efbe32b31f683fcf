import { Annotation, ClusterSet, Finalizer } from '@isthmus/api';
import type { ApiRequest } from '@isthmus/kube';
import { conditionOf } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import type { NamespacedRef } from '@isthmus/testkit';
import {
  clusterSetCondition,
  clusterSetName,
  createVirtualFleet,
  eventsOf,
  leaderNamespace,
  memberNamespace,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const ofMember = { namespace: memberNamespace, name: clusterSetName };
const ofLeader = { namespace: leaderNamespace, name: clusterSetName };
const found = (cluster: VirtualCluster, ref: NamespacedRef = ofMember) => cluster.server.admin.get(ClusterSet, ref);
const ready = (cluster: VirtualCluster) => conditionOf(found(cluster)?.status?.conditions, 'Ready');
const reported = (cluster: VirtualCluster) => eventsOf(cluster).filter((event) => event.startsWith('UpdateRejected '));

/**
 * A policy such as "only the GitOps controller changes ClusterSets", which does not match their
 * status.
 */
const isUpdate = ({ method, path }: ApiRequest) => method === 'PATCH' && /\/clustersets\/[^/]+$/.test(path);

const pair = { north: 'leader', east: 'member' } as const;

async function fleetThatRejects(controller: 'east-member' | 'north-leader', code: number) {
  const fleet: VirtualFleet = await createVirtualFleet({ clusters: pair, join: false });
  const [server = ''] = controller.split('-');
  const allow = fleet.link(controller, server).add({ match: isUpdate, fault: { kind: 'status', code } });
  for (const cluster of fleet.clusters) cluster.start();
  fleet.join();
  return { fleet, allow };
}

describe('an update of a ClusterSet that the API server of its cluster rejects', () => {
  it.each([403, 422])(
    'keeps a member from joining, which its ClusterSet reports until it is accepted (%i)',
    async (code) => {
      const { fleet, allow } = await fleetThatRejects('east-member', code);
      await using _ = fleet;
      const east = fleet.cluster('east');
      await fleet.until('it is reported', () => ready(east)?.reason === 'UpdateRejected', 5_000);
      expect(ready(east)).toMatchObject({
        status: 'False',
        message: expect.stringMatching(
          /^The API server of this cluster rejects a change of this ClusterSet by the controller: patch clustersets\.multicluster\.crd\.antrea\.io kube-system\/fleet: .* Correct the role, the admission policy or the webhook/,
        ) as string,
      });
      expect(reported(east)).toEqual([expect.stringMatching(/^UpdateRejected ClusterSet\/fleet: /)]);
      await fleet.clock.advance(60_000);
      expect(reported(east)).toHaveLength(1);
      allow();
      await fleet.until('it joins', () => clusterSetCondition(east) === 'True Connected', 20_000);
    },
  );

  it('leaves the status of a member as it is observed, and is reported by an Event, where it has the finalizer already', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const east = fleet.cluster('east');
    const allow = fleet.link('east-member', 'east').add({ match: isUpdate, fault: { kind: 'status', code: 403 } });
    east.server.admin.patch(ClusterSet, ofMember, { metadata: { annotations: { [Annotation.joinedAs]: null } } });
    await fleet.until('it is reported', () => reported(east).length > 0, 5_000);
    fleet.link('east-member', 'north').cut('refuse');
    await fleet.until('the status is written', () => clusterSetCondition(east) === 'False Disconnected', 60_000);
    allow();
    fleet.link('east-member', 'north').heal();
    await fleet.until('it is as before', () => found(east)?.metadata.annotations?.[Annotation.joinedAs] === 'east');
  });

  it('holds up a member that leaves, which an Event reports, and not longer than it is rejected', async () => {
    await using fleet = await createVirtualFleet({ clusters: pair });
    const east = fleet.cluster('east');
    const allow = fleet.link('east-member', 'east').add({ match: isUpdate, fault: { kind: 'status', code: 403 } });
    east.server.admin.delete(ClusterSet, ofMember);
    await fleet.until('it is reported', () => reported(east).length > 0, 90_000);
    expect(found(east)?.metadata.finalizers).toEqual([Finalizer.leave]);
    allow();
    await fleet.until('it has left', () => found(east) === undefined, 15_000);
  });

  it('is reported on the ClusterSet of a leader, whose status is written nevertheless', async () => {
    const { fleet, allow } = await fleetThatRejects('north-leader', 403);
    await using _ = fleet;
    const { leader } = fleet;
    await fleet.until('it is reported', () => reported(leader).length > 0, 5_000);
    expect(reported(leader)).toEqual([
      expect.stringMatching(/^UpdateRejected ClusterSet\/fleet: .* patch clustersets\.multicluster\.crd\.antrea\.io/),
    ]);
    await fleet.until('its status is there', () => clusterSetCondition(leader, ofLeader) === 'True AllClustersReady');
    allow();
    const version = () => found(leader, ofLeader)?.metadata.annotations?.[Annotation.version];
    await fleet.until('it is updated', () => version() !== undefined, 15_000);
  });
});
