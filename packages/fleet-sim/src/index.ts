// Virtual time
export type { VirtualClock } from './clock/virtual-clock.ts';
export { createVirtualClock } from './clock/virtual-clock.ts';
// Faults on the way to an API server
export type { Fault, FaultRule } from './faults/fault.ts';
export type { FaultyTransport, WriteVerdict } from './faults/with-faults.ts';
export { withFaults } from './faults/with-faults.ts';
// A model of the kernel of a Node
export { applyChange } from './kernel/apply-change.ts';
// A fleet in virtual time
export type { Role } from './fleet/cluster-setup.ts';
export type { VirtualFleetOptions } from './fleet/fleet-plan.ts';
export type { MemberSettings, VirtualCluster, VirtualFleet } from './fleet/fleet.ts';
export type { FleetWrite } from './fleet/links.ts';
export { clusterAdmin, serviceAccount } from './fleet/credentials.ts';
export { createVirtualFleet } from './fleet/virtual-fleet.ts';
export { clusterSetName, leaderNamespace, leaderSecret, memberNamespace } from './fleet/fleet-names.ts';
export { definitions, installAntreaDefinitions, putDefinition } from './fleet/definitions.ts';
export { grantAccess } from './fleet/grant-access.ts';
export { grantAnything } from './fleet/grant-anything.ts';
// The state of a fleet, conditions, Events and writes
export { fleetState } from './fleet/fleet-state.ts';
export { clusterSetCondition, eventsOf, recordWrites } from './fleet/observed.ts';
// The steps of one Service (docs/spec/wire.md §8)
export type { StoryStep } from './story/cart-story.ts';
export {
  cart,
  cartStory,
  derivedCart,
  eastPorts,
  exportCart,
  exportCondition,
  exportMessage,
  exportService,
  importedPorts,
  importedSlices,
  isClean,
  play,
  putPod,
  putService,
  unexportService,
  westPorts,
} from './story/cart-story.ts';
// Objects that the controllers of Antrea write
export type { PeerService } from './story/antrea-peer.ts';
export { deleteAntreaExports, deleteAntreaImports, putAntreaExports, putAntreaImports } from './story/antrea-peer.ts';
