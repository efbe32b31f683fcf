import type { PolicyRule } from '@isthmus/api';
import type { Access } from '@isthmus/kube';
import { eventAccess, leaseAccess } from '@isthmus/kube';
import { leaderAccess, memberAccess } from '../access.ts';
import { antreaMemberAccess } from './antrea-member-access.ts';
import { LeaseName } from './lease-names.ts';
import type { GrantedRules } from './policy-rules.ts';
import { rbacOf } from './policy-rules.ts';

/** What each credential is for: of the leader's controller, of a member's controller at home, and of a member at the leader. */
export const credentialAccess: Readonly<Record<'leader' | 'member' | 'memberToken', readonly Access[]>> = {
  leader: [...leaderAccess, ...leaseAccess(LeaseName.leader), ...eventAccess('own')],
  member: [...memberAccess.filter(({ at }) => at === 'local'), ...leaseAccess(LeaseName.member), ...eventAccess('all')],
  memberToken: [...memberAccess.filter(({ at }) => at === 'leader'), ...antreaMemberAccess],
};

/** What the ServiceAccount of a leader's controller may do: all of it in its own Namespace. */
export function leaderRules(): readonly PolicyRule[] {
  const { own, all } = rbacOf(credentialAccess.leader, { at: 'local' });
  // A ClusterRole of the leader's would have the name of the member's in a dual-role cluster.
  if (all.length > 0) throw new Error(`a leader acts in its own Namespace only, but declares ${JSON.stringify(all)}`);
  return own;
}

/** What the ServiceAccount of a member's controller may do in its own cluster. */
export function memberRules(): GrantedRules {
  return rbacOf(credentialAccess.member, { at: 'local' });
}

/** What a member's token may do in the leader Namespace, whether the member is ours or Antrea's. */
export function memberTokenRules(): readonly PolicyRule[] {
  return rbacOf(credentialAccess.memberToken, { at: 'leader' }).own;
}
