import { MemberClusterAnnounce } from '@isthmus/api';
import type { Access } from '@isthmus/kube';

/** What the heartbeat and the leave may do. */
export const sessionAccess: readonly Access[] = [
  {
    at: 'leader',
    type: MemberClusterAnnounce,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
];
