import type { InferRead } from '@isthmus/schema';
import { s } from '@isthmus/schema';
import { clusterRoles, idText, minorText, rangeText, severities } from '../words.ts';

/** The relation of subject and reference that a rule compares. */
const scope = () =>
  s
    .oneOf('node', 'cluster', 'clusterset', 'management', 'fleet')
    .doc(
      'Which pairs are compared: on the same Node, in the same cluster, in the same ClusterSet (leader and its members), a cluster with the one that ' +
        'manages it, or the whole fleet (for clients that may connect to any cluster).',
    );

const ruleFields = {
  id: idText().doc('Unique over all policies, such as antrea.agent. Findings show it.'),
  severity: s
    .oneOf(...severities)
    .doc('The severity of a violation in a plan.')
    .default('block'),
  message: s.string().optional().doc('The rule in words; findings begin with it.'),
  source: s.string().minLength(1).doc('The source of the rule: document and section.'),
};

/**
 * How far versions may differ while they work together (docs/spec/upgrades.md §2.2). Every running
 * version of the subject is compared with every running version of the reference in its scope, so
 * mixed versions narrow the range by themselves.
 */
const skewRule = s.object({
  ...ruleFields,
  subject: idText().doc('The component type of the rule.'),
  reference: idText().doc('The component type to compare with; may be the same, for replicas of one component.'),
  scope: scope(),
  newer: s
    .object({
      minors: s.int32().min(0).optional().doc('How many minors it may be ahead; absent: any number.'),
      patches: s.oneOf('any', 'none').doc('Whether its patch may be ahead within the same minor.').default('any'),
    })
    .doc('How much newer than the reference the subject may be.'),
  older: s
    .object({
      minors: s.int32().min(0).optional().doc('How many minors it may be behind; absent: any number.'),
      patches: s.oneOf('any', 'none').doc('Whether its patch may be behind within the same minor.').default('any'),
    })
    .doc('How much older than the reference the subject may be.'),
  holds: s
    .oneOf('always', 'settled')
    .doc(
      'always: in every state of a plan. settled: at the end of an upgrade; during it the versions may differ, and at its start ' +
        'a violation is a warning, so that an interrupted upgrade can continue (mc.same: leader first, members after it).',
    )
    .default('always'),
  sequence: idText()
    .optional()
    .doc(
      'The release sequence that minors are counted by; absent: by their numbers, and a change of major is unknown.',
    ),
  when: s
    .object({
      subject: rangeText().optional().doc('Only for these versions of the subject.'),
      reference: rangeText().optional().doc('Only for these versions of the reference.'),
    })
    .doc('When the rule applies.')
    .default({}),
});
export type SkewRule = InferRead<typeof skewRule>;

/**
 * A version that a component must have at least, whatever the others have (`mc.antctl`: the
 * commands exist since v1.6.0).
 */
const floorRule = s.object({
  ...ruleFields,
  subject: idText().doc('The component type.'),
  range: rangeText().doc('The accepted versions.'),
  whenPresent: idText().optional().doc('Only if this component type runs in the scope.'),
  scope: scope(),
});
export type FloorRule = InferRead<typeof floorRule>;

/** Which of two components moves first (docs/spec/upgrades.md §1.6, §2.2, §2.3). */
const orderRule = s.object({
  ...ruleFields,
  first: idText().doc('The component type that is upgraded first.'),
  next: idText().doc(
    'The component type whose upgrade may start only when the first is at its target everywhere in the scope.',
  ),
  scope: scope(),
});
export type OrderRule = InferRead<typeof orderRule>;

/**
 * How far one upgrade may go (docs/spec/upgrades.md §2.2: antrea.hop, k8s.step, cilium.step,
 * capi.step, eksa.step).
 */
const hopRule = s.object({
  ...ruleFields,
  subject: idText().doc('The component type.'),
  maxMinors: s.int32().min(1).doc('How many minors at once.'),
  sequence: idText().optional().doc('The release sequence that minors are counted by.'),
  majors: s
    .oneOf('by-sequence', 'never')
    .doc('Whether a change of major is counted by the sequence, or rejected.')
    .default('by-sequence'),
  downgrade: s
    .oneOf('never', 'consecutive-minor')
    .doc('Whether downgrades are allowed, and how far; the component must also support it.')
    .default('never'),
  newestPatchFirst: s
    .boolean()
    .doc('Before the minor changes, the newest known patch of the old minor must run.')
    .default(false),
  when: rangeText().optional().doc('Only for upgrades from these versions.'),
});
export type HopRule = InferRead<typeof hopRule>;

/** Which Kubernetes minors a component runs on (docs/spec/upgrades.md §2.8). */
const kubernetesWindow = s.object({
  ...ruleFields,
  subject: idText().doc('The component type.'),
  lists: s
    .record(s.array(minorText()))
    .doc(
      'The supported Kubernetes minors by minor of the subject. A list in a bundle overrides it; it overrides the count.',
    )
    .default({}),
  maintained: s
    .object({
      newestAtRelease: s
        .record(minorText())
        .doc('The newest Kubernetes minor when a minor of the subject was released.'),
      count: s.int32().min(1).doc('How many minors back from it are supported, itself included.'),
      countUpTo: s
        .object({
          newest: minorText().doc('The last newest minor to which this count applies.'),
          count: s.int32().min(1).doc('How many minors back from it are supported until then, itself included.'),
        })
        .optional()
        .doc('An earlier count.'),
    })
    .optional()
    .doc('The minors that Kubernetes itself maintained at the release of the subject.'),
});
export type KubernetesWindow = InferRead<typeof kubernetesWindow>;

/** Which roles of clusters move in which order, within the components that no other rule orders. */
const roleOrder = s
  .array(s.oneOf(...clusterRoles))
  .doc('Clusters with an earlier role are upgraded before clusters with a later role: leader, member.');

/** The rules about versions that a policy may hold. */
export const versionRules = {
  sequences: s
    .mapBy(
      ['name'],
      s.object({
        name: idText().doc('The name that rules use.'),
        minors: s.array(minorText()).minItems(1).doc('The minors in the order of their releases.'),
      }),
    )
    .doc('Release sequences.')
    .default([]),
  skew: s.mapBy(['id'], skewRule).doc('Supported version skew.').default([]),
  floors: s.mapBy(['id'], floorRule).doc('Minimum versions.').default([]),
  order: s.mapBy(['id'], orderRule).doc('Upgrade order.').default([]),
  roleOrder: roleOrder.default([]),
  hops: s.mapBy(['id'], hopRule).doc('Limits of one upgrade.').default([]),
  kubernetes: s.mapBy(['id'], kubernetesWindow).doc('Supported Kubernetes minors.').default([]),
};
