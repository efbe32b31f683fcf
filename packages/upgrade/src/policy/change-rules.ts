import type { InferRead } from '@isthmus/schema';
import { s } from '@isthmus/schema';
import { idText, minorText, rangeText, severities, versionText } from '../words.ts';

/** How long an API version must live after its deprecation was announced. The longer of the two holds. */
const lifetime = s.object({
  months: s.int32().min(0).doc('Calendar months.'),
  releases: s.int32().min(0).doc('Minors of the product.').default(0),
});

/** The promises about API versions (docs/spec/upgrades.md §2.4: rules D1 to D7). */
const apiDeprecation = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type whose releases count.'),
  groups: s
    .setOf(s.string().minLength(1))
    .minItems(1)
    .doc('The API groups that are promised: each as a whole, or `*.` and a suffix.'),
  ga: lifetime.doc('Of v1, v2, ….'),
  beta: lifetime.doc('Of v1beta1, ….'),
  alpha: lifetime.doc('Of v1alpha1, ….'),
  conversionWhileDeprecated: s
    .boolean()
    .doc('A deprecated beta or GA version whose schema differs from the stored one needs a conversion webhook (D3).')
    .default(true),
  gaWithinMajor: s.boolean().doc('GA versions stay for the whole major.').default(false),
  severity: s
    .oneOf(...severities)
    .doc('What a violation means.')
    .default('block'),
  source: s.string().minLength(1).doc('Who says so.'),
});
export type ApiDeprecationRule = InferRead<typeof apiDeprecation>;

/** An API version that Kubernetes itself stopped to serve. */
const removedApi = s.object({
  group: s.string().doc('The API group; empty for the core.'),
  version: s.string().minLength(1).doc('The version that is gone.'),
  kind: s.string().minLength(1).doc('The kind.'),
  deprecatedIn: minorText().optional().doc('The minor that announced it.'),
  removedIn: minorText().doc('The first minor that does not serve it.'),
  replacement: s.string().optional().doc('The apiVersion to use instead; absent where the kind is gone.'),
  source: s.string().minLength(1).optional().doc('Who says so.'),
});
export type RemovedApi = InferRead<typeof removedApi>;

/** The promises about metrics (docs/spec/upgrades.md §2.5). */
const metricsDeprecation = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type that shows the metrics.'),
  names: s
    .array(s.string().minLength(1))
    .minItems(1)
    .doc('The metrics that the rule is about: names, or a prefix and `*`.'),
  stability: s
    .oneOf('help-text', 'all-stable')
    .doc(
      'How a metric shows its stability: by [ALPHA], [BETA], [STABLE] at the begin of its HELP as in Kubernetes, or all are stable that `alpha` does not name.',
    ),
  alpha: s.array(s.string().minLength(1)).doc('Metrics without any promise: names, or a prefix and `*`.').default([]),
  deprecatedMark: s
    .string()
    .minLength(1)
    .doc('How the HELP text of a deprecated metric begins, with `{version}` for the minor.')
    .default('(Deprecated since {version})'),
  minMinors: s.int32().min(0).doc('For how many minors a stable metric stays after its deprecation.').default(1),
  minMinorsBeta: s.int32().min(0).optional().doc('The same of a beta one; absent: as of a stable one.'),
  hidden: s
    .object({
      minors: s.int32().min(1).doc('For how many minors it can still be asked for.'),
      flag: s.string().minLength(1).doc('The flag of the product that shows it.'),
    })
    .optional()
    .doc(
      'What comes between: a metric whose time is over is hidden first, not shown unless asked for, and deleted later.',
    ),
  severity: s
    .oneOf(...severities)
    .doc('What a violation means.')
    .default('block'),
  source: s.string().minLength(1).doc('Who says so.'),
});
export type MetricsRule = InferRead<typeof metricsDeprecation>;

