// Virtual time
export type { RunUntilOptions, VirtualClock } from './virtual-clock.ts';
export { createVirtualClock } from './virtual-clock.ts';
// A stand-in for an API server, in memory
export type { Standin, StandinOptions } from './standin/create-standin.ts';
export { createStandin } from './standin/create-standin.ts';
export type { Admin, ObjectChange } from './standin/admin.ts';
export type { User } from './standin/access.ts';
export type { ServedType } from './standin/served-type.ts';
// A fleet in virtual time
export type { Role, VirtualCluster, VirtualFleet, VirtualFleetOptions, Way } from './fleet/virtual-fleet.ts';
export { clusterSetName, createVirtualFleet, leaderNamespace, memberNamespace } from './fleet/virtual-fleet.ts';
// Faults on the way to an API server
export type { Fault, FaultRule, FaultyTransport, WriteVerdict } from './faults.ts';
export { withFaults } from './faults.ts';
