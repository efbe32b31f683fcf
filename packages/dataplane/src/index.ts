// The knowledge of a Node about the ClusterSet, and the network that it should have.
export type {
  ClusterNetwork,
  ImportedService,
  OwnNode,
  RemoteCluster,
  ServiceEndpoint,
  TunnelSettings,
} from './desired/cluster-network.ts';
export { desiredNetwork } from './desired/desired-network.ts';

// Networks as data, and the changes that turn one into another.
export type { Network, NftSet } from './network/network.ts';
export { emptyNetwork, peerKey, routeKey, ruleKey } from './network/network.ts';
export type { ItemChange, NetworkChange } from './network/diff.ts';
export { diffNetworks, isNoChange } from './network/diff.ts';
export { withoutDevices } from './network/without-devices.ts';
export type { ChainName, SetName } from './network/chains.ts';
export type { Part } from './network/nft-rule.ts';
export { ruleText } from './network/render-rule.ts';
export type { Batch } from './network/render.ts';
export { renderChange } from './network/render.ts';

// Writing networks.
export type { RunProgram } from './kernel/write-network.ts';
export type { HoldProgram } from './kernel/held-nft.ts';
export { withHeldNft } from './kernel/held-nft.ts';
export type { WatchProgram } from './kernel/kernel-monitor.ts';
export { laterNftFolder, withLaterNft } from './kernel/later-nft.ts';
export { createNetworkWriter } from './kernel/network-writer.ts';
export { keptErrorLength, writeBatches } from './kernel/write-network.ts';

// The agent of a Node.
export type { Agent } from './agent/agent.ts';
export { createAgent } from './agent/agent.ts';
export { agentAccess } from './agent/open-objects.ts';
export type { AgentOptions } from './agent/options.ts';
export type { NodeNames } from './surroundings/local-ranges.ts';
export { nameserversIn } from './surroundings/local-ranges.ts';
export { policyAccess } from './agent/policies.ts';
export type { VirtualCIDR } from './desired/cluster-network.ts';
export { agentPorts } from './agent/ports.ts';
export type { AgentMetrics } from './agent/metrics.ts';
export { agentMetrics, noAgentMetrics, showStatus } from './agent/metrics.ts';
export { wireGuardDevice } from './desired/devices.ts';

// Probes of gateways.
export type { Probe, ProbeResult, ProbeTarget } from './probes/probe.ts';
export type { GatewayReport } from './probes/gateway-record.ts';
export type { DirectPeer, DirectSocket } from './probes/direct-probe.ts';
export { openDirectSocket } from './probes/udp-socket.ts';
export { createNodeProbe } from './probes/node-probe.ts';
export { probesElsewhere, sendOrderedProbes } from './probes/probes-elsewhere.ts';

// Names of imports.
export type { DnsAnswer, DnsEndpoint, DnsPort, DnsRecord, DnsService, Question, Zone } from './dns/answer.ts';
export { answerQuestion } from './dns/answer.ts';
export { readImport } from './dns/read-import.ts';
export type { Served } from './dns/respond.ts';
export { respond } from './dns/respond.ts';
export { createFrames, framed } from './dns/frames.ts';

// Tracing packets.
export { traceRequest } from './trace/trace-request.ts';
export type { Trace, TraceObjects, TraceRequest } from './trace/trace-request.ts';
export { traceLines } from './trace/trace-lines.ts';
export { sliceKey } from './objects/service-keys.ts';
// The DNS server.
export type { ImportNames, ImportNamesOptions } from './dns/import-names.ts';
export { createImportNames, namesAccess } from './dns/import-names.ts';
export type { DnsServer, DnsServerLimits, DnsServerOptions } from './dns/dns-server.ts';
export { startDnsServer } from './dns/dns-server.ts';
export type { DnsMetrics } from './dns/metrics.ts';
export { dnsMetrics, noDnsMetrics } from './dns/metrics.ts';

// The desired and the observed state of a Node.
export type { AgentStatus } from './status/agent-status.ts';
export { statusPath } from './status/agent-status.ts';
export { observeNode } from './status/observe-node.ts';
export type { NodeView } from './status/node-view.ts';
export { isAsDesired, viewNode } from './status/node-view.ts';
export { viewLines } from './status/view-lines.ts';
