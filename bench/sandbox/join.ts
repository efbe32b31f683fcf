import { ClusterSet, FixedName, Namespace, Secret } from '@isthmus/api';
import { clusterSetName } from '@isthmus/fleet-sim';
import { installObjects, issueMemberCredential, readManifest } from '@isthmus/testkit';
import type { BenchCluster, BenchFleet } from '../fleet.ts';
import { inParallel } from '../in-parallel.ts';

/** The clusters by their names. Errors, later: there is none of that name. */
export function fleetOf<T extends BenchCluster>(clusters: readonly T[]): BenchFleet<T> {
  return {
    clusters,
    cluster(name) {
      const found = clusters.find((cluster) => cluster.name === name);
      if (found === undefined) throw new Error(`no cluster ${name}`);
      return found;
    },
  };
}

/**
 * Installs the manifests of `deploy/` and creates every ClusterSet. No controller needs to run:
 * they find it all when they start.
 */
export async function joinClusterSet(clusters: readonly BenchCluster[]): Promise<void> {
  const { leaderNamespace: area, memberNamespace: home } = FixedName;
  const leader = clusters.find(({ role }) => role === 'leader');
  if (leader === undefined) throw new Error('joining a ClusterSet: no cluster is its leader');
  await leader.admin.create(Namespace, { metadata: { name: area } });
  await installObjects(leader.admin, await readManifest('deploy/leader.yaml'));
  await leader.admin.create(ClusterSet, {
    metadata: { name: clusterSetName, namespace: area },
    spec: { clusterID: leader.name, leaders: [{ clusterID: leader.name }], namespace: area },
  });
  const members = clusters.filter(({ role }) => role === 'member');
  const ofMembers = await readManifest('deploy/member.yaml');
  await inParallel(members, 16, async ({ name, admin }) => {
    await installObjects(admin, ofMembers);
    const data = await issueMemberCredential(leader.admin, area, name);
    await admin.create(Secret, { metadata: { name: 'leader-token', namespace: home }, type: 'Opaque', data });
    await admin.create(ClusterSet, {
      metadata: { name: clusterSetName, namespace: home },
      spec: {
        clusterID: name,
        leaders: [{ clusterID: leader.name, server: leader.server.url, secret: 'leader-token' }],
        namespace: area,
      },
    });
  });
}
