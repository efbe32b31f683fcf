import { ageColumn, column, defineResource, s } from '@isthmus/schema';
import type { ObjectOf } from '@isthmus/machinery';
import { ApiGroup, Label, managedByIsthmus } from '../names.ts';

export const memberClusterAnnounces = defineResource({
  group: ApiGroup.multicluster,
  kind: 'MemberClusterAnnounce',
  plural: 'memberclusterannounces',
  singular: 'memberclusterannounce',
  scope: 'Namespaced',
  docs:
    'The announcement of a member to its leader. One object per member in the Common Area, called member-announce-from-<clusterID>; the ' +
    'member updates its annotation touch-ts as a heartbeat, at least every 15 s. If it is deleted and the member does not announce itself again within 20 s, the leader removes the exports of the member.',
  labels: { [Label.app]: 'antrea', [Label.managedBy]: managedByIsthmus },
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema: s.object({
        clusterID: s.string().doc('ID of the member.').optional(),
        clusterSetID: s.string().doc("Name of the leader's ClusterSet.").optional(),
        leaderClusterID: s.string().doc('ID of the leader of the member.').optional(),
      }),
      columns: [
        column('Cluster ID', '.clusterID', { description: 'ID of the member' }),
        column('ClusterSet ID', '.clusterSetID', { description: 'ID of the ClusterSet' }),
        column('Heartbeat', '.metadata.annotations.touch-ts', {
          type: 'date',
          description: 'Time since the last heartbeat, by the clock of the member',
        }),
        column('Version', '.metadata.annotations.isthmus\\.dev/version', {
          description: 'Version of Isthmus in the member',
        }),
        ageColumn,
      ],
    },
  ],
  examples: [
    {
      apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
      kind: 'MemberClusterAnnounce',
      metadata: {
        name: 'member-announce-from-east',
        namespace: 'antrea-multicluster',
        annotations: { 'touch-ts': '2026-11-21T10:00:00Z' },
      },
      clusterID: 'east',
      clusterSetID: 'acme',
      leaderClusterID: 'north',
    },
  ],
});

export const MemberClusterAnnounce = memberClusterAnnounces.version('v1alpha1');
export type MemberClusterAnnounce = ObjectOf<typeof MemberClusterAnnounce>;
