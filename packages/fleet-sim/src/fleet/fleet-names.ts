import * as api from '@isthmus/api';

export const leaderNamespace = api.FixedName.leaderNamespace;
export const memberNamespace = api.FixedName.memberNamespace;
export const clusterSetName = 'fleet';
/** The Secret that `join` of a fleet creates for a member. */
export const leaderSecret = { namespace: memberNamespace, name: 'leader-token' } as const;
