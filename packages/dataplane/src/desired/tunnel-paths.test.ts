import { expect, test } from 'vitest';
import { address, cidr } from '../testing/addresses.ts';
import type { ClusterNetwork } from './cluster-network.ts';
import { tunnelAddresses } from './tunnel-addresses.ts';
import { tunnelPaths } from './tunnel-paths.ts';

/** The network of a Node in a cluster with so many gateways. */
const cluster = (gateways: number): ClusterNetwork => ({
  node: 'node',
  nodes: [
    { name: 'node', address: address('172.30.0.1'), podCIDRs: [cidr('10.10.0.0/24')], isGateway: false },
    ...Array.from({ length: gateways }, (_, index) => ({
      name: `gateway-${index}`,
      address: address(`172.30.1.${index}`),
      podCIDRs: [cidr(`10.10.${index + 1}.0/24`)],
      isGateway: true,
    })),
  ],
  podCIDRs: [cidr('10.10.0.0/16')],
  remotes: [{ clusterID: 'west', podCIDRs: [cidr('10.20.0.0/16')], gatewayIPs: [address('172.30.2.1')] }],
  services: [],
  settings: { port: 8479, underlayMTU: 1500 },
});

/** The gateways among which flows to west are divided. */
function used({ nextHops, routes }: ReturnType<typeof tunnelPaths>): readonly string[] {
  const route = routes.get('7100 10.20.0.0/16');
  const group = route !== undefined && 'nextHop' in route ? nextHops.get(route.nextHop) : undefined;
  return (group !== undefined && 'group' in group ? group.group : []).flatMap((id) => {
    const hop = nextHops.get(id);
    return hop !== undefined && 'via' in hop ? [hop.via] : [];
  });
}

test('flows are divided among 64 gateways at most, as ip writes no group of many: one that does not answer makes way for another', () => {
  expect(used(tunnelPaths(cluster(64)))).toHaveLength(64);
  const paths = tunnelPaths(cluster(150));
  expect(used(paths)).toHaveLength(64);
  expect(used(paths)).not.toContain('172.30.1.64');
  const without = used(tunnelPaths({ ...cluster(150), silent: new Set(['isthmus-node 172.30.1.7']) }));
  expect(without).toHaveLength(64);
  expect(without).not.toContain('172.30.1.7');
  expect(without).toContain('172.30.1.64');
});

test('a gateway that other clusters know by another of its addresses uses that one in tunnels to them, and its own in tunnels to its Nodes', () => {
  const [node, gateway] = cluster(1).nodes;
  if (node === undefined || gateway === undefined) expect.fail('there is no gateway');
  const known = { ...gateway, gatewayAddress: address('172.30.9.9') };
  const { links } = tunnelPaths({ ...cluster(1), node: gateway.name, nodes: [node, known] });
  expect(links.get('isthmus-gw')).toMatchObject({
    local: '172.30.9.9',
    mac: tunnelAddresses(known.gatewayAddress).mac,
  });
  expect(links.get('isthmus-node')).toMatchObject({ local: '172.30.1.0', mac: tunnelAddresses(gateway.address).mac });
});
