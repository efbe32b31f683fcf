import { MemberClusterAnnounce, ResourceExport } from '@isthmus/api';
import type { ControllerAccess } from '../../controller-access.ts';

/** The access that the heartbeat and the leave need. */
export const sessionAccess: readonly ControllerAccess[] = [
  {
    at: 'leader',
    type: MemberClusterAnnounce,
    scope: 'own',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { at: 'leader', type: ResourceExport, scope: 'own', verbs: ['list', 'patch', 'delete'] },
];
