// Virtual time
export type { VirtualClock } from './virtual-clock.ts';
export { createVirtualClock } from './virtual-clock.ts';
// Generated input, and shares of long tests
export { anyCharacter } from './any-character.ts';
export { waitLimitMs } from './wait-limit.ts';
export { checksAllPoints, sweepOf, sweepRow, sweepRuns, sweepStep } from './sweep.ts';
// A fleet in virtual time
export type { Role } from './fleet/cluster-setup.ts';
export type { VirtualFleetOptions } from './fleet/virtual-fleet.ts';
export type { MemberSettings, VirtualCluster, VirtualFleet } from './fleet/fleet.ts';
export type { FleetWrite } from './fleet/links.ts';
export { clusterAdmin, serviceAccount } from './fleet/credentials.ts';
export { createVirtualFleet } from './fleet/virtual-fleet.ts';
export { clusterSetName, leaderNamespace, leaderSecret, memberNamespace } from './fleet/fleet-names.ts';
export { definitions, installAntreaDefinitions, putDefinition } from './fleet/definitions.ts';
export { grantAccess } from './fleet/grant-access.ts';
// Faults on the way to an API server
export type { Fault, FaultyTransport, WriteVerdict } from '@isthmus/sandbox';
export { withFaults } from '@isthmus/sandbox';
// The story of docs/spec/wire.md §8
export type { StoryStep } from './fleet/cart-story.ts';
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
} from './fleet/cart-story.ts';
export { fleetState } from './fleet/fleet-state.ts';
// Conditions, Events and writes that stories check
export { clusterSetCondition, eventsOf, recordWrites } from './fleet/observed.ts';
// Objects that Antrea's controllers write
export type { PeerService } from './fleet/antrea-peer.ts';
export { deleteAntreaExports, deleteAntreaImports, putAntreaExports, putAntreaImports } from './fleet/antrea-peer.ts';
// Real API servers
export type { RealApiServer } from './apiserver/api-server.ts';
export type { AuditedRequest } from './apiserver/audit-log.ts';
export { adminTransport } from './apiserver/admin-transport.ts';
export { readAuditLog } from './apiserver/audit-log.ts';
export { issueClusterCredentials } from './apiserver/certificates.ts';
export { tokenKubeconfig } from './apiserver/kubeconfig.ts';
export { findBinaries } from './apiserver/find-binaries.ts';
export { processesOf } from './apiserver/left-behind.ts';
export type { RealApiServers } from './apiserver/fleet.ts';
export { freePort } from './apiserver/ports.ts';
export { defaultControllers } from './apiserver/flags.ts';
export { startApiServers } from './apiserver/fleet.ts';
export { startApiServer } from './apiserver/start.ts';
// A fleet of real API servers and real controllers
export type { RealCluster, RealFleet } from './real-fleet/real-fleet.ts';
export { startRealFleet } from './real-fleet/real-fleet.ts';
export { controllersAsProcesses } from './real-fleet/controllers-as-processes.ts';
export type { NamespacedRef } from './real-fleet/cluster-user.ts';
export { issueMemberCredential, serviceAccountToken } from './real-fleet/credentials.ts';
export type { Access } from './real-fleet/controllers.ts';
export { runController, tokenClient } from './real-fleet/controllers.ts';
export { installObjects, readManifest } from './real-fleet/install.ts';
export type { AntreaMember } from './real-fleet/antrea-member.ts';
export { createAntreaMember } from './real-fleet/antrea-member.ts';
export { auditedWrites } from './real-fleet/audited-writes.ts';
export type { PolicedServer } from './real-fleet/policed-server.ts';
export { startPolicedServer } from './real-fleet/policed-server.ts';
// A real registry for images
export type { RegistryOptions } from './apiserver/real-registry.ts';
export { startRegistry } from './apiserver/real-registry.ts';
// Clusters with real Nodes
export type { ClusterLayout } from './testbed/layout.ts';
export type { TestbedNode } from './testbed/node.ts';
export type { Testbed, TestbedCluster } from './testbed/testbed.ts';
export { startTestbed } from './testbed/testbed.ts';
export { missingForNodes } from './testbed/requirements.ts';
export type { LabCluster, LabNode, LabPod, PacketLab, PacketLabOptions } from './packets/packet-lab.ts';
export { startPacketLab } from './packets/packet-lab.ts';
export { importedCart, importedCartEndpoints, labClusterInfo, labNodeObject } from './packets/lab-objects.ts';
export type { Host, Probe } from './packets/probe.ts';
export { askFrom, echoServer } from './packets/probe.ts';
export { flowServer, openFlows } from './packets/flows.ts';
export type { FlowReport } from './packets/flows.ts';
