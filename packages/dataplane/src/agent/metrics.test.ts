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

const emptyNetwork = {
  links: {},
  peers: {},
  nextHops: {},
  routes: {},
  rules: {},
  wireGuards: {},
  wireGuardPeers: {},
  chains: {},
  sets: {},
};

const status = (gateways: readonly GatewayStatus[], notReady: readonly string[] = []): AgentStatus => ({
  node: 'node-1',
  isGateway: true,
  notReady,
  notes: [],
  problems: [],
  encryption: 'none',
  gateways,
  services: [],
  desired: { ...emptyNetwork, links: { 'isthmus-gw': '' } },
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

test('metrics of an agent show losses, direct paths, Services, its network, and what it does not use', async () => {
  const registry = createMetricsRegistry();
  const service = { namespace: 'shop', name: 'cart', address: '10.96.0.9', protocol: 'TCP', port: 80 } as const;
  const translated = { ...service, result: 'translate', endpoints: ['10.1.0.1:80', '10.1.0.2:80'] } as const;
  const base = status([gateway('192.0.2.1', { loss: 0.5 })]);
  showStatus(registry.declare(agentMetrics), {
    ...base,
    problems: [
      { kind: 'Node', name: 'node-2', message: 'It has no address.' },
      { kind: 'Node', name: 'node-3', message: 'It has no address.' },
    ],
    services: [
      translated,
      { ...translated, endpoints: ['10.1.0.3:80'] },
      { ...service, result: 'reject', endpoints: [] },
    ] as unknown as AgentStatus['services'],
    directPaths: {
      clusters: [
        { clusterID: 'west', family: 'IPv4', isUsed: true, asked: 1, answering: 1 },
        { clusterID: 'west', family: 'IPv6', isUsed: false, asked: 1, answering: 0 },
      ],
    },
    desired: { ...emptyNetwork, links: { a: '', b: '' }, sets: { c: '' } },
  });
  const shown = /^isthmus_agent_(?:gateway_loss|direct|service|network_items.*"(?:links|sets|rules)"|unused)/;
  expect((await registry.render()).split('\n').filter((line) => shown.test(line))).toEqual([
    'isthmus_agent_gateway_loss_ratio{cluster="west",gateway="192.0.2.1"} 0.5',
    'isthmus_agent_direct_path{cluster="west",family="IPv4"} 1',
    'isthmus_agent_direct_path{cluster="west",family="IPv6"} 0',
    'isthmus_agent_service_ports{result="translate"} 2',
    'isthmus_agent_service_ports{result="reject"} 1',
    'isthmus_agent_service_ports{result="drop"} 0',
    'isthmus_agent_service_endpoints 3',
    'isthmus_agent_network_items{kind="links"} 2',
    'isthmus_agent_network_items{kind="rules"} 0',
    'isthmus_agent_network_items{kind="sets"} 1',
    'isthmus_agent_unused_objects 2',
  ]);
});

test('metrics of an agent that knows no network yet count nothing', async () => {
  const registry = createMetricsRegistry();
  const { directPaths: _, desired: __, ...unknown } = { directPaths: undefined, ...status([]) };
  showStatus(registry.declare(agentMetrics), unknown);
  expect(await registry.render()).toContain('isthmus_agent_network_items{kind="links"} 0');
  expect(await registry.render()).not.toContain('isthmus_agent_direct_path{');
});

test('writes are counted by what they took, from a millisecond to ten seconds', async () => {
  const registry = createMetricsRegistry();
  registry.declare(agentMetrics).writeSeconds.observe({ outcome: 'written' }, 0.2);
  const bounds = [...(await registry.render()).matchAll(/write_duration_seconds_bucket\{.*?le="([^"]+)".*?\} (\d)/g)];
  const reached = (value: string) => bounds.flatMap(([, bound, count]) => (count === value ? [bound] : []));
  expect(reached('0')).toEqual(['0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1']);
  expect(reached('1')).toEqual(['0.25', '0.5', '1', '2.5', '5', '10', '+Inf']);
});

async function linesOf(registry: ReturnType<typeof createMetricsRegistry>): Promise<readonly string[]> {
  const shown = /^isthmus_agent_(?:ready|gateway_up|gateway_round_trip_seconds)\b/;
  return (await registry.render()).split('\n').filter((line) => shown.test(line));
}
