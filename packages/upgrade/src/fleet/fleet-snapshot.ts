import type { InferRead } from '@isthmus/schema';
import { s } from '@isthmus/schema';
import { fileMetadata } from '../file-metadata.ts';
import { defineFileKind } from '../file-kind.ts';
import { clusterRoles, digestText, idText, versionText } from '../words.ts';

/**
 * A running version, as an image or the process itself reports it. The recorded and the running
 * version may differ: both are kept.
 */
const liveVersion = s.object({
  version: s.string().doc('The version, or the unchanged tag of the image; empty if unknown.'),
  node: idText().optional().doc('The Node that it runs on, for components of scope node.'),
  name: s.string().optional().doc('The replica or client, if there are several: the name of an API server, a host.'),
  namespace: s
    .string()
    .minLength(1)
    .optional()
    .doc(
      'The Namespace of its workload; absent: unknown, or it has none. Plans compare it with the workloads of the bundle.',
    ),
  workloads: s
    .setOf(s.string().minLength(1))
    .optional()
    .doc(
      'The names of its Deployments and DaemonSets; absent: unknown, or it has none. Plans compare them with the workloads in the manifests of the bundle.',
    ),
  digests: s.record(digestText()).doc('Digests of the running artifacts, by name.').default({}),
  ready: s.boolean().doc('Whether it was ready.').default(true),
  tookSeconds: s
    .int32()
    .min(0)
    .optional()
    .doc(
      'How long its last rollout took, in seconds: of a Deployment until it was available, on a Node until its Pod was ready. Plans estimate times from it.',
    ),
});
export type LiveVersion = InferRead<typeof liveVersion>;

/** A component of a cluster. */
const installed = s.object({
  id: idText().doc('The id of the component in bundles.'),
  type: idText()
    .optional()
    .doc(
      'The component type of policies, for components that are not in a bundle. Absent: the type in the bundle, or the id.',
    ),
  recorded: s
    .object({
      version: s
        .string()
        .doc('The version recorded by the last upgrade, or by the tool that owns it; empty if none was recorded.'),
      digests: s.record(digestText()).doc('Digests by name of the artifact.').default({}),
      by: s
        .string()
        .optional()
        .doc('The source of the record: EKSARelease, Provider inventory, annotation of Isthmus.'),
    })
    .optional()
    .doc('The recorded state; absent: none is recorded.'),
  live: s
    .array(liveVersion)
    .doc('The running instances; empty: none was found, or they were not examined.')
    .default([]),
  skip: s
    .string()
    .optional()
    .doc('The reason why its owner excludes it from upgrades (such as skipUpgrade of Cilium).'),
  handSet: s
    .array(s.string().minLength(1))
    .doc('Manually set arguments of its workloads, which an upgrade overwrites.')
    .default([]),
});
export type InstalledComponent = InferRead<typeof installed>;

/** One cluster, as it was seen. */
const cluster = s.object({
  name: idText().doc('Unique in the fleet; for members, the cluster ID.'),
  roles: s
    .setOf(s.oneOf(...clusterRoles))
    .doc('Its roles.')
    .default([]),
  clusterSet: idText().optional().doc('The ClusterSet that it belongs to.'),
  managedBy: idText().optional().doc('The cluster that manages it; absent: itself, or none.'),
  context: s.string().optional().doc('The context of the kubeconfig by which it was read.'),
  readAt: s.dateTime().optional().doc('When it was read; absent: never, or by hand.'),
  reachable: s
    .boolean()
    .doc('Whether its state could be read. The data of an unreachable cluster is its last known state.')
    .default(true),
  notRead: s.string().optional().doc('The reason why its state could not be read.'),
  paused: s
    .boolean()
    .doc('Whether its reconciliation is paused by an administrator; the cluster is not changed then.')
    .default(false),
  components: s
    .mapBy(['id'], installed)
    .doc('The running components, including kube-apiserver, kubelet and kube-proxy.')
    .default([]),
  facts: s.record(s.string()).doc('Facts for hooks, by name: antrea-mc/member-credentials: present.').default({}),
  definitions: s.array(s.anyObject()).doc('Its complete CustomResourceDefinitions, with status.').default([]),
  sharedDefinitions: s
    .setOf(s.string())
    .doc('Further CustomResourceDefinitions, by their keys in spec.definitions.')
    .default([]),
  objectCounts: s.record(s.int64().min(0)).doc('Objects of custom resources, by name of the CRD.').default({}),
  objects: s
    .array(s.anyObject())
    .doc(
      'Live objects that a bundle changes, to check immutable fields, owners and custom resources. Secrets without data.',
    )
    .default([]),
});
export type ClusterSnapshot = InferRead<typeof cluster>;

/**
 * The versions that run in a fleet, recorded and live, per Node if it matters. Plans are made from
 * it and bound to it: the fingerprint of each cluster covers everything except `metadata`,
 * `spec.takenAt`, and how and when it was read.
 */
export const fleetSnapshot = defineFileKind({
  kind: 'FleetSnapshot',
  docs: 'The state of the clusters of a fleet at one moment.',
  schema: s.object({
    metadata: fileMetadata,
    spec: s
      .object({
        takenAt: s.dateTime().doc('When it was taken: plans use it as the current time.'),
        clusters: s.mapBy(['name'], cluster).doc('The clusters.'),
        clusterSets: s
          .mapBy(
            ['name'],
            s.object({
              name: idText().doc('Its name.'),
              leader: idText().doc('The cluster that leads it.'),
              members: s.setOf(idText()).doc('The member clusters; includes the leader if it has both roles.'),
            }),
          )
          .doc('The ClusterSets.')
          .default([]),
        definitions: s
          .record(s.anyObject())
          .doc('CustomResourceDefinitions that several clusters have, by a key that clusters refer to.')
          .default({}),
        clients: s
          .array(
            s.object({
              component: idText().doc('The id of the component: antctl, kubectl, isthmus-cli.'),
              name: s.string().optional().doc('Its location: a host, a pipeline.'),
              version: versionText().doc('Its version.'),
            }),
          )
          .doc('Programs that users run against these clusters.')
          .default([]),
      })
      .doc('The fleet.'),
  }),
});
export type FleetSnapshot = ReturnType<typeof fleetSnapshot.decode>['value'];
