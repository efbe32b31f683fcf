import { describe, expect, it } from 'vitest';
import type { ClusterLayout } from './layout.ts';
import { kubernetesServiceAddresses, layoutOf } from './layout.ts';

const all = (layouts: readonly ClusterLayout[]) => {
  const nodes = layouts.flatMap((layout) => layout.nodes);
  return {
    addresses: [...layouts, ...nodes].flatMap(({ address, address6 }) => [address, address6]),
    pods: nodes.flatMap(({ podCIDR, podCIDR6 }) => [podCIDR, podCIDR6]),
    services: layouts.flatMap(({ serviceCIDR, serviceCIDR6 }) => [serviceCIDR, serviceCIDR6]),
  };
};

describe('layoutOf', () => {
  it('gives each control plane and Node addresses and Pod networks of both families', () => {
    expect(layoutOf({ north: { nodes: 1 } })).toEqual([
      {
        name: 'north',
        address: '172.30.1.1',
        address6: 'fd00:172:30::1:1',
        serviceCIDR: '10.239.0.0/16',
        serviceCIDR6: 'fd00:96:1::/112',
        clusterCIDRs: ['10.10.0.0/16', 'fd00:10:10::/48'],
        dnsAddress: '10.239.0.10',
        nodes: [
          {
            name: 'north-1',
            address: '172.30.1.11',
            address6: 'fd00:172:30::1:11',
            podCIDR: '10.10.1.0/24',
            podCIDR6: 'fd00:10:10:1::/64',
          },
        ],
      },
    ]);
  });

  it('gives 20 clusters of 9 Nodes different addresses, Pod networks and Service networks', () => {
    const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
    const layouts = layoutOf(Object.fromEntries(names.map((name) => [name, { nodes: 9 }])));
    for (const each of Object.values(all(layouts))) expect(new Set(each).size).toBe(each.length);
    // The Service networks, 10.220 to 10.239, are beside the Pod networks, 10.10 to 10.200.
    const second = (cidr: string) => Number(cidr.split('.')[1]);
    const { pods, services } = all(layouts);
    const ofPods = new Set(pods.filter((cidr) => cidr.includes('.')).map(second));
    expect(services.filter((cidr) => cidr.includes('.')).filter((cidr) => ofPods.has(second(cidr)))).toEqual([]);
  });

  it('lets two clusters have the same Pod network where they ask for it', () => {
    const [east, west] = layoutOf({ east: { nodes: 2, podNetwork: '10.50' }, west: { nodes: 1, podNetwork: '10.50' } });
    expect(east?.nodes[0]?.podCIDR).toBe('10.50.1.0/24');
    expect(west?.nodes[0]?.podCIDR).toBe('10.50.1.0/24');
    expect(west?.nodes[0]?.podCIDR6).toBe('fd00:10:50:1::/64');
  });

  it.each([
    ['no cluster', {}, '1 to 20 clusters'],
    ['a name that is not a DNS label', { North: { nodes: 1 } }, '"North" is not a name'],
    ['a name that is too long', { [`a${'b'.repeat(20)}`]: { nodes: 1 } }, 'at most 20 characters'],
    ['no Node', { north: { nodes: 0 } }, '1 to 9 Nodes'],
    ['ten Nodes', { north: { nodes: 10 } }, '1 to 9 Nodes'],
    ['a number of Nodes that is none', { north: { nodes: Number.NaN } }, '1 to 9 Nodes'],
  ])('rejects %s', (_, specs, message) => {
    expect(() => layoutOf(specs)).toThrow(message);
  });
});

describe('kubernetesServiceAddresses', () => {
  it('are the first of each Service network', () => {
    const [north] = layoutOf({ north: { nodes: 1 } });
    expect(north && kubernetesServiceAddresses(north)).toEqual(['10.239.0.1', 'fd00:96:1::1']);
  });
});
