import type { ClusterInfoImport, LocalRange } from '@isthmus/api';
import { parseLocalRanges } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { OfferedGateway } from '../../../own-cluster/own-cluster.ts';
import type { LocalToNodesInput } from './local-to-nodes.ts';
import { withLocalToNodes } from './local-to-nodes.ts';

const gateway = (node: string, localRanges?: readonly LocalRange[]): OfferedGateway => ({
  node,
  gatewayIP: undefined,
  publicKey: undefined,
  isUsable: true,
  localRanges,
  agent: 'silent',
  probes: undefined,
});
const object = (annotations: Readonly<Record<string, string>> = {}): ClusterInfoImport => ({
  metadata: { name: 'west-clusterinfo', annotations },
  spec: { clusterID: 'west', serviceCIDR: '10.96.0.0/16', podCIDRs: ['10.20.0.0/16', 'fd00::/48', '100.64.0.0/16'] },
});
const judge = (more: Partial<LocalToNodesInput>) =>
  withLocalToNodes({
    conflict: 'absent',
    object: object(),
    gateways: [],
    config: { endpointIPType: 'ClusterIP', podCIDRs: [] },
    ...more,
  });

describe('ranges that gateways reach by themselves', () => {
  it('are nothing without agents that list them', () => {
    expect(judge({ gateways: [gateway('a'), gateway('b', parseLocalRanges('network 10.0.0.0/24'))] })).toBe('absent');
  });

  it('are reported with the range, the Node and the reason, for each family', () => {
    const gateways = [
      gateway('a', parseLocalRanges('nameserver 10.20.0.53/32, nameserver fd00::53/128')),
      gateway('b'),
    ];
    expect(judge({ gateways })).toEqual({
      status: 'True',
      reason: 'LocalToNodes',
      message:
        'Pod CIDR 10.20.0.0/16 is not routed on Node a: it contains 10.20.0.53, a nameserver of that Node; Pod CIDR fd00::/48 is not routed on Node a: it contains fd00::53, a nameserver of that Node.',
    });
  });

  it('are counted if there are more than five', () => {
    const gateways = Array.from({ length: 9 }, (_, at) => gateway(`n${at}`, parseLocalRanges('network 10.20.7.0/24')));
    const found = judge({ gateways });
    expect(found === 'absent' ? '' : found.message).toMatch(/Node n4: .*; and 4 more\.$/);
  });

  it('are reported for a Service CIDR only where packets go to it', () => {
    const gateways = [gateway('a', parseLocalRanges('route 10.96.7.0/24'))];
    expect(judge({ gateways })).toMatchObject({ message: expect.stringMatching(/^Service CIDR 10\.96/) as string });
    expect(judge({ gateways, config: { endpointIPType: 'PodIP', podCIDRs: [] } })).toBe('absent');
  });

  it('are not judged where virtual ranges stand for them', () => {
    const gateways = [gateway('a', parseLocalRanges('network 10.20.7.0/24'))];
    const bridged = object({ 'isthmus.dev/virtual-pod-cidrs': '10.20.0.0/16=100.64.0.0/16' });
    const config = { endpointIPType: 'ClusterIP', podCIDRs: ['10.20.0.0/16'] } as const;
    expect(judge({ gateways, object: bridged, config })).toBe('absent');
    expect(judge({ gateways, config })).toMatchObject({ reason: 'LocalToNodes' });
  });

  it('are added to what the leader found', () => {
    const conflict = { status: 'True', reason: 'RangeOverlaps', message: 'It overlaps.' } as const;
    const gateways = [gateway('a', parseLocalRanges('network 10.20.7.0/24'))];
    expect(judge({ conflict, gateways })).toMatchObject({
      reason: 'RangeOverlaps',
      message: expect.stringMatching(/^It overlaps\. Pod CIDR 10\.20\.0\.0\/16 is not routed on Node a/) as string,
    });
    expect(judge({ conflict })).toBe(conflict);
  });
});
