import * as api from '@isthmus/api';
import { leaderAccess, memberAccess } from '@isthmus/controlplane';
import type { Access, World } from '@isthmus/kube';
import { createClient, eventAccess, noLog, noMetrics } from '@isthmus/kube';
import type { ResourceType } from '@isthmus/machinery';
import type { Sandbox } from '@isthmus/sandbox';
import { createClusterControllers } from '@isthmus/sandbox';
import { grantAccess, rbacGroup } from './grant-access.ts';
import { onlyNode } from './only-node.ts';

export type Role = 'leader' | 'member' | 'leader+member';

export interface FleetNames {
  /** The Common Area. */
  readonly area: string;
  /** The Namespace of the members' controllers. */
  readonly home: string;
}

/**
 * Creates the objects that a cluster has before any controller starts: its Node, Namespaces, and
 * the RBAC of the controllers.
 */
export function prepareCluster(server: Sandbox, role: Role, names: FleetNames): void {
  const { admin } = server;
  admin.put(api.Node, { metadata: { name: onlyNode } });
  const local = (access: readonly Access[]) => access.filter(({ at }) => at === 'local');
  if (role.startsWith('leader')) {
    admin.put(api.Namespace, { metadata: { name: names.area } });
    const access = [...local(leaderAccess), ...eventAccess('own')];
    grantAccess(admin, { name: 'leader', namespace: names.area, access, to: controllerIn(names.area) });
    const remote = memberAccess.filter(({ at }) => at === 'leader');
    const members = { kind: 'Group', apiGroup: rbacGroup, name: `system:serviceaccounts:${names.area}` };
    grantAccess(admin, { name: 'members', namespace: names.area, access: remote, to: members });
  }
  if (isMember(role)) {
    if (admin.get(api.Namespace, { name: names.home }) === undefined)
      admin.put(api.Namespace, { metadata: { name: names.home } });
    const access = [...local(memberAccess), ...eventAccess('all')];
    grantAccess(admin, { name: 'member', namespace: names.home, access, to: controllerIn(names.home) });
  }
}

/**
 * Runs the controllers of kube-controller-manager that the objects of a ClusterSet need, in a
 * cluster of this role.
 */
export function startControllers(
  server: Sandbox,
  role: Role,
  { world, signal }: { readonly world: Pick<World, 'clock' | 'random'>; readonly signal: AbortSignal },
): Promise<void> {
  const user = { username: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] };
  const transport = server.transport({ kind: 'user', user }, { userAgent: 'kube-controller-manager' });
  const client = createClient({ transport, clock: world.clock, server: server.name });
  return createClusterControllers({
    client,
    world: { ...world, log: noLog, metrics: noMetrics },
    which: ['namespace', 'garbage-collector', ...(isMember(role) ? (['endpointslice'] as const) : [])],
    monitors: [...(role.startsWith('leader') ? inCommonArea : []), ...(isMember(role) ? inMembers : [])],
  }).run(signal);
}

const inCommonArea: readonly ResourceType[] = [api.ResourceExport, api.ResourceImport, api.MemberClusterAnnounce];
const inMembers: readonly ResourceType[] = [
  api.Pod,
  api.Service,
  api.EndpointSlice,
  api.ServiceExport,
  api.ServiceImport,
];

function controllerIn(namespace: string): object {
  return { kind: 'ServiceAccount', namespace, name: 'antrea-mc-controller' };
}

export function isMember(role: Role | undefined): boolean {
  return role?.includes('member') === true;
}