/** Which version of its group a new CRD is placed in (docs/spec/upgrades.md §2.9). */
const crdPlacement = s.object({
  id: idText().doc('Unique over all policies.'),
  groups: s.setOf(s.string().minLength(1)).minItems(1).doc('The API groups.'),
  usual: s
    .setOf(s.string().minLength(1))
    .minItems(1)
    .doc('Where a CRD without dependencies goes, as v1alpha1 and v1beta1.'),
  severity: s
    .oneOf(...severities)
    .doc('What a violation means.')
    .default('block'),
  source: s.string().minLength(1).doc('Who says so.'),
});
export type PlacementRule = InferRead<typeof crdPlacement>;

/** What must not change between patches of one minor (docs/spec/upgrades.md §2.4, D4). */
const patchReleases = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type.'),
  apis: s.boolean().doc('API groups and versions are neither added nor removed.').default(true),
  crdSchemas: s.boolean().doc('No CRD becomes incompatible: no finding of severity X, B or C.').default(true),
  features: s
    .boolean()
    .doc('No feature of the component comes, goes or changes its stage, as far as the features of policies tell.')
    .default(true),
  dependencies: s
    .record(s.oneOf('minor', 'exact'))
    .doc('What of `builtFrom` must stay, by name, or by a prefix and `*`: its minor, or the exact text.')
    .default({}),
  severity: s
    .oneOf(...severities)
    .doc('What a violation means.')
    .default('block'),
  source: s.string().minLength(1).doc('Who says so.'),
});
export type PatchReleaseRule = InferRead<typeof patchReleases>;

/** A feature and how stable it was in which release. */
const feature = s.object({
  name: s.string().minLength(1).doc('Its name for people.'),
  component: idText().doc('The component type.'),
  gate: s.string().optional().doc('The feature gate that switches it.'),
  stages: s
    .array(
      s.object({
        stage: s.oneOf('alpha', 'beta', 'ga', 'deprecated', 'removed').doc('How stable.'),
        since: versionText().doc('The first release of that stage.'),
      }),
    )
    .minItems(1)
    .doc('Oldest first.'),
  source: s.string().minLength(1).doc('Who says so.'),
});

/** A fact about a release that a person should know before an upgrade to or past it. */
const releaseNote = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type.'),
  from: rangeText().optional().doc('For upgrades from these versions.'),
  to: rangeText().doc('For upgrades to these versions, or past them.'),
  severity: s
    .oneOf(...severities)
    .doc('block where it has to be dealt with first.')
    .default('info'),
  text: s.string().minLength(1).doc('What it is.'),
  unblock: s.string().optional().doc('What to do.'),
  source: s.string().minLength(1).doc('Who says so.'),
});

/** What a product says of the restart of one of its parts (docs/spec/upgrades.md §2.1). It counts where a bundle says nothing of its own. */
const interruption = s.object({
  id: idText().doc('Unique over all policies.'),
  component: idText().doc('The component type.'),
  text: s.string().minLength(1).doc('What does not work, and what goes on, in sentences.'),
  source: s.string().minLength(1).doc('Who says so.'),
});
export type Interruption = InferRead<typeof interruption>;

/** The rules about what changes between releases that a policy may hold. */
export const changeRules = {
  apis: s.mapBy(['id'], apiDeprecation).doc('How long API versions live.').default([]),
  removedApis: s.array(removedApi).doc('Built-in API versions that are gone.').default([]),
  metrics: s.mapBy(['id'], metricsDeprecation).doc('How long metrics live.').default([]),
  placement: s.mapBy(['id'], crdPlacement).doc('Where new CRDs go.').default([]),
  patchReleases: s.mapBy(['id'], patchReleases).doc('What patches leave alone.').default([]),
  features: s.mapBy(['name'], feature).doc('Features and their stages.').default([]),
  notes: s.mapBy(['id'], releaseNote).doc('What to know before an upgrade.').default([]),
  interruptions: s.mapBy(['id'], interruption).doc('What does not work while a component restarts.').default([]),
};
