// How a leader handles one kind of payload; conditions; untrusted values
export type { Condition, ExportCondition, Verdicts } from './conditions.ts';
export { conditionOf, isConditionReason, reasonOf, setVerdicts } from './conditions.ts';
export type { LeaderConfig } from './leader-config.ts';
export { defaultLeaderConfig } from './leader-config.ts';
export type {
  Contention,
  ExportDecision,
  ExportGroup,
  ExportQuery,
  FreeNumber,
  HoldersOf,
  LeaderExchange,
  NumberQuota,
  Rival,
  TracedImports,
  WriteAnswers,
} from './leader-exchange.ts';
export { isClusterID, isLabelValue, listOf, recordOf, shown } from './untrusted.ts';
// Announcements of members, and the answers of leaders in them
export { announceProblem, announcedCluster } from './announcements/announced-cluster.ts';
export type { AnnouncedSettings, ClusterSettings, EndpointIPType } from './announcements/announced-settings.ts';
export {
  announcedEndpointIPType,
  announcedStretchedNetworkPolicy,
  dataPlaneOf,
  dataPlaneOfGateways,
  settingAnnotations,
} from './announcements/announced-settings.ts';
export type { Announcer } from './announcements/announcer.ts';
export { announcedAtBeat, announcedByPolicy, announcerOf, suspendedMembersPolicy } from './announcements/announcer.ts';
export { departures, departuresText } from './announcements/departures.ts';
export { decodeReason, encodeReason } from './announcements/encoded-reason.ts';
export type { ImportProblem, ReportedProblem } from './announcements/import-problems.ts';
export {
  decodeImportProblems,
  encodeImportProblems,
  importProblemsText,
  keepsImport,
} from './announcements/import-problems.ts';
export type { OtherMember } from './announcements/other-members.ts';
export { otherMembersText, parseOtherMembers } from './announcements/other-members.ts';
export type { Readers } from './announcements/readers.ts';
export { readersOf, unknownReaders } from './announcements/readers.ts';
export { answeredAgainMs, disconnectedAfterMs, forgottenAfterMs, unansweredForMs } from './announcements/silence.ts';
export { wireAtBeat, wireOf } from './announcements/wire-number.ts';
// Networks of clusters
export type { Allotment, AllotmentLedger, AllotmentProblem, Allotted } from './cluster-info/allotment-ledger.ts';
export {
  allotmentLedgerText,
  allotmentProblemIn,
  allottedTo,
  collides,
  isAllotted,
  mostAllotments,
  needsLargerPool,
  parseAllotmentLedger,
} from './cluster-info/allotment-ledger.ts';
export { clusterInfoExchangeName, isOurClusterInfoImport } from './cluster-info/cluster-info-imports.ts';
export type { TakenGateway } from './cluster-info/gateway-claims.ts';
export { gatewayThings, judgeGateways } from './cluster-info/gateway-claims.ts';
export { gatewayIPProblem } from './cluster-info/gateway-ip.ts';
export type { Grant, GrantField, JudgedByGrant, RangesByField } from './cluster-info/grant.ts';
export {
  announcedPodCIDRs,
  grantFields,
  invalidRanges,
  isNamedIn,
  mostPodCIDRs,
  nothingNew,
  readGrant,
  unusual,
  withinGrant,
  withoutGrant,
} from './cluster-info/grant.ts';
export { isJudgedByLeader, judgedRangesText } from './cluster-info/judged-ranges.ts';
export { quotasOf, totalQuotas } from './cluster-info/import-quotas.ts';
export type { DenyDefaults } from './cluster-info/namespace-lists.ts';
export { deniedBy, denyDefaults } from './cluster-info/namespace-lists.ts';
export { withoutNetworkAnnotations } from './cluster-info/network-annotations.ts';
export type { NetworkConflict } from './cluster-info/network-conflict.ts';
export { usableGateways } from './cluster-info/usable-gateways.ts';
// ClusterSets, and the IDs of clusters
export type { ClusterIDChoice } from './cluster-sets/cluster-id.ts';
export { changedClusterID, chooseClusterID, claimMismatch, memberClusterID } from './cluster-sets/cluster-id.ts';
export { areRemovalsAllowed, howToAllowRemovals } from './cluster-sets/removals-allowed.ts';
export { leaderOf, servedClusterSet } from './cluster-sets/served-cluster-set.ts';
// Label identities
export {
  echoedNumber,
  identityNumbers,
  labelExportKeys,
  labelIdentityExchangeName,
  labelImportKeys,
  labelNumberOf,
  labelProblem,
  numberEcho,
  publishedNumberIndex,
} from './label-identity/label-payload.ts';
// Marks: the labels and annotations that any object may have
export { heldTimes, heldTimesText, recordSteps, withHeldTimes } from './marks/held-record.ts';
export { carriesOurLabel, isClaimed } from './marks/managed-by.ts';
export { isMeantFor } from './marks/meant-for.ts';
export { partSource, soleSource, sourceClusterOf } from './marks/source-cluster.ts';
export {
  importedFrom,
  isWithdrawn,
  leaderAnnotations,
  marksItsWithdrawals,
  marksWithdrawals,
  substituteAnnotations,
  withdrawnMark,
} from './marks/withdrawal.ts';
// Policies
export {
  isPolicyPayload,
  policyExchangeName,
  policyExportKeys,
  policyImportKeys,
  policyImportName,
  policyNameProblem,
  policyPayloadProblem,
  publishedPolicyKeys,
} from './policy/policy-payload.ts';
// Services: keys, reading, merge, ownership
export type { ReadOptions, RemoteService } from './service/imports/read-imports.ts';
export { readImports } from './service/imports/read-imports.ts';
export { localPortName } from './service/local-port-name.ts';
export { effectiveFirstExported, existsUnbroken } from './service/merge/age.ts';
export { noConflicts } from './service/merge/conflicts/conflicts.ts';
export { packSlices } from './service/merge/endpoints/endpoint-slices.ts';
export { withPodsBehind } from './service/merge/endpoints/pods-behind.ts';
export { maxSlicesOfCluster, setOfPorts } from './service/merge/endpoints/slice-limit.ts';
export type { ExportedMetadata, StringMap } from './service/merge/fields/exported-metadata.ts';
export { readExportedMetadata } from './service/merge/fields/exported-metadata.ts';
export { isReservedKey } from './service/merge/fields/reserved-keys.ts';
export type { WholeField } from './service/merge/fields/whole-fields.ts';
export { appliedFields, wholeValues } from './service/merge/fields/whole-fields.ts';
export { mergeService } from './service/merge/merge-service.ts';
export { readServicePorts } from './service/merge/ports/read-ports.ts';
export type { FormerNames, NumberedPort, PortNames } from './service/merge/ports/renamed-ports.ts';
export {
  formerPortNames,
  portNamesOf,
  stillEverywhere,
  stillSomewhere,
  underFormerNames,
} from './service/merge/ports/renamed-ports.ts';
export { mergeProblemsOf } from './service/merge/problems.ts';
export type { ExportedService, Merged } from './service/merge/types.ts';
export { exportedMetadataAnnotation, exportedMetadataKept, exportedMetadataOf } from './service/metadata-annotation.ts';
export { isFromRemovedSelector, isOurService, isOurServiceImport, isOurSlice } from './service/ownership.ts';
export { isReady, isServing } from './service/readiness.ts';
export {
  joinedImportName,
  partName,
  serviceExchangeName,
  serviceExportKeys,
  serviceImportKeys,
} from './service/service-keys.ts';
export { sliceOriginOf, sliceSourceOf } from './service/slice-origin.ts';
export { isUsualAnswer } from './service/usual-answer.ts';
