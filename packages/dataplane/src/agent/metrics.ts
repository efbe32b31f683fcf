import type { Instruments } from '@isthmus/kube';
import { defineMetrics, silentInstruments } from '@isthmus/kube';
import type { AgentStatus } from '../status/agent-status.ts';
import { networkKinds } from '../status/agent-status.ts';

/**
 * The metrics of an agent. `gateway` is the address of a gateway outside of the tunnel. `cluster`
 * is the cluster of the gateway, empty for the own cluster.
 */
export const agentMetrics = defineMetrics({
  ready: {
    kind: 'gauge',
    name: 'isthmus_agent_ready',
    stability: 'alpha',
    help: '1 if the network of the Node is written, 0 if not.',
    labels: [],
  },
  gatewayUp: {
    kind: 'gauge',
    name: 'isthmus_agent_gateway_up',
    stability: 'alpha',
    help: '1 if a gateway answers the probes of this Node, 0 if not.',
    labels: ['cluster', 'gateway'],
  },
  gatewayRoundTripSeconds: {
    kind: 'gauge',
    name: 'isthmus_agent_gateway_round_trip_seconds',
    stability: 'alpha',
    help: 'Round-trip time of the last probe that a gateway answered.',
    labels: ['cluster', 'gateway'],
  },
  gatewayLoss: {
    kind: 'gauge',
    name: 'isthmus_agent_gateway_loss_ratio',
    stability: 'alpha',
    help: 'Share of the last 50 probes that a gateway did not answer, from 0 to 1.',
    labels: ['cluster', 'gateway'],
  },
  directPath: {
    kind: 'gauge',
    name: 'isthmus_agent_direct_path',
    stability: 'alpha',
    help: '1 if the Pods of a cluster are reached without a tunnel, 0 if they are not, by IP family. Only clusters whose agents can be asked.',
    labels: ['cluster', 'family'],
  },
  servicePorts: {
    kind: 'gauge',
    name: 'isthmus_agent_service_ports',
    stability: 'alpha',
    help: 'Ports of imported Services by the handling of new connections: translate, reject or drop.',
    labels: ['result'],
  },
  serviceEndpoints: {
    kind: 'gauge',
    name: 'isthmus_agent_service_endpoints',
    stability: 'alpha',
    help: 'Endpoints to which addresses of imported Services are translated on this Node.',
    labels: [],
  },
  networkItems: {
    kind: 'gauge',
    name: 'isthmus_agent_network_items',
    stability: 'alpha',
    help: 'Items of the desired network, by kind: links, peers, nextHops, routes, rules, wireGuards, wireGuardPeers, chains, sets.',
    labels: ['kind'],
  },
  unusedObjects: {
    kind: 'gauge',
    name: 'isthmus_agent_unused_objects',
    stability: 'alpha',
    help: 'Problems because of which objects are not used, or only in part; the log names them.',
    labels: [],
  },
  writeSeconds: {
    kind: 'histogram',
    name: 'isthmus_agent_write_duration_seconds',
    stability: 'alpha',
    help: 'Time to write a change to the kernel, by outcome: written or failed.',
    labels: ['outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  repairedItems: {
    kind: 'counter',
    name: 'isthmus_agent_repaired_item_total',
    stability: 'alpha',
    help: 'Items that others changed in the kernel, and that the agent has repaired.',
    labels: [],
  },
});
export type AgentMetrics = Instruments<typeof agentMetrics>;
export const noAgentMetrics: AgentMetrics = silentInstruments(agentMetrics);

/**
 * Sets the gauges to the current status. Counters and histograms are updated when an event happens.
 */
export function showStatus(metrics: AgentMetrics, status: AgentStatus): void {
  const { notReady, gateways, services, desired, problems } = status;
  metrics.ready.set({}, notReady.length === 0 ? 1 : 0);
  const labelled = gateways.map((one) => ({ ...one, labels: { cluster: one.clusterID ?? '', gateway: one.address } }));
  metrics.gatewayUp.replace(labelled.map(({ labels, state }) => [labels, state === 'alive' ? 1 : 0]));
  metrics.gatewayRoundTripSeconds.replace(
    labelled.flatMap(({ labels, roundTripMs }) => (roundTripMs === undefined ? [] : [[labels, roundTripMs / 1_000]])),
  );
  metrics.gatewayLoss.replace(labelled.map(({ labels, loss }) => [labels, loss]));
  metrics.directPath.replace(
    (status.directPaths?.clusters ?? []).map(({ clusterID, family, isUsed }) => [
      { cluster: clusterID, family },
      isUsed ? 1 : 0,
    ]),
  );
  for (const result of ['translate', 'reject', 'drop'] as const)
    metrics.servicePorts.set({ result }, services.filter((one) => one.result === result).length);
  metrics.serviceEndpoints.set(
    {},
    services.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
  );
  for (const kind of networkKinds) metrics.networkItems.set({ kind }, Object.keys(desired?.[kind] ?? {}).length);
  metrics.unusedObjects.set({}, problems.length);
}
