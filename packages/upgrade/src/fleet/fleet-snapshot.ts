import type { InferRead } from '@isthmus/schema';
import { defineConfigKind, s } from '@isthmus/schema';
import { fileMetadata } from '../file-metadata.ts';
import { upgradeGroup, upgradeVersion } from '../file-kind.ts';
import { clusterRoles, digestText, idText, versionText } from '../words.ts';

/** A version that runs, as images or the process itself tell it. What is recorded and what runs may differ: both are kept. */
const liveVersion = s.object({
  version: s.string().doc('The version, or the tag of the image as it is; empty where it cannot be told.'),
  node: idText().optional().doc('The Node that it runs on, for components of scope node.'),
  name: s
    .string()
    .optional()
    .doc('Which of several replicas or clients it is, where they may differ: the name of an API server, a host.'),
  digests: s.record(digestText()).doc('Digests of what runs, by name of the artifact.').default({}),
  ready: s.boolean().doc('Whether it was ready.').default(true),
});
export type LiveVersion = InferRead<typeof liveVersion>;

/** A component of a cluster. */
const installed = s.object({
  id: idText().doc('The id of the component in bundles.'),
  type: idText()
    .optional()
    .doc('The word of policies, for components that are in no bundle. Absent: what the bundle says, or the id.'),
  recorded: s
    .object({
      version: s
        .string()
        .doc('What the last upgrade, or the tool that owns it, wrote down; empty where it wrote nothing.'),
      digests: s.record(digestText()).doc('Digests by name of the artifact.').default({}),
      by: s.string().optional().doc('Where it stands: EKSARelease, Provider inventory, our annotation.'),
    })
    .optional()
    .doc('What is recorded; absent: nothing is.'),
  live: s.array(liveVersion).doc('What runs; empty: nothing was found, or it was not looked for.').default([]),
  skip: s.string().optional().doc('Why it is not to be upgraded, where its owner says so (as skipUpgrade of Cilium).'),
  handSet: s
    .array(s.string().minLength(1))
    .doc('Arguments that people set on its workloads and that an upgrade loses.')
    .default([]),
});
export type InstalledComponent = InferRead<typeof installed>;

/** One cluster, as it was seen. */
const cluster = s.object({
  name: idText().doc('Unique in the fleet; of a member its cluster ID.'),
  roles: s
    .setOf(s.oneOf(...clusterRoles))
    .doc('The parts that it plays.')
    .default([]),
  clusterSet: idText().optional().doc('The ClusterSet that it belongs to.'),
  managedBy: idText().optional().doc('The cluster that manages it; absent: itself, or none.'),
  reachable: s
    .boolean()
    .doc('Whether its API server answered. What stands here of an unreachable cluster is what was last known.')
    .default(true),
  paused: s.boolean().doc('A person paused its reconciliation; it is left as it is.').default(false),
  components: s
    .mapBy(['id'], installed)
    .doc('What runs there, kube-apiserver, kubelet and kube-proxy included.')
    .default([]),
  facts: s.record(s.string()).doc('What hooks ask for, by name: antrea-mc/member-credentials: present.').default({}),
  definitions: s.array(s.anyObject()).doc('Its CustomResourceDefinitions, whole, with status.').default([]),
  objectCounts: s.record(s.int64().min(0)).doc('Objects of custom resources, by name of the CRD.').default({}),
  objects: s
    .array(s.anyObject())
    .doc(
      'Live objects that a bundle changes: what immutable fields, owners and custom resources are judged by. Secrets without data.',
    )
    .default([]),
});
export type ClusterSnapshot = InferRead<typeof cluster>;

/**
 * What runs where, written down: recorded and live, per Node where it matters. Plans are made from it and bound to it: the fingerprint of each
 * cluster covers all but `metadata` and `spec.takenAt`.
 */
export const fleetSnapshot = defineConfigKind({
  group: upgradeGroup,
  version: upgradeVersion,
  kind: 'FleetSnapshot',
  docs: 'What runs in the clusters of a fleet at one moment.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        takenAt: s.dateTime().doc('When it was taken: the only time that a plan knows.'),
        clusters: s.mapBy(['name'], cluster).doc('The clusters.'),
        clusterSets: s
          .mapBy(
            ['name'],
            s.object({
              name: idText().doc('Its name.'),
              leader: idText().doc('The cluster that leads it.'),
              members: s
                .setOf(idText())
                .doc('The clusters that are members; the leader is one of them where it plays both parts.'),
            }),
          )
          .doc('The ClusterSets.')
          .default([]),
        clients: s
          .array(
            s.object({
              component: idText().doc('The id of the component: antctl, kubectl, isthmus-cli.'),
              name: s.string().optional().doc('Where it is: a host, a pipeline.'),
              version: versionText().doc('Its version.'),
            }),
          )
          .doc('Programs of people that talk to these clusters.')
          .default([]),
      })
      .doc('The fleet.'),
  }),
});
export type FleetSnapshot = ReturnType<typeof fleetSnapshot.decode>['value'];
