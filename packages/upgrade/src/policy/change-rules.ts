import type { InferRead } from '@isthmus/schema';
import { s } from '@isthmus/schema';
import { clusterRoles, idText, minorText, rangeText, severities, versionText } from '../words.ts';

/** The last fields of a rule whose violations are findings. */
const judged = {
  severity: s
    .oneOf(...severities)
    .doc('The severity of a violation.')
    .default('block'),
  source: s.string().minLength(1).doc('The source.'),
};

/**
 * How long an API version must live after its deprecation was announced. The longer of the two
 * holds.
 */
const lifetime = s.object({
  months: s.int32().min(0).doc('For at least this number of calendar months after the deprecation.'),
  releases: s.int32().min(0).doc('Minors of the product.').default(0),
});

/** The promises about API versions (docs/spec/upgrades.md §2.4: rules D1 to D7). */
const apiDeprecation = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type whose releases are counted.'),
  groups: s
    .setOf(s.string().minLength(1))
    .minItems(1)
    .doc('The API groups that the rule covers: full names, or `*.` and a suffix.'),
  ga: lifetime.doc('How long GA versions (v1, v2) are kept.'),
  beta: lifetime.doc('How long beta versions (v1beta1) are kept.'),
  alpha: lifetime.doc('How long alpha versions (v1alpha1) are kept.'),
  conversionWhileDeprecated: s
    .boolean()
    .doc('A deprecated beta or GA version whose schema differs from the stored one needs a conversion webhook (D3).')
    .default(true),
  gaWithinMajor: s.boolean().doc('GA versions are kept for the whole major.').default(false),
  ...judged,
});
export type ApiDeprecationRule = InferRead<typeof apiDeprecation>;

/** An API version that Kubernetes itself stopped to serve. */
const removedApi = s.object({
  group: s.string().doc('The API group; empty for the core.'),
  version: s.string().minLength(1).doc('The removed version.'),
  kind: s.string().minLength(1).doc('The kind.'),
  deprecatedIn: minorText().optional().doc('The minor that announced it.'),
  removedIn: minorText().doc('The first minor that does not serve it.'),
  replacement: s.string().optional().doc('The apiVersion to use instead; absent if the kind was removed.'),
  source: s.string().minLength(1).optional().doc('The source.'),
});
export type RemovedApi = InferRead<typeof removedApi>;

/** The promises about metrics (docs/spec/upgrades.md §2.5). */
const metricsDeprecation = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type that exposes the metrics.'),
  names: s.array(s.string().minLength(1)).minItems(1).doc('The metrics of the rule: names, or a prefix and `*`.'),
  stability: s
    .oneOf('help-text', 'all-stable')
    .doc(
      'How a metric shows its stability: by [ALPHA], [BETA], [STABLE] at the beginning of its HELP text as in Kubernetes, or all metrics are stable except those in `alpha`.',
    ),
  alpha: s
    .array(s.string().minLength(1))
    .doc('Metrics without a stability guarantee: names, or a prefix and `*`.')
    .default([]),
  deprecatedMark: s
    .string()
    .minLength(1)
    .doc('How the HELP text of a deprecated metric begins, with `{version}` for the minor.')
    .default('(Deprecated since {version})'),
  minMinors: s.int32().min(0).doc('For how many minors a stable metric is kept after its deprecation.').default(1),
  minMinorsBeta: s
    .int32()
    .min(0)
    .optional()
    .doc('For how many minors a beta metric is kept after its deprecation; absent: as a stable one.'),
  hidden: s
    .object({
      minors: s.int32().min(1).doc('For how many minors it can still be enabled.'),
      flag: s.string().minLength(1).doc('The flag of the product that enables it.'),
    })
    .optional()
    .doc('The time between: a metric is hidden first (disabled by default) and deleted later.'),
  ...judged,
});
export type MetricsRule = InferRead<typeof metricsDeprecation>;

