import type { ClusterProbes } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { OfferedGateway } from '../../../own-cluster/own-cluster.ts';
import { decideReachable } from './reachable.ts';

const west: ClusterProbes = {
  clusterID: 'west',
  answering: 2,
  silent: 0,
  gateways: 2,
  roundTripMs: 5,
  lossPercent: 5,
  silentAddresses: [],
};
const cutOff: ClusterProbes = {
  ...west,
  answering: 0,
  silent: 2,
  roundTripMs: undefined,
  lossPercent: 100,
  silentAddresses: ['192.0.2.11', '192.0.2.12'],
};
const half: ClusterProbes = { ...west, answering: 1, silent: 1, silentAddresses: ['192.0.2.12'] };
const starting: ClusterProbes = { ...west, answering: 0, roundTripMs: undefined, lossPercent: 100 };
const gateway = (
  node: string,
  probes: readonly ClusterProbes[] | undefined,
  agent: OfferedGateway['agent'] = 'alive',
): OfferedGateway => ({ node, gatewayIP: undefined, publicKey: undefined, isUsable: true, agent, probes });

describe('whether another cluster is reached', () => {
  it('is not reported where no gateway has an agent', () => {
    expect(decideReachable('west', [])).toBe('absent');
    expect(decideReachable('west', [gateway('a', undefined, 'none')])).toBe('absent');
  });

  it('is reported with the worst times and losses of all gateways', () => {
    expect(
      decideReachable('west', [gateway('a', [west]), gateway('b', [{ ...west, roundTripMs: 20, lossPercent: 20 }])]),
    ).toEqual({
      status: 'True',
      reason: 'GatewaysAnswer',
      message: '2 of 2 gateways of this cluster reach west, in at most 20 ms, with at most 20 % of the probes lost.',
    });
  });

  it.each([
    [
      'a gateway there is silent',
      [gateway('a', [half])],
      /reach west.* Some gateways of west \(192\.0\.2\.12\) do not/,
    ],
    ['a gateway here reaches nobody', [gateway('a', [west]), gateway('b', [cutOff])], /^1 of 2 gateways/],
    [
      'an agent does not renew its Lease',
      [gateway('a', [west]), gateway('b', undefined, 'silent')],
      /^1 of 2 .* Node b: no report\./,
    ],
    [
      'an agent is of an earlier release',
      [gateway('a', [west]), gateway('b', undefined), gateway('c', undefined, 'none')],
      /^1 of 2 .* Node b: no report\./,
    ],
    ['an agent does not probe it', [gateway('a', [west]), gateway('b', [])], /^1 of 2/],
  ])('is true with a warning where %s', (_, gateways, message) => {
    expect(decideReachable('west', gateways)).toEqual({
      status: 'True',
      reason: 'SomeGatewaysSilent',
      message: expect.stringMatching(message),
    });
  });

  it('is true with a warning where large packets are lost, and with the smallest size that arrives', () => {
    const losing = (node: string, carries: number, address: string): OfferedGateway => ({
      ...gateway(node, [west]),
      smallPaths: [{ clusterID: 'west', carries, largest: 1450, addresses: [address] }],
    });
    const gateways = [losing('a', 1342, '192.0.2.12'), losing('b', 1316, '192.0.2.11'), gateway('c', [west])];
    expect(decideReachable('west', gateways)).toEqual({
      status: 'True',
      reason: 'PacketsTooLarge',
      message: expect.stringMatching(
        /^Packets of more than 1316 bytes to gateways of west \(192\.0\.2\.11, 192\.0\.2\.12\) are lost .*carry 1450: .* 3 of 3 gateways .*--underlay-mtu/,
      ),
    });
    const silent = gateways.map((one): OfferedGateway => ({ ...one, agent: 'silent' }));
    expect(decideReachable('west', silent)).toMatchObject({ reason: 'AgentsSilent' });
    expect(decideReachable('north', gateways)).toMatchObject({ reason: 'NotProbed' });
  });

  it('is false where no gateway there answers, and those that do not are named', () => {
    const found = decideReachable('west', [gateway('a', [cutOff]), gateway('b', undefined, 'silent')]);
    expect(found).toMatchObject({ status: 'False', reason: 'NoGatewayAnswers' });
    expect(found).toMatchObject({
      message: expect.stringMatching(/^No gateway of west \(192\.0\.2\.11, 192\.0\.2\.12\) .* Node b: no report\./),
    });
  });

  it.each([
    ['AgentsSilent', [gateway('a', [west], 'silent'), gateway('b', undefined, 'none')], /Node a\b/],
    ['ProbesNotReported', [gateway('a', undefined), gateway('b', undefined)], /Nodes a, b\b/],
    ['NotProbed', [gateway('a', [starting])], /no results .* west yet/],
    ['NotProbed', [gateway('a', [{ ...west, clusterID: 'north' }])], /no results .* west yet/],
  ] as const)('is unknown with %s', (reason, gateways, message) => {
    expect(decideReachable('west', gateways)).toEqual({
      status: 'Unknown',
      reason,
      message: expect.stringMatching(message),
    });
  });

  it('names five Nodes and five gateways at most', () => {
    const many = Array.from({ length: 40 }, (_, index) => gateway(`node-${index + 10}`, undefined));
    expect(decideReachable('west', many)).toMatchObject({
      message: expect.stringContaining('Nodes node-10, node-11, node-12, node-13, node-14 and 35 more'),
    });
  });
});
