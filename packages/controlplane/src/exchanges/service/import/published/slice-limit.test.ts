import type { EndpointSlicePayload } from '@isthmus/api';
import type { RemoteService } from '@isthmus/wire';
import { describe, expect, it } from 'vitest';
import { withinSliceLimit } from './slice-limit.ts';

const slice = (port: number, change: Partial<EndpointSlicePayload> = {}): EndpointSlicePayload => ({
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.20.1.5'] }],
  ports: [{ name: 'http', port, protocol: 'TCP' }],
  ...change,
});
const slices = (count: number) => Array.from({ length: count }, (_, index) => slice(1 + index));

const remote = (perCluster: Readonly<Record<string, readonly EndpointSlicePayload[]>>): RemoteService => ({
  spec: { type: 'ClusterSetIP', ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  perCluster: new Map(Object.entries(perCluster)),
  merged: undefined,
  problems: ['another one'],
  unusable: undefined,
});

describe('the endpoints of another cluster', () => {
  it('are those of the first hundred sets of ports, and what is left out is named', () => {
    const offered = remote({ west: slices(101), south: slices(100) });
    const limited = withinSliceLimit(offered, 'east');
    expect(limited.perCluster).toEqual(new Map([...offered.perCluster, ['west', slices(100)]]));
    expect(limited.problems).toEqual([
      'another one',
      'cluster west exports endpoints with 101 sets of ports; those after the first 100 are left out',
    ]);
  });

  it('are all used where they have the same ports, in any order, in however many slices', () => {
    const two = [
      { name: 'http', port: 80, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ];
    const many = Array.from({ length: 300 }, (_, index) =>
      slice(80, { ports: index % 2 === 0 ? two : two.toReversed() }),
    );
    const offered = remote({ west: many });
    expect(withinSliceLimit(offered, 'east')).toBe(offered);
  });

  it('count for each IP family', () => {
    const offered = remote({
      west: [...slices(60), ...slices(60).map((one) => ({ ...one, addressType: 'IPv6' as const }))],
    });
    expect(withinSliceLimit(offered, 'east').perCluster.get('west')).toHaveLength(100);
  });
});

it('the own endpoints have no limit: they are the own Pods', () => {
  const offered = remote({ east: slices(300) });
  expect(withinSliceLimit(offered, 'east')).toBe(offered);
});

it('the Pods behind ClusterIPs are those of the first hundred sets of ports', () => {
  const pods = (count: number) => slices(count).map(({ endpoints, ports }) => ({ endpoints, ports }));
  const offered = remote({
    west: [slice(80, { pods: pods(60) }), slice(81, { pods: pods(60) })],
    south: [slice(80, { pods: pods(100) })],
  });
  const limited = withinSliceLimit(offered, 'east');
  expect(limited.perCluster.get('west')?.map((one) => one.pods?.length)).toEqual([60, 40]);
  expect(limited.perCluster.get('south')).toEqual(offered.perCluster.get('south'));
  expect(limited.problems).toEqual([
    'another one',
    'cluster west exports Pods with 120 sets of ports; those after the first 100 are left out',
  ]);
});