/** Which version of its group a new CRD is placed in (docs/spec/upgrades.md §2.9). */
const crdPlacement = s.object({
  id: idText().doc('Unique over all policies.'),
  groups: s.setOf(s.string().minLength(1)).minItems(1).doc('The API groups.'),
  usual: s
    .setOf(s.string().minLength(1))
    .minItems(1)
    .doc('The versions of a CRD without dependencies, such as v1alpha1 and v1beta1.'),
  ...judged,
});
export type PlacementRule = InferRead<typeof crdPlacement>;

/** The parts that must not change between patches of one minor (docs/spec/upgrades.md §2.4, D4). */
const patchReleases = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type.'),
  apis: s.boolean().doc('API groups and versions are neither added nor removed.').default(true),
  crdSchemas: s.boolean().doc('No CRD becomes incompatible: no finding of severity X, B or C.').default(true),
  features: s
    .boolean()
    .doc('No feature of the component is added, removed or changes its stage, according to the features of policies.')
    .default(true),
  dependencies: s
    .record(s.oneOf('minor', 'exact'))
    .doc('Entries of `builtFrom` that must not change, by name, or by a prefix and `*`: the minor, or the exact text.')
    .default({}),
  ...judged,
});
export type PatchReleaseRule = InferRead<typeof patchReleases>;

/** A feature and how stable it was in which release. */
const feature = s.object({
  name: s.string().minLength(1).doc('Its display name.'),
  component: idText().doc('The component type.'),
  gate: s.string().optional().doc('Its feature gate.'),
  stages: s
    .array(
      s.object({
        stage: s.oneOf('alpha', 'beta', 'ga', 'deprecated', 'removed').doc('Its stage.'),
        since: versionText().doc('The first release of that stage.'),
      }),
    )
    .minItems(1)
    .doc('Oldest first.'),
  source: s.string().minLength(1).doc('The source.'),
});

/** A fact about a release that a person should know before an upgrade to or past it. */
const releaseNote = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type.'),
  from: rangeText().optional().doc('For upgrades from these versions.'),
  to: rangeText().doc('For upgrades to these versions or beyond.'),
  severity: s
    .oneOf(...severities)
    .doc('block if it must be resolved first.')
    .default('info'),
  text: s.string().minLength(1).doc('The note.'),
  unblock: s.string().optional().doc('The next step.'),
  settledBy: s
    .object({
      fact: s.string().minLength(1).doc('The name of a fact in the snapshot of a cluster.'),
      equals: s.string().doc('The value of the fact when the work is done.'),
      roles: s
        .setOf(s.oneOf(...clusterRoles))
        .minItems(1)
        .doc('The clusters of the ClusterSet that must have it: those with one of these roles.'),
    })
    .optional()
    .doc('The fact that settles the note: a plan does not report it if every such cluster has the fact.'),
  source: s.string().minLength(1).doc('The source.'),
});
export type ReleaseNote = InferRead<typeof releaseNote>;

/**
 * A product's description of the restart of one of its parts (docs/spec/upgrades.md §2.1). It
 * applies unless a bundle has its own.
 */
const interruption = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type.'),
  text: s
    .string()
    .minLength(1)
    .doc('The effects in sentences: the functions that stop working, and those that continue.'),
  source: s.string().minLength(1).doc('The source.'),
});
export type Interruption = InferRead<typeof interruption>;

/** The rules about what changes between releases that a policy may hold. */
export const changeRules = {
  apis: s.mapBy(['id'], apiDeprecation).doc('How long API versions live.').default([]),
  removedApis: s.array(removedApi).doc('Removed built-in API versions.').default([]),
  metrics: s.mapBy(['id'], metricsDeprecation).doc('How long metrics live.').default([]),
  placement: s.mapBy(['id'], crdPlacement).doc('Placement of new CRDs.').default([]),
  patchReleases: s.mapBy(['id'], patchReleases).doc('What patch releases must not change.').default([]),
  features: s.mapBy(['name'], feature).doc('Features and their stages.').default([]),
  notes: s.mapBy(['id'], releaseNote).doc('Notes on upgrades.').default([]),
  interruptions: s.mapBy(['id'], interruption).doc('What does not work while a component restarts.').default([]),
};
