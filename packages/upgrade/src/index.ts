// Versions
export type {
  Comparison,
  Minor,
  Relation,
  Revision,
  Version,
  VersionCore,
  VersionOrder,
  VersionScheme,
} from './version/version.ts';
export { relations, versionSchemes } from './version/version.ts';
export type { VersionBound, VersionRange } from './version/version-range.ts';
export type { MinorDistance, ReleaseSequence } from './version/release-sequence.ts';
export { minorOf, parseVersion } from './version/parse-version.ts';
export { compareVersions } from './version/compare-versions.ts';
export { minorDistance } from './version/minor-distance.ts';
export { inRange, parseVersionRange } from './version/parse-version-range.ts';
export { compareBuilds } from './version/compare-builds.ts';
export { compareRevisions } from './version/compare-revisions.ts';
// The kinds of files: what people and programs write, and how it is read
export { upgradeGroup, upgradeVersion } from './file-kind.ts';
export type { Problem, ReadResult, WrittenFile } from './read/problem.ts';
export { problemLine, readFile } from './read/read-file.ts';
export type { ClusterRole, Severity } from './words.ts';
export { clusterRoles, severities } from './words.ts';
// Bundles
export type { Artifact, Component, Hook, Requirement, Workload } from './bundle/component.ts';
export type { ComponentBundle } from './bundle/component-bundle.ts';
export { componentBundle } from './bundle/component-bundle.ts';
export type { ChannelIndex } from './bundle/channel-index.ts';
export { channelIndex } from './bundle/channel-index.ts';
export type { LoadedBundle } from './bundle/loaded-bundle.ts';
export type { BundleCrypto } from './bundle/crypto.ts';
export type { PlacedComponent } from './bundle/components-of.ts';
export {
  componentsFor,
  fullVersion,
  isDisabled,
  kubernetesMinors,
  kubernetesProblem,
  placedComponents,
  revisionOf,
  versionOf,
} from './bundle/components-of.ts';
export { canonicalText } from './bundle/canonical-text.ts';
export { bundleDigest, signedText } from './bundle/signed-text.ts';
export type { BundleSignature, SignaturePolicy, SignatureVerdict } from './bundle/signature.ts';
export { signatureFinding, signBundle, verifyBundle } from './bundle/signature.ts';
export type { SignedFile } from './bundle/put-signature.ts';
export { putSignature } from './bundle/put-signature.ts';
export type { BundleChange, ChangedArtifact } from './bundle/diff-bundles.ts';
export { diffBundles } from './bundle/diff-bundles.ts';
export type { BundleList, IndexedBundle, LookUp } from './bundle/latest-bundle.ts';
export { bundleOfRelease, latestBundle } from './bundle/latest-bundle.ts';
export type { ConversionContext, ConvertedBundle } from './bundle/eksa/read-eksa-bundles.ts';
export { isEksaBundles, readEksaBundles } from './bundle/eksa/read-eksa-bundles.ts';
export type { EksaRelease } from './bundle/eksa/read-eksa-release.ts';
export { isEksaRelease, readEksaRelease } from './bundle/eksa/read-eksa-release.ts';
export { engineProblem } from './bundle/engine-problem.ts';
export type { LintContext } from './bundle/lint/lint-context.ts';
export type { PlacedFinding } from './bundle/lint/lint-bundle.ts';
export { lintBundle } from './bundle/lint/lint-bundle.ts';
// Policies: the promises of products, and verdicts on them
export type { Finding, Subject } from './finding.ts';
export { orderedFindings } from './finding-order.ts';
export type { Policy } from './policy/policy.ts';
export { policy } from './policy/policy.ts';
export type { FloorRule, HopRule, KubernetesWindow, OrderRule, SkewRule } from './policy/version-rules.ts';
export type {
  ApiDeprecationRule,
  Feature,
  MetricsRule,
  PatchReleaseRule,
  PlacementRule,
  ReleaseNote,
  RemovedApi,
} from './policy/change-rules.ts';
export type { ApiHistory } from './policy/releases/api-history.ts';
export { apiHistory } from './policy/releases/api-history.ts';
export type { ClusterPlace, FleetState, Instance } from './fleet/fleet-state.ts';
export { typeOf } from './bundle/type-of.ts';
export type { Rules, RuleSet } from './policy/rule-set.ts';
export { readRules } from './policy/rule-set.ts';
export { FleetIndex } from './fleet/fleet-index.ts';
export type { ViolationOptions } from './policy/skew/violations.ts';
export { startViolations, violationsOf } from './policy/skew/violations.ts';
export type { SupportOf } from './policy/skew/window-findings.ts';
export type { SupportedKubernetes } from './policy/kubernetes-window.ts';
export { maintainedMinors, supportedMinors } from './policy/kubernetes-window.ts';
export { orderViolations } from './policy/skew/order-violations.ts';
export type { Hop } from './policy/hops/hop.ts';
export { hopOf } from './policy/hops/hop.ts';
export type { PolicyFile } from './policy/policy-file.ts';
export { policyProblems } from './policy/problems/policy-problems.ts';
export { shippedPolicies, shippedPolicyFiles } from './policy/shipped/shipped-policies.ts';
export type { ApiBreach, ApiPromiseContext } from './policy/releases/api-promises.ts';
export { apiBreaches, silentDeprecations } from './policy/releases/api-promises.ts';
export type { UsedObjects } from './policy/objects/deprecated-use.ts';
export { deprecatedUse } from './policy/objects/deprecated-use.ts';
export type { ReleaseContext, ReleaseReport } from './policy/releases/release-findings.ts';
export { releaseFindings } from './policy/releases/release-findings.ts';
export { releaseNotes } from './policy/releases/release-notes.ts';
export type { FeatureStage } from './policy/objects/features-at.ts';
export { featuresAt } from './policy/objects/features-at.ts';
export type { PlacementContext } from './policy/objects/placement.ts';
export type { Judged } from './plan/checks/waive-findings.ts';
export { waiveFindings } from './plan/checks/waive-findings.ts';
export { dependsOnAnnotation, placementFindings, placementNotExamined } from './policy/objects/placement.ts';
export type { MetricFamily, MetricsText, MetricType } from './metrics/metrics-text.ts';
export { parseMetrics } from './metrics/metrics-text.ts';
export type { MetricsContext } from './metrics/metric-findings.ts';
export { metricFindings, metricsNotExamined } from './metrics/metric-findings.ts';
export type { SearchedFile } from './metrics/metric-uses.ts';
// CRDs and the objects that are stored
export type { CrdRule, CrdRuleId, CrdSeverity } from './crd/crd-rule.ts';
export { crdSeverities } from './crd/crd-rule.ts';
export type { CrdFinding, CrdReport, ObjectHits, StorageMigration } from './crd/crd-finding.ts';
export type { ObjectEffect, ObjectProblemGroup, ObjectsReport } from './crd/object-problem.ts';
export { objectEffects } from './crd/object-problem.ts';
export type { CompiledRules, CompileRules, RulesVerdict } from './crd/rules-engine.ts';
export type { ServerVersion } from './crd/server-version.ts';
export type { Waiver, Waivers } from './crd/waivers.ts';
export { waivers } from './crd/waivers.ts';
export { checkDefinition } from './crd/check/check-definition.ts';
export type { CrdCheckOptions } from './crd/check/check-definition.ts';
export { compareApiVersions, stabilityOf } from './crd/compare-api-versions.ts';
export { findingOfCrd, severityOfCrd } from './crd/finding-of-crd.ts';
export type { DefinitionReading, ShapeProblem } from './crd/read-definition.ts';
export { readDefinition } from './crd/read-definition.ts';
export { crdRule, crdRules } from './crd/rules.ts';
export type { ObjectsCheck, ObjectsCheckOptions } from './crd/objects/check-objects.ts';
export { checkObjects, objectsCheck } from './crd/objects/check-objects.ts';
export type { VerdictError, WriteJudge, WriteVerdict } from './crd/objects/judge-write.ts';
export { writeJudge } from './crd/objects/judge-write.ts';
export { findingOfGroup } from './crd/objects/finding-of-group.ts';
export type { ManifestContext, ManifestFinding } from './manifests/manifest-findings.ts';
export { manifestFindings } from './manifests/manifest-findings.ts';
// Fields that cannot change
export type { ImmutableAction, ImmutableFinding, ImmutableRule } from './immutable/immutable-rule.ts';
export { immutableActions } from './immutable/immutable-rule.ts';
export { immutableRules } from './immutable/immutable-rules.ts';
export type { ImmutableOptions } from './immutable/immutable-findings.ts';
export { immutableFindings, servesWebhooks } from './immutable/immutable-findings.ts';
export type { Removal, RemovalOptions, RemovalPhase } from './immutable/removal-order.ts';
export { removalOrder } from './immutable/removal-order.ts';
// The fleet, and plans for it
export type { ClusterSnapshot, FleetSnapshot, InstalledComponent, LiveVersion } from './fleet/fleet-snapshot.ts';
export { fleetSnapshot } from './fleet/fleet-snapshot.ts';
export { stateOf } from './fleet/state-of.ts';
export type { FleetFingerprint } from './fleet/fingerprint.ts';
export { fingerprintOf } from './fleet/fingerprint.ts';
export { fleetProblems } from './fleet/fleet-problems.ts';
export type { Change, Plan } from './plan/format/plan.ts';
export { plan } from './plan/format/plan.ts';
export type { Effect, Gate, Step, StepKind } from './plan/format/step.ts';
export { stepKinds } from './plan/format/step.ts';
export type { PlanInput, Prune, Waves } from './plan/input/plan-input.ts';
export type { WantedWaves } from './plan/waves.ts';
export { wavesOf } from './plan/waves.ts';
export { sharesProblem } from './policy/wave-rules.ts';
export { planUpgrade } from './plan/plan-upgrade.ts';
export type { PlanBounds } from './plan/compare-plan.ts';
export { comparePlan } from './plan/compare-plan.ts';
export type { DescribeComponent } from './plan/apply-effects.ts';
export { applyEffects, duringStep } from './plan/apply-effects.ts';
