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
// What clusters exchange
export type { Exchange } from './exchange/exchange.ts';
export { mergeAccess } from './exchange/leader/reconcile.ts';
export { exchanges } from './exchanges/index.ts';
// Their roles: what each process does where, and what follows from it
export { leaderAccess, memberAccess } from './roles/role-access.ts';
export type { RemoteCredential, RoleDefinition, ServedPort } from './roles/role.ts';
export type { RoleName } from './roles/roles.ts';
export { allRoles, roles } from './roles/roles.ts';
export { ownRules, remoteRules } from './roles/role-rules.ts';
export type { GrantedRules } from './rbac/policy-rules.ts';
export { rbacOf } from './rbac/policy-rules.ts';
// What is installed for them
export { controllerConfigText } from './install/controller-config.ts';
export type { InstallOptions } from './install/controller-objects.ts';
export { accessObjects, controllerObjects, definitionObjects } from './install/controller-objects.ts';
export { controllerNodeOptions } from './install/node-options.ts';
export type { MemberAccount } from './install/member-account.ts';
export { memberAccount } from './install/member-account.ts';
