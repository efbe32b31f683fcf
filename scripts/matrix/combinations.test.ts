import { parseVirtualPodCIDRs } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { Combination, End, MatrixNetwork } from './combinations.ts';
import { combinationsOf, expectedAnswers, podAddress } from './combinations.ts';

const clusters = ['north', 'east', 'west'];
const network: MatrixNetwork = {
  pods: new Map([
    ['east-other-pod', { IPv4: '10.77.2.5', IPv6: 'fd00:10:77:2::5' }],
    ['north-other-pod', { IPv4: '10.10.2.7', IPv6: 'fd00:10:10:2::7' }],
  ]),
  nodes: new Map([
    [
      'east-other',
      {
        own: { IPv4: '172.30.2.12', IPv6: 'fd00:172:30::2:12' },
        first: { IPv4: '10.77.2.0', IPv6: 'fd00:10:77:2::' },
        bridge: { IPv4: '10.77.2.1', IPv6: 'fd00:10:77:2::1' },
      },
    ],
    [
      'west-gateway',
      {
        own: { IPv4: '172.30.3.11', IPv6: 'fd00:172:30::3:11' },
        first: { IPv4: '10.77.1.0', IPv6: 'fd00:10:77:1::' },
        bridge: { IPv4: '10.77.1.1', IPv6: 'fd00:10:77:1::1' },
      },
    ],
  ]),
  virtual: new Map([['east', parseVirtualPodCIDRs('10.77.0.0/16=100.64.0.0/16,fd00:10:77::/48=fd64:1::/48')]]),
};
const end = (cluster: string, place: End['place'], inNetwork: End['network'] = 'Pod'): End => ({
  cluster,
  place,
  network: inNetwork,
});

describe('combinationsOf', () => {
  it('has each client of a cluster with each server of the others, by each target, protocol and family', () => {
    const all = combinationsOf(clusters, 'PodIP');
    // Clients of three clusters, Pods of two others, targets, protocols, families.
    expect(all).toHaveLength(3 * 4 * (2 * 2) * 3 * 3 * 2);
    expect(all.every(({ client, server }) => client.cluster !== server.cluster)).toBe(true);
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(all.length);
  });

  it('has servers in the network of Nodes behind exported ClusterIPs alone, in the family of the Service CIDR', () => {
    const behind = combinationsOf(clusters, 'ClusterIP').filter(({ server }) => server.network === 'Node');
    expect(behind).toHaveLength(3 * 4 * (2 * 2) * 3);
    expect(new Set(behind.map(({ target, family }) => `${target} ${family}`))).toEqual(
      new Set(['exported ClusterIP IPv4']),
    );
  });
});

describe('expectedAnswers', () => {
  const answered = (client: End, server: End, family: Combination['family']) =>
    expectedAnswers({ client, server, family, target: 'Service', protocol: 'SCTP' }, network);

  it('names the server and the address of the client, which is a virtual one where its cluster has some', () => {
    const server = end('west', 'gateway');
    expect(answered(end('north', 'other'), server, 'IPv4')).toEqual(['west-gateway-pod 10.10.2.7']);
    expect(answered(end('east', 'other'), server, 'IPv4')).toEqual(['west-gateway-pod 100.64.2.5']);
    expect(answered(end('east', 'other'), server, 'IPv6')).toEqual(['west-gateway-pod fd64:1:0:2::5']);
  });

  it('has the first address of its Pod CIDR, or that of the bridge, for a client in the network of a Node', () => {
    const client = end('east', 'other', 'Node');
    expect(answered(client, end('west', 'gateway'), 'IPv4')).toEqual([
      'west-gateway-pod 100.64.2.0',
      'west-gateway-pod 100.64.2.1',
    ]);
    expect(answered(client, end('west', 'gateway'), 'IPv6')).toEqual([
      'west-gateway-pod fd64:1:0:2::',
      'west-gateway-pod fd64:1:0:2::1',
    ]);
  });

  it('has the gateway that translates an exported ClusterIP for the client, unless the server is in its network', () => {
    const client = end('north', 'other');
    expect(answered(client, end('west', 'other', 'Node'), 'IPv4')).toEqual(['west-other-node 172.30.3.11']);
    expect(answered(client, end('west', 'gateway', 'Node'), 'IPv4')).toEqual(['west-gateway-node 10.10.2.7']);
  });
});

describe('podAddress', () => {
  it('is the virtual one where the cluster of the Pod has some', () => {
    expect(podAddress(end('east', 'other'), 'IPv6', network)).toBe('fd64:1:0:2::5');
    expect(podAddress(end('north', 'other'), 'IPv4', network)).toBe('10.10.2.7');
  });
});
