import type { InferRead } from '@isthmus/schema';
import { s } from '@isthmus/schema';
import { versionSchemes } from '../version/version.ts';
import { clusterRoles, digestText, idText, minorText, rangeText, versionText } from '../words.ts';

/** Something that a component consists of, fixed by its digest. */
const artifact = s.object({
  name: idText().doc('Its name within the component; the same in every bundle, so that digests can be compared.'),
  kind: s
    .oneOf('image', 'chart', 'manifest', 'crdset', 'binary')
    .doc(
      'image: an OCI image. chart: a Helm chart. manifest: YAML to apply. crdset: YAML that contains only CRDs. binary: a program, or another file that is not applied.',
    ),
  uri: s
    .string()
    .minLength(1)
    .doc(
      'Its location: an image reference, a URL, or a path relative to the folder of the bundle. The digest identifies it.',
    ),
  digest: digestText()
    .optional()
    .doc('SHA-256 of its bytes, or of the manifest of an image. The lint rejects a bundle without it.'),
  size: s
    .int64()
    .min(0)
    .optional()
    .doc(
      'Its size in bytes. For an image: the size of the configuration and the compressed layers of the largest platform.',
    ),
});
export type Artifact = InferRead<typeof artifact>;

/** A component that must be in the same cluster before another one moves. */
const requirement = s.object({
  component: idText().doc('The id of the required component.'),
  range: rangeText().optional().doc('The accepted versions; absent: any.'),
  contract: s.string().minLength(1).optional().doc('A contract that it must implement, such as cluster-api/v1beta2.'),
  reason: s.string().optional().doc('The reason, shown in a plan.'),
});
export type Requirement = InferRead<typeof requirement>;

/**
 * A task for a user or a script beside the upgrade itself (docs/spec/upgrades.md §2.3, G0 and G5).
 */
const hook = s.object({
  id: idText().doc('Unique within the component.'),
  at: s
    .oneOf('before', 'after')
    .doc(
      'before: it must be done in every cluster that it names before the component is upgraded anywhere. after: it follows when the component is upgraded everywhere.',
    ),
  roles: s
    .setOf(s.oneOf(...clusterRoles))
    .minItems(1)
    .doc('The clusters in which it is done: those with one of these roles.'),
  whenFrom: rangeText().optional().doc('Only for upgrades from these versions; absent: from any.'),
  title: s.string().minLength(1).doc('Summary in one line.'),
  instructions: s.string().optional().doc('Instructions for carrying it out.'),
  doneWhen: s
    .object({
      fact: s.string().minLength(1).doc('The name of a fact in the snapshot of a cluster.'),
      equals: s.string().doc('The value of the fact when the step is done.'),
    })
    .optional()
    .doc('The fact that shows that it is already done. Absent: it is always planned.'),
});
export type Hook = InferRead<typeof hook>;

/** An object of the manifest that is the component at work. */
const workload = s.object({
  kind: s.oneOf('Deployment', 'DaemonSet', 'StatefulSet').doc('Its kind in apps/v1.'),
  namespace: s.string().minLength(1).doc('Its Namespace.'),
  name: s.string().minLength(1).doc('Its name.'),
  recreate: s
    .oneOf('foreground', 'orphan')
    .optional()
    .doc(
      'How to recreate a Deployment if an immutable field changes. foreground: it is deleted with its Pods before the new one is created. orphan: its Pods keep running until the new ones are ready, for controllers that elect a leader; a Deployment whose Pods serve webhooks is always deleted first. Absent: foreground.',
    ),
});

