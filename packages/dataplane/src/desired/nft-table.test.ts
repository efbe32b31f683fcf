import { expect, test } from 'vitest';
import { address, cidr } from '../testing/addresses.ts';
import type { ClusterNetwork } from './cluster-network.ts';
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
const arriving = (settings: Partial<ClusterNetwork['settings']>) =>
  filterTable({ ...cluster, settings: { ...cluster.settings, ...settings } })
    .chains.get('from-tunnels')
    ?.rules.filter((rule) => rule.includes('fib'));

test('what the CNI carries to another Node is not tracked where no Pod CIDRs distinguish it from what is for Pods here, but for exported Services', () => {
  expect(arriving({ nodeDevices: ['eth0', 'vxlan.calico'] })).toEqual([
    'ip daddr != @exported4 fib daddr oifname { "eth0", "vxlan.calico" } counter notrack',
    'ip6 daddr != @exported6 fib daddr oifname { "eth0", "vxlan.calico" } counter notrack',
  ]);
});

test('no route is looked up for a packet of a Node whose Pod CIDRs are known: its kernel may lack that', () => {
  expect(arriving({})).toEqual([]);
});
