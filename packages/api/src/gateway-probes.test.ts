import { describe, expect, it } from 'vitest';
import type { ClusterProbes, SmallPath } from './gateway-probes.ts';
import { mostProbedClusters, parseProbes, parseSmallPaths, probesText, smallPathsText } from './gateway-probes.ts';

const west: ClusterProbes = {
  clusterID: 'west',
  answering: 1,
  silent: 1,
  gateways: 3,
  roundTripMs: 5,
  lossPercent: 5,
  silentAddresses: ['192.0.2.11', 'fd00::1'],
};
const north: ClusterProbes = {
  ...west,
  clusterID: 'north',
  answering: 0,
  roundTripMs: undefined,
  lossPercent: 100,
  silentAddresses: [],
};

describe('the results of probes in a Lease', () => {
  it('are read as they are written', () => {
    expect(probesText([west, north])).toBe('west 1/1/3 5ms 5% 192.0.2.11+fd00::1, north 0/1/3 100%');
    expect(parseProbes(probesText([west, north]))).toEqual([west, north]);
    expect(parseProbes('')).toEqual([]);
    expect(parseProbes(undefined)).toBeUndefined();
  });

  it('are bounded: 200 clusters have less than 6 kB, and what is behind the last cluster that counts is left out', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...west, clusterID: `cluster-${index}`, silentAddresses: [] }));
    expect(probesText(many(200)).length).toBeLessThan(6_000);
    expect(parseProbes(probesText(many(1_000)))).toHaveLength(mostProbedClusters);
    expect(parseProbes('x'.repeat(1_000_000))).toEqual([]);
  });

  it.each(['west', 'west 1/1', 'west 1/1/3 5ms', 'west -1/0/1 0%', 'west 1/0/1 0% <script>', 'a b 1/0/1 0%'])(
    'are left out where an entry is not well-formed: %s',
    (text) => {
      expect(parseProbes(`${text}, ${probesText([north])}`)).toEqual([north]);
    },
  );
});

describe('the gateways to which large packets are lost, in a Lease', () => {
  const paths: readonly SmallPath[] = [
    { clusterID: 'north', carries: 1_200, largest: 1_380, addresses: ['fd00::1'] },
    { clusterID: 'west', carries: 1_316, largest: 1_450, addresses: ['192.0.2.11', '192.0.2.12'] },
  ];

  it('are read as they are written, and nothing else is read', () => {
    expect(smallPathsText(paths)).toBe('north 1200/1380 fd00::1, west 1316/1450 192.0.2.11+192.0.2.12');
    expect(parseSmallPaths(smallPathsText(paths))).toEqual(paths);
    for (const text of [undefined, '', 'west', 'west 1/2', 'west 1316/1450 <b>', 'x'.repeat(100_000)])
      expect(parseSmallPaths(text)).toEqual([]);
  });
});
