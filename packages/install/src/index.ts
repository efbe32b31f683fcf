// The check of the installed admission policies
export { oldestKubernetes } from './admission/installed-policies.ts';
export { leaderAdmission, memberAdmission } from './admission/own-policies.ts';
// Objects of the manifests
export { controllerAdmissionObjects } from './manifests/admission-objects.ts';
export {
  agentAccessObjects,
  agentAdmissionObjects,
  agentDaemonSet,
  agentImage,
  agentObjects,
  agentPolicyObjects,
  encryptionArgument,
  policiesArgument,
} from './manifests/agent-objects.ts';
export { controllerDisruptionBudget, controllerNetworkPolicy } from './manifests/availability-objects.ts';
export { controllerConfigFields, controllerConfigHead, controllerConfigText } from './manifests/controller-config.ts';
export {
  controllerConfigMap,
  controllerDeployment,
  controllerDeploymentName,
  controllerImage,
  preferDifferentNodes,
} from './manifests/controller-deployment.ts';
export type { InstallOptions } from './manifests/controller-objects.ts';
export {
  accessObjects,
  controllerObjects,
  definitionObjects,
  flowObjects,
  strictIdentityObjects,
} from './manifests/controller-objects.ts';
export {
  dnsAccessObjects,
  dnsAvailabilityObjects,
  dnsDeployment,
  dnsObjects,
  dnsService,
} from './manifests/dns-objects.ts';
export type { JoiningAccount } from './manifests/joining-account.ts';
export { joiningAccount } from './manifests/joining-account.ts';
export { memberAccount } from './manifests/member-account.ts';
export { memberEventObjects } from './manifests/member-events.ts';
export { metricsReader, metricsReview } from './manifests/metrics-objects.ts';
export { controllerMallocEnv, controllerNodeOptions } from './manifests/node-options.ts';
export { userspaceWireGuard, wireGuardDaemonSet } from './manifests/wireguard-objects.ts';
// Access rules
export { rbacOf } from './rbac/policy-rules.ts';
// Roles: the access of each process at each API server
export { agent, agentAdmission, agentPolicies } from './roles/agent.ts';
export { controllerLabels } from './roles/controller-names.ts';
export { dns } from './roles/dns.ts';
export { ownRules, remoteRules } from './roles/role-rules.ts';
export type { RoleDefinition } from './roles/role.ts';
export { roles } from './roles/roles.ts';
