import type { ClusterInfoImport } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { asExported, translated, virtualRanges } from './translate.ts';

const network = (clusterID: string, virtual: string, podCIDRs: readonly string[]): ClusterInfoImport => ({
  metadata: {
    name: `${clusterID}-clusterinfo`,
    namespace: 'kube-system',
    annotations: { 'isthmus.dev/virtual-pod-cidrs': virtual },
  },
  spec: { clusterID, podCIDRs },
});
const west = network('west', '10.10.0.0/16=100.65.0.0/16,fd00:10::/48=fd00:64::/48', ['100.65.0.0/16', 'fd00:64::/48']);
const pairs = virtualRanges([west]).get('west');
const slices = (...addresses: readonly string[]) => [
  { addressType: 'IPv4', endpoints: addresses.map((address) => ({ addresses: [address], hostname: 'a' })), ports: [] },
];

describe('endpoints of a cluster with virtual ranges', () => {
  it('have the same bits behind another prefix, of both families, and back', () => {
    const exported = slices('10.10.1.5', '10.10.255.255', 'fd00:10::1:5');
    const reached = slices('100.65.1.5', '100.65.255.255', 'fd00:64::1:5');
    expect(translated(exported, pairs)).toEqual(reached);
    expect(asExported(reached, pairs)).toEqual(exported);
  });

  it('stay where no range stands for them, such as ClusterIPs and what is translated already', () => {
    const others = slices('10.96.0.10', '100.65.1.5', 'web.example.com');
    expect(translated(others, pairs)).toEqual(others);
    expect(translated(others)).toBe(others);
  });

  it('stay while the cluster does not publish the range, because its agents do not know it yet', () => {
    expect(virtualRanges([network('west', '10.10.0.0/16=100.65.0.0/16', ['10.10.0.0/16'])]).size).toBe(0);
  });
});
