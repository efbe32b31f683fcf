import { ClusterSet, MemberClusterAnnounce, Namespace, ServiceExport, customResources } from '@isthmus/api';
import * as api from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { parseYaml } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import {
  cart,
  clusterSetCondition,
  createVirtualFleet,
  eventsOf,
  exportCart,
  exportCondition,
  importedSlices,
  putPod,
  putService,
  westPorts,
} from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';

const members = ['test-cluster-east', 'test-cluster-west'] as const;
const server = 'https://172.18.0.2:6443';
const hosts = { '172.18.0.2': 'test-cluster-north' };

/**
 * Writes a user's objects, in the version in which they are written. Replaces existing objects, as
 * `kubectl replace` does.
 */
function replaceYaml(cluster: VirtualCluster, text: string): void {
  for (const { value } of parseYaml(text, { source: 'seed' })) {
    const { apiVersion, ...object } = value as KubernetesObject & {
      readonly apiVersion: string;
      readonly kind: string;
    };
    const resource = customResources.find(({ kind }) => kind === object.kind);
    const type =
      resource?.version(apiVersion.split('/')[1] ?? '') ?? (object.kind === 'Secret' ? api.Secret : undefined);
    if (type === undefined) throw new Error(`no ${apiVersion} ${object.kind}`);
    cluster.server.admin.put(type, object);
  }
}

const v1alpha1Claims = (clusterID: string, namespace: string) => `
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterClaim
metadata:
  name: ${clusterID.slice(13)}-membercluster-id
  namespace: ${namespace}
name: id.k8s.io
value: ${clusterID}
---
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterClaim
metadata:
  name: clusterset-id
  namespace: ${namespace}
name: clusterSet.k8s.io
value: test-clusterset
`;

const v1alpha2Claims = (clusterID: string, namespace: string) => `
apiVersion: multicluster.crd.antrea.io/v1alpha2
kind: ClusterClaim
metadata:
  name: id.k8s.io
  namespace: ${namespace}
value: ${clusterID}
---
apiVersion: multicluster.crd.antrea.io/v1alpha2
kind: ClusterClaim
metadata:
  name: clusterset.k8s.io
  namespace: ${namespace}
value: test-clusterset
`;

const secret = (name: string) => `
apiVersion: v1
kind: Secret
metadata:
  name: ${name}
  namespace: kube-system
data:
  ca.crt: ${btoa('a certificate')}
  namespace: ${btoa('antrea-mcs-ns')}
  token: ${btoa(name)}
type: Opaque
`;

const memberClusterSet = (clusterID: string, secretName: string, leaderNamespace: string) => `
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterSet
metadata:
    name: test-clusterset
    namespace: kube-system
spec:
    leaders:
      - clusterID: test-cluster-north
        secret: "${secretName}"
        server: "${server}"
    members:
      - clusterID: ${clusterID}
    namespace: ${leaderNamespace}
`;

const leaderClusterSet = (namespace: string, more = '') => `
apiVersion: multicluster.crd.antrea.io/v1alpha1
kind: ClusterSet
metadata:
    name: test-clusterset
    namespace: ${namespace}
spec:
    leaders:
      - clusterID: test-cluster-north
    members:
      - clusterID: test-cluster-east
        serviceAccount: "member-east-access-sa"
      - clusterID: test-cluster-west
        serviceAccount: "member-west-access-sa"
${more}    namespace: ${namespace}
`;

const memberRef = { namespace: 'kube-system', name: 'test-clusterset' };
const isJoined = (cluster: VirtualCluster) => clusterSetCondition(cluster, memberRef) === 'True Connected';

/** Sets up a member as in Antrea Multi-cluster Installation. */
function setUpMember(cluster: VirtualCluster, claims = v1alpha1Claims): void {
  const secretName = `member-${cluster.name.slice(13)}-access-token`;
  replaceYaml(cluster, secret(secretName));
  replaceYaml(cluster, claims(cluster.name, 'kube-system'));
  replaceYaml(cluster, memberClusterSet(cluster.name, secretName, 'antrea-mcs-ns'));
}

function setUpLeader(cluster: VirtualCluster, claims = v1alpha1Claims): void {
  cluster.server.admin.put(Namespace, { metadata: { name: 'antrea-mcs-ns' } });
  replaceYaml(cluster, claims('test-cluster-north', 'antrea-mcs-ns'));
  replaceYaml(cluster, leaderClusterSet('antrea-mcs-ns'));
}