/** One versioned component of a bundle. */
export const component = s.object({
  id: idText().doc('Unique in the bundle, and the same from bundle to bundle: capi-kubeadm-bootstrap, antrea-agent.'),
  type: idText()
    .optional()
    .doc(
      'The component type that policies use: antrea-agent, mc-leader, kube-apiserver. Several components may share one. Absent: its id.',
    ),
  displayName: s.string().optional().doc('Its display name. Absent: its id.'),
  unit: idText()
    .optional()
    .doc(
      'Components with the same unit are one release: one version, and one manifest that is split among them by their workloads. Absent: its id.',
    ),
  scope: s
    .oneOf('cluster', 'node', 'client')
    .doc(
      'cluster: one per cluster. node: one on every Node, in waves. client: a program that users run, upgraded last.',
    )
    .default('cluster'),
  roles: s
    .setOf(s.oneOf(...clusterRoles))
    .optional()
    .doc('It is installed in clusters with one of these roles. Absent: in every cluster.'),
  optional: s
    .boolean()
    .doc('It is upgraded where it is installed, and never installed: it is optional in clusters.')
    .default(false),
  version: s
    .object({
      upstream: versionText().doc(
        'The version as upstream writes it; `deprecated` or a `<placeholder>` switches the component off.',
      ),
      build: s
        .string()
        .pattern('^[0-9a-z][-+.0-9a-z]*$')
        .optional()
        .doc('The build, in lower case; the full version is `upstream+build`. Changed content needs another build.'),
      sequence: s.int64().min(0).optional().doc('Increases with every build, so that builds have an order.'),
      scheme: s
        .oneOf(...versionSchemes)
        .doc('How to parse upstream.')
        .default('semver'),
    })
    .doc('The version of the component.'),
  artifacts: s.mapBy(['name'], artifact).doc('Its artifacts.').default([]),
  workloads: s
    .array(workload)
    .doc(
      'The workloads of its manifest: running versions are read from their images, and a shared manifest is split by them.',
    )
    .default([]),
  method: s
    .oneOf('apply', 'clusterctl', 'helm', 'flux', 'kubernetes', 'manual')
    .doc('How it is upgraded: by isthmus, by the tool that owns it, by rolling Kubernetes itself, or by hand.')
    .default('apply'),
  requires: s.array(requirement).doc('Its requirements, which must be met before it is upgraded.').default([]),
  contracts: s
    .setOf(s.string().minLength(1))
    .doc('The contracts that it implements, such as cluster-api/v1beta1.')
    .default([]),
  supports: s
    .object({
      kubernetes: s
        .object({
          min: minorText().doc('The oldest minor.'),
          max: minorText().doc('The newest minor.'),
        })
        .optional()
        .doc(
          'The Kubernetes minors, both included, that it supports, for every API server and every kubelet. It overrides the window of a policy.',
        ),
    })
    .doc('The supported platforms.')
    .default({}),
  upgradeFrom: s
    .object({
      range: rangeText()
        .optional()
        .doc('The versions that an upgrade to this one may start from; absent: set by policies.'),
      maxMinors: s
        .int32()
        .min(0)
        .optional()
        .doc('How many minors one upgrade may cross; the smaller of this and the limit of policies applies.'),
      via: s.array(versionText()).doc('Versions for intermediate stops of longer upgrades, oldest first.').default([]),
    })
    .doc('The versions from which it can be upgraded.')
    .default({}),
  rollback: s
    .oneOf('none', 'patch', 'consecutive-minor')
    .doc('The downgrades that it supports: none, to another patch of the same minor, or to the minor before.')
    .default('none'),
  irreversible: s
    .array(s.string().minLength(1))
    .doc(
      'Changes that cannot be rolled back once this version has run: each is a reason for a point of no return in the plan.',
    )
    .default([]),
  interrupts: s
    .array(s.string().minLength(1))
    .doc('What does not work while it restarts, in full sentences.')
    .default([]),
  hooks: s.mapBy(['id'], hook).doc('Additional steps of the upgrade.').default([]),
  builtFrom: s
    .record(s.string())
    .doc('Versions of its dependencies, by name (ovs, go, base-image), which patch releases must not change.')
    .default({}),
  notes: s.string().optional().doc('Notes that a plan shows.'),
});
export type Component = InferRead<typeof component>;
