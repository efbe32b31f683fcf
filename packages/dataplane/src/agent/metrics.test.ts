import { createMetricsRegistry } from '@isthmus/kube';
import { expect, test } from 'vitest';
import type { AgentStatus, GatewayStatus } from '../status/agent-status.ts';
import { agentMetrics, showStatus } from './metrics.ts';

const gateway = (address: string, more: Partial<GatewayStatus> = {}): GatewayStatus => ({
  address,
  clusterID: 'west',
  device: 'isthmus-gw',
  state: 'alive',
  roundTripMs: 1.5,
  loss: 0,
  probes: 9,
  ...more,
});

const status = (gateways: readonly GatewayStatus[], notReady: readonly string[] = []): AgentStatus => ({
  node: 'node-1',
  isGateway: true,
  notReady,
  notes: [],
  problems: [],
  encryption: 'none',
  gateways,
  services: [],
  desired: {
    links: { 'isthmus-gw': '' },
    peers: {},
    nextHops: {},
    routes: {},
    rules: {},
    wireGuards: {},
    wireGuardPeers: {},
    chains: {},
    sets: {},
  },
});

test('metrics of an agent show its gateways as they are now, and none that are gone', async () => {
  const registry = createMetricsRegistry();
  const metrics = registry.declare(agentMetrics);
  showStatus(metrics, status([gateway('192.0.2.1'), gateway('192.0.2.2', { state: 'new', roundTripMs: undefined })]));
  expect(await linesOf(registry)).toEqual([
    'isthmus_agent_ready 1',
    'isthmus_agent_gateway_up{cluster="west",gateway="192.0.2.1"} 1',
    'isthmus_agent_gateway_up{cluster="west",gateway="192.0.2.2"} 0',
    'isthmus_agent_gateway_round_trip_seconds{cluster="west",gateway="192.0.2.1"} 0.0015',
  ]);
  const own = gateway('192.0.2.3', { clusterID: undefined, state: 'dead' });
  showStatus(metrics, status([own], ['not written']));
  expect(await linesOf(registry)).toEqual([
    'isthmus_agent_ready 0',
    'isthmus_agent_gateway_up{cluster="",gateway="192.0.2.3"} 0',
    'isthmus_agent_gateway_round_trip_seconds{cluster="",gateway="192.0.2.3"} 0.0015',
  ]);
});

async function linesOf(registry: ReturnType<typeof createMetricsRegistry>): Promise<readonly string[]> {
  const shown = /^isthmus_agent_(?:ready|gateway_up|gateway_round_trip_seconds)\b/;
  return (await registry.render()).split('\n').filter((line) => shown.test(line));
}