const dedicated = {
  'test-cluster-north': 'leader',
  'test-cluster-east': 'member',
  'test-cluster-west': 'member',
} as const;
const dualRole = { ...dedicated, 'test-cluster-north': 'leader+member' } as const;
const fleetOf = (clusters: typeof dedicated | typeof dualRole) =>
  createVirtualFleet({ clusters, leaderNamespace: 'antrea-mcs-ns', hosts, join: false });

const leaderStatuses = (fleet: VirtualFleet) =>
  (
    fleet.leader.server.admin.get(ClusterSet, { namespace: 'antrea-mcs-ns', name: 'test-clusterset' })?.status
      ?.clusterStatuses ?? []
  ).map(({ clusterID, conditions = [] }) => `${clusterID} ${conditions.find(({ type }) => type === 'Ready')?.status}`);

describe('Antrea Multi-cluster Installation, with its YAML unchanged', () => {
  it.each([
    ['v1alpha1', v1alpha1Claims],
    ['v1alpha2', v1alpha2Claims],
  ] as const)(
    'joins two members to a leader in Namespace antrea-mcs-ns, with ClusterClaims in %s',
    async (_, claims) => {
      await using fleet = await fleetOf(dedicated);
      for (const cluster of fleet.clusters) cluster.start();
      setUpLeader(fleet.leader, claims);
      for (const name of members) setUpMember(fleet.cluster(name), claims);
      await fleet.until('both are joined', () => members.every((name) => isJoined(fleet.cluster(name))));
      await fleet.until(
        'the leader shows both',
        () => leaderStatuses(fleet).join() === 'test-cluster-east True,test-cluster-west True',
      );
      for (const name of members) {
        expect(fleet.cluster(name).server.admin.get(ClusterSet, memberRef)?.spec?.clusterID).toBe(name);
        expect(eventsOf(fleet.cluster(name))).toEqual([]);
      }
      expect(fleet.leader.server.admin.list(MemberClusterAnnounce).map(({ clusterSetID }) => clusterSetID)).toEqual([
        'test-clusterset',
        'test-clusterset',
      ]);
    },
  );

  it('exports with a v1alpha1 ServiceExport, and imports in the other member', async () => {
    await using fleet = await fleetOf(dedicated);
    for (const cluster of fleet.clusters) cluster.start();
    setUpLeader(fleet.leader);
    for (const name of members) setUpMember(fleet.cluster(name));
    const [east, west] = members.map((name) => fleet.cluster(name));
    if (east === undefined || west === undefined) throw new Error('two members');
    putService(west, westPorts);
    putPod(west, 'cart-1', '10.20.1.5');
    east.server.admin.put(Namespace, { metadata: { name: 'shop' } });
    replaceYaml(
      west,
      `
apiVersion: multicluster.x-k8s.io/v1alpha1
kind: ServiceExport
metadata:
  name: cart
  namespace: shop
`,
    );
    await fleet.until('it is imported', () => importedSlices(east).length === 1);
    expect(exportCondition(west, 'Ready')).toBe('True Exported');
    expect(west.server.admin.get(ServiceExport, cart)).toBeDefined();
  });

  it('gets the cluster ID back from the claim when the old form of the ClusterSet is applied again', async () => {
    await using fleet = await fleetOf(dedicated);
    for (const cluster of fleet.clusters) cluster.start();
    setUpLeader(fleet.leader);
    const east = fleet.cluster('test-cluster-east');
    setUpMember(east);
    exportCart(east, '10.10.3.4');
    await fleet.until('it is imported', () => importedSlices(east).length === 1);
    const before = importedSlices(east);
    setUpMember(east);
    setUpLeader(fleet.leader);
    await fleet.clock.advance(1_000);
    const repaired = east.server.admin.get(ClusterSet, memberRef);
    expect(repaired?.spec?.clusterID).toBe('test-cluster-east');
    expect(repaired?.metadata.finalizers).toEqual(['isthmus.dev/leave']);
    await fleet.clock.advance(30_000);
    expect(importedSlices(east)).toEqual(before);
    expect(isJoined(east)).toBe(true);
    await fleet.until('the leader shows east alone', () => leaderStatuses(fleet).join() === 'test-cluster-east True');
  });

  it('keeps all fields of both versions in either', async () => {
    await using fleet = await fleetOf(dedicated);
    setUpLeader(fleet.leader);
    const east = fleet.cluster('test-cluster-east');
    setUpMember(east);
    replaceYaml(
      east,
      memberClusterSet('test-cluster-east', 'a-secret', 'antrea-mcs-ns').replace(
        'spec:',
        'spec:\n    clusterID: test-cluster-east',
      ),
    );
    expect(east.server.admin.get(ClusterSet, memberRef)?.spec).toEqual({
      clusterID: 'test-cluster-east',
      leaders: [{ clusterID: 'test-cluster-north', secret: 'a-secret', server }],
      members: [{ clusterID: 'test-cluster-east' }],
      namespace: 'antrea-mcs-ns',
    });
  });

  it('reports a claim that names another ClusterSet', async () => {
    await using fleet = await fleetOf(dedicated);
    for (const cluster of fleet.clusters) cluster.start();
    setUpLeader(fleet.leader);
    const east = fleet.cluster('test-cluster-east');
    setUpMember(east);
    replaceYaml(east, v1alpha1Claims('test-cluster-east', 'kube-system').replaceAll('test-clusterset', 'another'));
    await fleet.until('it says so', () => eventsOf(east).length === 1, 5_000);
    expect(eventsOf(east)[0]).toBe(
      'ClusterClaimMismatch ClusterSet/test-clusterset: ClusterClaim names ClusterSet another, but this ClusterSet is test-clusterset. Correct or delete the claim.',
    );
    expect(isJoined(east)).toBe(true);
  });
});

