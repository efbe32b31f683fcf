import { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import type { Access } from '@isthmus/kube';

/** What the heartbeat and the leave may do. */
export const sessionAccess: readonly Access[] = [
  {
    at: 'leader',
    type: MemberClusterAnnounce,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['list', 'delete'] },
];
