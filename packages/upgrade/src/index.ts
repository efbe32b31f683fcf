// Versions
export type { VersionScheme } from './version/version.ts';
export { minorOf, parseVersion } from './version/parse-version.ts';
export { compareVersions } from './version/compare-versions.ts';
export { compareRevisions } from './version/compare-revisions.ts';
// The kinds of files: what people and programs write, and how it is read
export type { Problem, ReadResult, WrittenFile } from './read/problem.ts';
export { problemLine, readFile } from './read/read-file.ts';
// Bundles
export type { Artifact, Component } from './bundle/component.ts';
export type { ComponentBundle } from './bundle/component-bundle.ts';
export { componentBundle } from './bundle/component-bundle.ts';
export { channelIndex } from './bundle/channel-index.ts';
export type { LoadedBundle } from './bundle/loaded-bundle.ts';
export type { BundleCrypto } from './bundle/crypto.ts';
export {
  componentsFor,
  fullVersion,
  isDisabled,
  kubernetesMinors,
  kubernetesProblem,
  placedComponents,
} from './bundle/components-of.ts';
export { canonicalText } from './bundle/canonical-text.ts';
export { bundleDigest, signedText } from './bundle/signed-text.ts';
export type { SignaturePolicy } from './bundle/signature.ts';
export { signatureFinding, signBundle, verifyBundle } from './bundle/signature.ts';
export type { ImageReference } from './bundle/resolve/image-reference.ts';
export type { WantedArtifact } from './bundle/resolve/wanted-artifacts.ts';
export { wantedArtifacts } from './bundle/resolve/wanted-artifacts.ts';
export type { ResolvedArtifact } from './bundle/resolve/fill-in.ts';
export { fillIn } from './bundle/resolve/fill-in.ts';
export { putSignature } from './bundle/put-signature.ts';
export type { BundleChange } from './bundle/diff-bundles.ts';
export { diffBundles } from './bundle/diff-bundles.ts';
export type { BundleList, IndexedBundle } from './bundle/latest-bundle.ts';
export { bundleOfRelease, latestBundle } from './bundle/latest-bundle.ts';
export { isEksaBundles, readEksaBundles } from './bundle/eksa/read-eksa-bundles.ts';
export { isEksaRelease, readEksaRelease } from './bundle/eksa/read-eksa-release.ts';
export { engineProblem } from './bundle/engine-problem.ts';
export { lintBundle } from './bundle/lint/lint-bundle.ts';
// Policies: the promises of products, and verdicts on them
export type { Finding, Subject } from './finding.ts';
export { withoutBeside } from './finding.ts';
export { orderedFindings } from './finding-order.ts';
export type { Policy } from './policy/policy.ts';
export { policy } from './policy/policy.ts';
export type { HopRule, SkewRule } from './policy/version-rules.ts';
export type { ApiHistory } from './policy/releases/api-history.ts';
export { apiHistory } from './policy/releases/api-history.ts';
export type { FleetState } from './fleet/fleet-state.ts';
export type { ViolationOptions } from './policy/skew/violations.ts';
export { startViolations, violationsOf } from './policy/skew/violations.ts';
export type { SupportOf } from './policy/skew/window-findings.ts';
export { maintainedMinors } from './policy/kubernetes-window.ts';
export type { PolicyFile } from './policy/policy-file.ts';
export { policyProblems } from './policy/problems/policy-problems.ts';
export { shippedPolicies, shippedPolicyFiles } from './policy/shipped/shipped-policies.ts';
export type { ApiPromiseContext } from './policy/releases/api-promises.ts';
export { apiBreaches, silentDeprecations } from './policy/releases/api-promises.ts';
export { deprecatedUse } from './policy/objects/deprecated-use.ts';
export type { ReleaseContext } from './policy/releases/release-findings.ts';
export { releaseFindings } from './policy/releases/release-findings.ts';
export { expiredWaivers } from './plan/checks/idle-waivers.ts';
export { waiveFindings } from './plan/checks/waive-findings.ts';
export type { WaivableNames } from './plan/checks/waiver-problems.ts';
export { waiverProblems } from './plan/checks/waiver-problems.ts';
export { placementFindings, placementNotExamined } from './policy/objects/placement.ts';
export type { MetricsText } from './metrics/metrics-text.ts';
export { parseMetrics } from './metrics/metrics-text.ts';
export { metricFindings, metricsNotExamined } from './metrics/metric-findings.ts';
export type { SearchedFile } from './metrics/metric-uses.ts';
// CRDs and the objects that are stored
export type { CrdRule } from './crd/crd-rule.ts';
export type { CrdReport, StorageMigration } from './crd/crd-finding.ts';
export type { ObjectsReport } from './crd/object-problem.ts';
export type { Waiver } from './crd/waivers.ts';
export { waivers } from './crd/waivers.ts';
export { checkDefinition } from './crd/check/check-definition.ts';
export { findingOfCrd } from './crd/finding-of-crd.ts';
export { readDefinition } from './crd/read-definition.ts';
export { crdRules } from './crd/rules.ts';
export { checkObjects, objectsCheck } from './crd/objects/check-objects.ts';
export { writeJudge } from './crd/objects/judge-write.ts';
export { findingOfGroup } from './crd/objects/finding-of-group.ts';
export type { ManifestContext, ManifestFinding } from './manifests/manifest-findings.ts';
export { manifestFindings, manifestsNotExamined } from './manifests/manifest-findings.ts';
// The fleet, and plans for it
export type { ClusterSnapshot, FleetSnapshot } from './fleet/fleet-snapshot.ts';
export { fleetSnapshot } from './fleet/fleet-snapshot.ts';
export { oldReadings } from './fleet/old-readings.ts';
export { groupFindings } from './plan/checks/group-findings.ts';
export { leftAlone } from './plan/input/planner-context.ts';
export { readingFindings } from './plan/checks/old-reading-findings.ts';
export { stateOf } from './fleet/state-of.ts';
export { fleetProblems } from './fleet/fleet-problems.ts';
export type { Change, Plan } from './plan/format/plan.ts';
export { plan } from './plan/format/plan.ts';
export type { Step } from './plan/format/step.ts';
export type { Prune } from './plan/input/plan-input.ts';
export type { WantedWaves } from './plan/waves.ts';
export { wavesOf } from './plan/waves.ts';
export { sharesProblem } from './policy/wave-rules.ts';
export { planWithoutBlocked } from './plan/plan-without-blocked.ts';
export { nameOf } from './immutable/removal-order.ts';
export { planUpgrade } from './plan/plan-upgrade.ts';
export type { PlanBounds } from './plan/compare-plan.ts';
export { comparePlan } from './plan/compare-plan.ts';
// Snapshots of live clusters
export type { ClusterSource } from './live/cluster-sources.ts';
export { clusterSources, countedGroups, helmReleaseSource, snapshotRights } from './live/cluster-sources.ts';
export type { ClusterFacts } from './live/cluster-facts.ts';
export { addFacts, addHelmRelease, addObject, addPod, emptyFacts } from './live/cluster-facts.ts';
export { perNodeWorkloads } from './live/read-components.ts';
export { clusterOfFacts, unreadCluster } from './live/cluster-of-facts.ts';
export { assembleFleet } from './live/assemble-fleet.ts';
export { withHandWritten } from './live/hand-written.ts';
export { DefinitionPool, withOwnDefinitions } from './fleet/shared-definitions.ts';
