import type { Access } from '@isthmus/kube';

/** What a controller of the control plane may do: in the cluster of its process, or, a member's, at the leader. */
export type ControllerAccess = Access<'local' | 'leader'>;
