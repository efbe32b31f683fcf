// Names on the wire
export * from './names.ts';
export * from './derived-names.ts';
export { isIsthmusDataPlane } from './data-plane.ts';
export { tunnelMAC, tunnelPrefix, tunnelSuffix } from './tunnel-mac.ts';
export {
  mostVirtualPodCIDRs,
  parseVirtualPodCIDRs,
  usedVirtualPodCIDRs,
  virtualPodCIDRsText,
} from './virtual-pod-cidrs.ts';
export type { VirtualPodCIDR } from './virtual-pod-cidrs.ts';
export { directProbesText, mostDirectProbes, parseDirectProbes } from './direct-probes.ts';
export type { ClusterProbes, SmallPath } from './gateway-probes.ts';
export {
  mostProbedClusters,
  mostSilentAddresses,
  parseProbes,
  parseSmallPaths,
  probesText,
  smallPathsText,
} from './gateway-probes.ts';
export type { LocalRange } from './local-ranges.ts';
export { localProblem, localRangesText, mostLocalRanges, parseLocalRanges } from './local-ranges.ts';
export { labelIdentityHash, labelIdentityHash as payloadHash, normalizedLabel } from './label-identity-name.ts';
export { AntreaMessage } from './antrea-message.ts';
// Conditions and Events of objects, with their cures.
export { conditionTypeOf, eventTypeOf, mirrored, reasonsOn } from './reasons/define-status.ts';
export type { ConditionKey, EventReason, ReasonOn, StatusDefinition, Verdict } from './reasons/define-status.ts';
export { clusterInfoImportStatus } from './reasons/cluster-info-import.ts';
export { gatewayStatus } from './reasons/gateway.ts';
export { knownClusterStatus } from './reasons/known-cluster.ts';
export { nodeStatus } from './reasons/node.ts';
export { leaderClusterSetStatus } from './reasons/leader-cluster-set.ts';
export { memberClusterSetStatus } from './reasons/member-cluster-set.ts';
export { resourceImportStatus } from './reasons/resource-import.ts';
export { resourceExportStatus } from './reasons/resource-export.ts';
export { serviceExportStatus } from './reasons/service-export.ts';
export { serviceImportStatus } from './reasons/service-import.ts';
export { statusDefinitions } from './reasons/statuses.ts';
export type { ConditionType } from './reasons/statuses.ts';
// Antrea Multi-cluster
export { ClusterSet, ClusterSetV1alpha1 } from './multicluster/cluster-set.ts';
export { ClusterClaim } from './multicluster/cluster-claim.ts';
export { MemberClusterAnnounce } from './multicluster/member-cluster-announce.ts';
export { Gateway } from './multicluster/gateway.ts';
export { ClusterInfoImport } from './multicluster/cluster-info-import.ts';
export { KnownCluster, mostGrantedRanges } from './multicluster/known-cluster.ts';
export { LabelIdentity } from './multicluster/label-identity.ts';
export { ResourceExport } from './multicluster/resource-export.ts';
export { ResourceImport } from './multicluster/resource-import.ts';
export { publicKeyProblem } from './multicluster/public-key.ts';
export { multiClusterConfig } from './multicluster/multi-cluster-config.ts';
export type { MultiClusterConfig } from './multicluster/multi-cluster-config.ts';
export type { ClusterInfo, ClusterNetworkPolicyPayload, EndpointSlicePayload } from './multicluster/payloads.ts';
// The Multi-Cluster Services API
export { ServiceExport, ServiceExportV1alpha1 } from './mcs/service-export.ts';
export { ServiceImport, ServiceImportV1alpha1 } from './mcs/service-import.ts';
export type { ServiceImportPort, ServiceImportSpec } from './mcs/service-import.ts';
// All of them
export { customResources, leaderResources, memberResources } from './custom-resources.ts';
// Antrea's policies
export {
  ClusterNetworkPolicy,
  ClusterNetworkPolicyV1alpha1,
  Tier,
  TierV1alpha1,
  defaultTier,
} from './antrea/cluster-network-policy.ts';
export { AntreaNetworkPolicy } from './antrea/network-policy.ts';
// Built-in kinds
export type { BuiltInCondition, ObjectReference } from './core/built-in.ts';
export { ConfigMap } from './core/config-map.ts';
export { CustomResourceDefinition } from './custom-resource-definition.ts';
export { Deployment } from './core/deployment.ts';
export { EndpointSlice } from './core/endpoint-slice.ts';
export type { Endpoint, EndpointPort } from './core/endpoint-slice.ts';
export { Endpoints } from './core/endpoints.ts';
export type { EndpointSubset } from './core/endpoints.ts';
export { Event } from './core/event.ts';
export { Lease } from './core/lease.ts';
export { FlowSchema, PriorityLevelConfiguration } from './core/api-server/flow-control.ts';
export type { FlowRule, FlowSubject } from './core/api-server/flow-control.ts';
export { NetworkPolicy } from './core/network-policy.ts';
export { PodDisruptionBudget } from './core/pod-disruption-budget.ts';
export { Namespace } from './core/namespace.ts';
export { Node } from './core/node.ts';
export { Pod } from './core/pod.ts';
export type { Container, PodSpec } from './core/pod.ts';
export { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './core/rbac.ts';
export type { PolicyRule, RoleRef } from './core/rbac.ts';
export { Secret, serviceAccountTokenType } from './core/secret.ts';
export { Service } from './core/service.ts';
export { ServiceAccount } from './core/service-account.ts';
export {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from './core/api-server/validating-admission-policy.ts';
export { ServiceCIDR } from './core/service-cidr.ts';
export type { ServicePort, ServiceSpec } from './core/service-spec.ts';
export {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from './core/api-server/webhook-configuration.ts';
export type {
  MutatingWebhookEntry,
  RuleWithOperations,
  ValidatingWebhookEntry,
  WebhookClientConfig,
} from './core/api-server/webhook-configuration.ts';
