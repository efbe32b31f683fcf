/**
 * The Leases that the replicas of a controller contend for, in the controller's Namespace. One name per role, so that a leader and a
 * member never wait for each other.
 */
export const LeaseName = { leader: 'isthmus-leader', member: 'isthmus-member' } as const;
