// The two control planes
export type { ControlPlane } from './control-plane.ts';
export { createLeader } from './leader/leader.ts';
export { createMember } from './member/member.ts';
export type { SessionSpec } from './exchange/member/session-spec.ts';
// Their configuration file
export type { ControllerConfig } from './config.ts';
export type { EndpointIPType } from './exchange/settings.ts';
export type { LeaderConfig } from './exchange/leader/leader-config.ts';
export {
  decodeControllerConfig,
  defaultControllerConfig,
  settingsOfOneRole,
  settingsOfOtherRole,
  unusedSettings,
} from './config.ts';
export type { RejectedConfig } from './rejected-config.ts';
// What clusters exchange
export type { Exchange } from './exchange/exchange.ts';
export { mergeAccess } from './exchange/leader/reconcile.ts';
export { exchanges } from './exchanges/index.ts';
// Their roles: what each process does where, and what follows from it
export { controllerLabels } from './roles/controller-names.ts';
export { leaderAccess, memberAccess } from './roles/role-access.ts';
export { agent, agentAdmission, agentPolicies } from './roles/agent.ts';
export { dns } from './roles/dns.ts';
export type { RoleDefinition } from './roles/role.ts';
export type { RoleFacts, RoleName } from './roles/role-facts.ts';
export { applyManifest } from './apply-again.ts';
export { roleFacts } from './roles/role-facts.ts';
export { roles } from './roles/roles.ts';
export { ownRules, remoteRules } from './roles/role-rules.ts';
export { rbacOf } from './rbac/policy-rules.ts';
// What is installed for them

export {
  agentAccessObjects,
  agentAdmissionObjects,
  agentDaemonSet,
  agentImage,
  agentObjects,
  agentPolicyObjects,
  encryptionArgument,
  policiesArgument,
} from './install/agent-objects.ts';
export { leaderAdmission, memberAdmission } from './admission/own-policies.ts';
export { oldestKubernetes } from './admission/installed-policies.ts';
export { controllerAdmissionObjects } from './install/admission-objects.ts';
export { userspaceWireGuard, wireGuardDaemonSet } from './install/wireguard-objects.ts';
export {
  dnsAccessObjects,
  dnsAvailabilityObjects,
  dnsDeployment,
  dnsObjects,
  dnsService,
} from './install/dns-objects.ts';
export { controllerDisruptionBudget, controllerNetworkPolicy } from './install/availability-objects.ts';
export { controllerConfigFields, controllerConfigHead, controllerConfigText } from './install/controller-config.ts';
export {
  controllerConfigMap,
  controllerDeployment,
  controllerDeploymentName,
  controllerImage,
  preferDifferentNodes,
} from './install/controller-deployment.ts';
export type { InstallOptions } from './install/controller-objects.ts';
export {
  accessObjects,
  controllerObjects,
  definitionObjects,
  strictIdentityObjects,
} from './install/controller-objects.ts';
export { controllerMallocEnv, controllerNodeOptions } from './install/node-options.ts';
export { memberAccount } from './install/member-account.ts';
export { metricsReader, metricsReview } from './install/metrics-objects.ts';
// The way back to Antrea
export type { HandoverPlan, HandoverStep } from './handover/handover-step.ts';
export { handOver, inGroups } from './handover/hand-over.ts';
export { planLeaderHandover } from './handover/leader-plan.ts';
export { planMemberHandover } from './handover/member-plan.ts';
export { readLeader, readMember } from './handover/read-state.ts';
