import { ClusterClaim, ClusterSet, CustomResourceDefinition } from '@isthmus/api';
import type { RealCluster, RealFleet } from '@isthmus/testkit';
import { cart, clusterSetName, memberNamespace, westPorts } from '@isthmus/fleet-sim';
import { startRealFleet } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** Clusters as Antrea 1.13 and later leave them: without the CRD of ClusterClaim. */
let fleet: RealFleet;
const west = () => fleet.cluster('west');
const memberRef = { namespace: memberNamespace, name: clusterSetName };
const definition = { name: 'clusterclaims.multicluster.crd.antrea.io' };

async function unserve({ admin, user }: RealCluster): Promise<void> {
  await admin.delete(CustomResourceDefinition, definition);
  await fleet.until(
    'the definition is gone',
    async () => (await user.find(CustomResourceDefinition, definition)) === undefined,
  );
}

beforeAll(async () => {
  fleet = await startRealFleet({ clusters: { east: 'member', west: 'member', north: 'leader' }, join: false });
  await Promise.all(fleet.clusters.map(unserve));
  await Promise.all(fleet.clusters.map((cluster) => cluster.start()));
  await fleet.join();
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

describe('clusters that do not serve ClusterClaim, on real API servers', () => {
  it('are joined by the cluster ID of the spec, and export and import', async () => {
    await Promise.all(fleet.clusters.map(({ user }) => user.namespace(cart.namespace)));
    await west().user.exportService(cart, westPorts, '10.20.1.5');
    await fleet.eventually('exported', () => west().view.exported(cart, 'Ready'), 'True Exported');
    await fleet.until('east imports it', async () => (await fleet.cluster('east').view.imported(cart)) !== undefined);
  });

  it('read claims once the kind is served, and forget them when it is not any more', async () => {
    const idOf = async () => (await west().admin.get(ClusterSet, memberRef)).spec?.clusterID;
    await west().stop('member');
    await west().admin.patch(ClusterSet, memberRef, {
      type: 'merge',
      body: { metadata: { annotations: { 'isthmus.dev/joined-as': null } }, spec: { clusterID: null } },
    });
    await west().start('member');
    const ready = () => west().view.clusterSet(memberRef);
    await fleet.eventually('no ID', ready, 'False ClusterIDNotSet');
    await west().shell('kubectl apply -f -', await west().manifest('deploy/member-crds.yaml'));
    const claim = { metadata: { name: 'id.k8s.io', namespace: memberNamespace }, value: 'Not an ID' };
    await fleet.until('a claim can be written', () =>
      west()
        .user.put(ClusterClaim, claim)
        .then(
          () => true,
          () => false,
        ),
    );
    await fleet.eventually('the claim counts', ready, 'False InvalidClusterID');
    await unserve(west());
    await fleet.eventually('it is forgotten', ready, 'False ClusterIDNotSet');
    expect(await idOf()).toBeUndefined();
  });
});