describe('a cluster with both roles', () => {
  const setUpNorthAsMember = (fleet: VirtualFleet) => {
    setUpMember(fleet.leader);
    replaceYaml(
      fleet.leader,
      leaderClusterSet(
        'antrea-mcs-ns',
        '      - clusterID: test-cluster-north\n        serviceAccount: "member-north-access-sa"\n',
      ),
    );
  };

  it.each([
    ['the leader first, then the member', ['leader', 'member']],
    ['the member first, then the leader', ['member', 'leader']],
  ] as const)('is set up with %s', async (_, order) => {
    await using fleet = await fleetOf(dualRole);
    const north = fleet.leader;
    for (const role of order) {
      north.start(role);
      if (role === 'leader') setUpLeader(north);
      else {
        north.server.admin.put(Namespace, { metadata: { name: 'antrea-mcs-ns' } });
        setUpNorthAsMember(fleet);
      }
      await fleet.clock.advance(20_000);
    }
    setUpNorthAsMember(fleet);
    await fleet.until('it is joined', () => isJoined(north));
    await fleet.until('and shown', () => leaderStatuses(fleet).join() === 'test-cluster-north True');
  });

  it('exports, imports and leaves as any member', async () => {
    await using fleet = await fleetOf(dualRole);
    const [north, east] = [fleet.leader, fleet.cluster('test-cluster-east')];
    north.start();
    east.start();
    setUpLeader(north);
    setUpNorthAsMember(fleet);
    setUpMember(east);
    exportCart(north, '10.30.1.5');
    exportCart(east, '10.10.3.4');
    await fleet.until('both have both', () => [north, east].every((cluster) => importedSlices(cluster).length === 2));
    north.server.admin.delete(ClusterSet, memberRef);
    await fleet.until('north has left', () => north.server.admin.get(ClusterSet, memberRef) === undefined);
    expect(importedSlices(north)).toEqual([]);
    await fleet.until('east has only itself', () => importedSlices(east).length === 1);
    await fleet.until('the leader shows east alone', () => leaderStatuses(fleet).join() === 'test-cluster-east True');
  });
});

it('works in other Namespaces than the usual ones', async () => {
  await using fleet = await createVirtualFleet({
    clusters: { north: 'leader', west: 'member' },
    leaderNamespace: 'fleet-leader',
    memberNamespace: 'fleet-member',
    join: false,
  });
  for (const { name, server } of fleet.clusters) {
    server.admin.put(Namespace, { metadata: { name: name === 'north' ? 'fleet-leader' : 'fleet-member' } });
  }
  for (const cluster of fleet.clusters) cluster.start();
  fleet.join();
  const west = fleet.cluster('west');
  exportCart(west, '10.20.1.5');
  await fleet.until('it is imported', () => importedSlices(west).length === 1);
  expect(clusterSetCondition(west, { namespace: 'fleet-member', name: 'fleet' })).toBe('True Connected');
});
