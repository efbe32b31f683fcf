// The two control planes
export type { ControlPlane } from './control-plane.ts';
export type { LeaderOptions } from './leader/leader.ts';
export { createLeader } from './leader/leader.ts';
export type { MemberOptions } from './member/member.ts';
export { createMember } from './member/member.ts';
export type { SessionSpec } from './exchange/member/session-spec.ts';
// Their configuration file
export type { ConfigProblem, ControllerConfig, DecodedControllerConfig, EndpointIPType } from './config.ts';
export { decodeControllerConfig, defaultControllerConfig } from './config.ts';
// What they may do, for RBAC
export { leaderAccess, memberAccess } from './access.ts';
export type { GrantedRules } from './rbac/policy-rules.ts';
export { rbacOf } from './rbac/policy-rules.ts';
export { leaderRbac, memberRbac } from './rbac/controller-rbac.ts';
export { leaderRules, memberRules, memberTokenRules } from './rbac/controller-access.ts';
// The Leases of their replicas
export { LeaseName } from './rbac/lease-names.ts';
// What is installed for them
export { controllerConfigText } from './install/controller-config.ts';
export type { InstallOptions } from './install/controller-objects.ts';
export { leaderDefinitions, leaderObjects, memberDefinitions, memberObjects } from './install/controller-objects.ts';
export { controllerNodeOptions } from './install/node-options.ts';
export type { MemberAccount } from './install/member-account.ts';
export { memberAccount } from './install/member-account.ts';
