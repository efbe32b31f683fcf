import type { InferRead } from '@isthmus/schema';
import { s } from '@isthmus/schema';
import { versionSchemes } from '../version/version.ts';
import { clusterRoles, digestText, idText, minorText, rangeText, versionText } from '../words.ts';

/** Something that a component consists of, fixed by its digest. */
const artifact = s.object({
  name: idText().doc(
    'Its name within the component; stays the same from bundle to bundle, so that its digests can be compared.',
  ),
  kind: s
    .oneOf('image', 'chart', 'manifest', 'crdset', 'binary')
    .doc(
      'image: an OCI image. chart: a Helm chart. manifest: YAML to apply. crdset: YAML that holds CRDs alone. binary: a program.',
    ),
  uri: s
    .string()
    .minLength(1)
    .doc('Where it is: an image reference, a URL, or a path from the folder of the bundle. What counts is the digest.'),
  digest: digestText()
    .optional()
    .doc('SHA-256 of its bytes; of an image that of its manifest. Without one the lint refuses the bundle.'),
});
export type Artifact = InferRead<typeof artifact>;

/** What must be there, in the same cluster, before a component moves. */
const requirement = s.object({
  component: idText().doc('The id of the component that must be there.'),
  range: rangeText().optional().doc('The versions of it that will do; absent: any.'),
  contract: s.string().minLength(1).optional().doc('A contract that it must implement, as cluster-api/v1beta2.'),
  reason: s.string().optional().doc('Why, for the reader of a plan.'),
});
export type Requirement = InferRead<typeof requirement>;

/** What a person or a script has to do beside the upgrade itself (docs/spec/upgrades.md §2.3, G0 and G5). */
const hook = s.object({
  id: idText().doc('Unique within the component.'),
  at: s
    .oneOf('before', 'after')
    .doc(
      'before: it must be done in every cluster that it names before the component moves anywhere. after: it follows when it stands everywhere.',
    ),
  roles: s
    .setOf(s.oneOf(...clusterRoles))
    .minItems(1)
    .doc('The clusters in which it is done: those that play one of these roles.'),
  whenFrom: rangeText().optional().doc('Only for upgrades from these versions; absent: from any.'),
  title: s.string().minLength(1).doc('What is done, in one line.'),
  instructions: s.string().optional().doc('How, for the person who does it.'),
  doneWhen: s
    .object({
      fact: s.string().minLength(1).doc('The name of a fact that the snapshot of a cluster tells.'),
      equals: s.string().doc('The value that it has when the step is done.'),
    })
    .optional()
    .doc('How a snapshot shows that it is done already. Absent: it cannot be seen, and is always planned.'),
});
export type Hook = InferRead<typeof hook>;

/** An object of the manifest that is the component at work. */
const workload = s.object({
  kind: s.oneOf('Deployment', 'DaemonSet', 'StatefulSet').doc('Its kind, in apps/v1.'),
  namespace: s.string().minLength(1).doc('Its Namespace.'),
  name: s.string().minLength(1).doc('Its name.'),
  recreate: s
    .oneOf('foreground', 'orphan')
    .optional()
    .doc(
      'How a Deployment is made anew where a field of it cannot change. foreground: it goes with its Pods before the new one comes. orphan: its Pods run on until the new ones are ready, for controllers that elect a leader; one whose Pods answer webhooks goes first all the same. Absent: foreground.',
    ),
});

/** One versioned component of a bundle. */
export const component = s.object({
  id: idText().doc('Unique in the bundle, and the same from bundle to bundle: capi-kubeadm-bootstrap, antrea-agent.'),
  type: idText()
    .optional()
    .doc(
      'The word by which policies speak of it: antrea-agent, mc-leader, kube-apiserver. Several components may share one. Absent: its id.',
    ),
  displayName: s.string().optional().doc('Its name for people. Absent: its id.'),
  unit: idText()
    .optional()
    .doc(
      'Components with the same unit are one release: one version, and one manifest that is split among them by their workloads. Absent: its id.',
    ),
  scope: s
    .oneOf('cluster', 'node', 'client')
    .doc(
      'cluster: one of it in a cluster. node: one on every Node, in waves. client: a program of people, upgraded last.',
    )
    .default('cluster'),
  roles: s
    .setOf(s.oneOf(...clusterRoles))
    .optional()
    .doc('It belongs into the clusters that play one of these roles. Absent: into every cluster.'),
  optional: s
    .boolean()
    .doc('It is upgraded where it is there already and never installed: clusters may do without it.')
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
        .doc(
          'What was built of it, lower-case; together they are `upstream+build`. A change of content needs a change here.',
        ),
      sequence: s.int64().min(0).optional().doc('Counted up with every build, so that builds have an order.'),
      scheme: s
        .oneOf(...versionSchemes)
        .doc('How upstream is to be read.')
        .default('semver'),
    })
    .doc('Which release it is.'),
  artifacts: s.mapBy(['name'], artifact).doc('All that it consists of.').default([]),
  workloads: s
    .array(workload)
    .doc(
      'The objects of its manifest that run it: live versions are read from their images, and a shared manifest is split by them.',
    )
    .default([]),
  method: s
    .oneOf('apply', 'clusterctl', 'helm', 'flux', 'kubernetes', 'manual')
    .doc(
      'How it is upgraded: with our own applier, the tool that owns it, by rolling Kubernetes itself, or by a person.',
    )
    .default('apply'),
  requires: s.array(requirement).doc('What must be there before it moves.').default([]),
  contracts: s
    .setOf(s.string().minLength(1))
    .doc('The contracts that it implements, as cluster-api/v1beta1.')
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
          'The Kubernetes minors, both included, that it runs on: every API server and every kubelet. It wins over the window of a policy.',
        ),
    })
    .doc('What it runs on.')
    .default({}),
  upgradeFrom: s
    .object({
      range: rangeText()
        .optional()
        .doc('The versions that an upgrade to this one may start from; absent: as the policies say.'),
      maxMinors: s
        .int32()
        .min(0)
        .optional()
        .doc('How many minors an upgrade may go at once; the smaller of this and the policies holds.'),
      via: s
        .array(versionText())
        .doc('Versions that an upgrade from farther away may stop at, oldest first.')
        .default([]),
    })
    .doc('Where an upgrade to this version may come from.')
    .default({}),
  rollback: s
    .oneOf('none', 'patch', 'consecutive-minor')
    .doc('Which downgrades it bears: none, to another patch of the same minor, or to the minor before.')
    .default('none'),
  irreversible: s
    .array(s.string().minLength(1))
    .doc('What cannot be taken back once this version has run: each is a reason why the plan has a point of no return.')
    .default([]),
  interrupts: s
    .array(s.string().minLength(1))
    .doc('What does not work while it restarts, in sentences for the reader of a plan.')
    .default([]),
  hooks: s.mapBy(['id'], hook).doc('What has to be done beside the upgrade.').default([]),
  builtFrom: s
    .record(s.string())
    .doc('Versions of what it was built from, by name (ovs, go, base-image): patch releases are held to them.')
    .default({}),
  notes: s.string().optional().doc('For the reader of a plan.'),
});
export type Component = InferRead<typeof component>;
