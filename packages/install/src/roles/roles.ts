import { Event, FixedName, customResources, leaderResources } from '@isthmus/api';
import { eventAccess, leaseAccess } from '@isthmus/kube';
import { controllerPorts, leaderAccess, memberAccess, roleFacts } from '@isthmus/controlplane';
import type { RoleName } from '@isthmus/controlplane';
import { leaderRules, memberRules } from '../admission/rules.ts';
import { antreaMemberAccess } from '../rbac/antrea-member-access.ts';
import type { ProcessDefinition, RoleDefinition, ServedPort } from './role.ts';
import { defineRole } from './role.ts';
import { controllerNames } from './controller-names.ts';
import { agent } from './agent.ts';

const ports: readonly ServedPort[] = [
  { name: 'health', port: controllerPorts.health, protocol: 'TCP' },
  { name: 'metrics', port: controllerPorts.metrics, protocol: 'TCP' },
];

const leader = defineRole({
  ...roleFacts.leader,
  docs: 'Merges the exports of members in one Namespace, the Common Area, and monitors the members.',
  // In a dual-role cluster, a ClusterRole of the leader would have the name of the member's.
  own: { access: [...leaderAccess, ...leaseAccess(roleFacts.leader.leaseName), ...eventAccess('own')], reach: 'own' },
  remote: [],
  ports,
  installedAs: controllerNames,
  admission: leaderRules,
  definitions: leaderResources,
});

const member = defineRole({
  ...roleFacts.member,
  docs: 'Exports resources of this cluster to the ClusterSet, and imports those of the other clusters.',
  own: {
    access: [
      ...memberAccess.filter(({ at }) => at === 'local'),
      ...leaseAccess(roleFacts.member.leaseName),
      ...eventAccess('all'),
    ],
    reach: 'cluster',
  },
  remote: [
    {
      at: 'leader',
      grantedBy: 'leader',
      roleName: FixedName.memberRole,
      // Members of Isthmus and of Antrea are bound to the same Role.
      // `memberEventObjects` grants Events, which members can do without.
      access: [...memberAccess.filter(({ at, type }) => at === 'leader' && type !== Event), ...antreaMemberAccess],
    },
  ],
  ports,
  installedAs: controllerNames,
  admission: memberRules,
  // They include the leader's, because a dual-role cluster may be set up by these first, and then
  // only with the Namespaced objects of the leader.
  definitions: customResources,
});

/** Every control plane. */
export const roles = { leader, member } as const satisfies Readonly<Record<RoleName, RoleDefinition>>;

/** Every process of Isthmus that runs in a cluster. */
export const allProcesses: readonly ProcessDefinition[] = [...Object.values(roles), agent];
