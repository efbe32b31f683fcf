import { expect, test } from 'vitest';
import type { ChainName } from '../../network/chains.ts';
import { baseChains } from '../../network/chains.ts';
import { ruleText } from '../../network/render-rule.ts';
import { address, cidr } from '../../testing/addresses.ts';
import type { ClusterNetwork } from '../cluster-network.ts';
import { filterTable } from './nft-table.ts';

const cluster: ClusterNetwork = {
  node: 'node-1',
  nodes: ['1', '2'].map((host) => ({
    name: `node-${host}`,
    address: address(`172.30.1.${host}`),
    podCIDRs: [],
    isGateway: true,
  })),
  podCIDRs: [cidr('10.10.0.0/16')],
  remotes: [],
  services: [],
  settings: { port: 8479, underlayMTU: 1500 },
};
type Settings = Partial<ClusterNetwork['settings']>;
const rulesOf = (chain: ChainName, settings: Settings = {}) =>
  (filterTable({ ...cluster, settings: { ...cluster.settings, ...settings } }).chains.get(chain) ?? []).map(ruleText);
const arriving = (settings: Settings) => rulesOf('from-tunnels', settings).filter((rule) => rule.includes('fib'));

test('what the CNI carries to another Node is not tracked where no Pod CIDRs distinguish it from what is for Pods here, but for exported Services', () => {
  expect(arriving({ nodeDevices: ['eth0', 'vxlan.calico'] })).toEqual([
    'ip daddr != @exported4 fib daddr oifname { "eth0", "vxlan.calico" } counter notrack',
    'ip6 daddr != @exported6 fib daddr oifname { "eth0", "vxlan.calico" } counter notrack',
  ]);
});

test('no route is looked up for a packet of a Node whose Pod CIDRs are known: its kernel may lack that', () => {
  expect(arriving({})).toEqual([]);
});

test('without labels, nothing is written into packets that arrive, and none leaves with a mark', () => {
  expect(rulesOf('tunnel-accepted')).toEqual(['notrack']);
  expect(rulesOf('into-tunnels').filter((rule) => rule.includes('mark'))).toEqual(['meta mark set 0']);
  expect(rulesOf('tunnel-accepted', { carriesLabels: true })).toHaveLength(2);
  expect(rulesOf('into-tunnels', { carriesLabels: true })[0]).toBe('meta mark set 0');
  expect(rulesOf('into-tunnels', { carriesLabels: true }).filter((rule) => rule.includes('mark'))).toHaveLength(4);
});

test('the device with the address of the Node is the only one of its kind that is not asked for a route to the sender', () => {
  const asked = (settings: Settings) => rulesOf('tunnel-packets', settings)[0];
  expect(asked({})).toMatch(/^meta iifkind .* fib saddr \. iif oif missing counter drop$/);
  expect(asked({ underlayDevice: 'eth0' })).toBe(`iifname != "eth0" ${asked({})}`);
});

test('a packet that a Service has led to the port of tunnels is dropped, as the filter of tunnel packets saw another port', () => {
  expect(rulesOf('translated')).toEqual(['counter drop']);
  for (const chain of ['received', 'forwarded'] as const)
    expect(rulesOf(chain)[0]).toBe('udp dport 8479 ct status dnat goto translated');
});

test('a tunnel packet that comes in a tunnel is dropped where it is for the Node, before anything lets it in', () => {
  expect(rulesOf('to-node')[0]).toBe('udp dport 8479 counter drop');
});

test('a new connection of another cluster to an address of the Node ends before kube-proxy takes it for one to a NodePort', () => {
  expect(rulesOf('to-node-ports')).toEqual([
    'iifname { "isthmus-node", "isthmus-gw" } ip daddr != @exported4 fib daddr type local counter drop',
    'iifname { "isthmus-node", "isthmus-gw" } ip6 daddr != @exported6 fib daddr type local counter drop',
  ]);
  expect(baseChains['to-node-ports'].priority).toBeLessThan(-100);
});
