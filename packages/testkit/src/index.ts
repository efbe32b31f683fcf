// Generated input, and shares of long tests
export { anyCharacter } from './any-character.ts';
export { waitLimitMs } from './wait-limit.ts';
export { checksAllPoints, sweepOf, sweepRow, sweepRuns, sweepStep } from './sweep.ts';
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
export { readyOfImport } from './real-fleet/cluster-view.ts';
export type { RealCluster } from './real-fleet/real-cluster.ts';
export type { RealFleet } from './real-fleet/real-fleet.ts';
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
