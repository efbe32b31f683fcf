// The control plane and its parts
export type { AdmissionProblem, AdmissionWatch } from './admission-watch.ts';
export type { ControlPlane } from './control-plane.ts';
export type { ControllerAccess } from './controller-access.ts';
export type { Exchange } from './define-exchange.ts';
export { leaderAccess, memberAccess } from './role-access.ts';
// The exchanges between clusters
export { mergeAccess } from './common-area/reconcile.ts';
export { exchanges } from './exchanges/index.ts';
// The handover to Antrea
export { handOver, inGroups } from './handover/hand-over.ts';
export type { HandoverPlan, HandoverStep } from './handover/handover-step.ts';
export { planLeaderHandover } from './handover/leader-plan.ts';
export { planMemberHandover } from './handover/member-plan.ts';
export { readLeader, readMember } from './handover/read-state.ts';
// The two control planes
export { createLeader } from './leader/leader.ts';
export { createMember } from './member/member.ts';
export { readToken } from './member/token/read-token.ts';
export type { SessionSpec } from './own-cluster/session-spec.ts';
// The configuration file of the control planes, and facts about their roles
export { applyManifest } from './process/apply-again.ts';
export type { ControllerConfig } from './process/config.ts';
export {
  decodeControllerConfig,
  defaultControllerConfig,
  settingsOfOneRole,
  settingsOfOtherRole,
  unusedSettings,
} from './process/config.ts';
export { controllerPorts } from './process/controller-ports.ts';
export type { RejectedConfig } from './process/rejected-config.ts';
export type { RoleFacts, RoleName } from './process/role-facts.ts';
export { roleFacts } from './process/role-facts.ts';
