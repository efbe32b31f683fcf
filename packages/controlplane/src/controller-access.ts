import type { Access } from '@isthmus/kube';

/**
 * The access of a controller of the control plane: in the cluster of its process or, for a member,
 * at the leader.
 */
export type ControllerAccess = Access<'local' | 'leader'>;
