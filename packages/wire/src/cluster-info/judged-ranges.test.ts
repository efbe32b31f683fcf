import type { ClusterInfo } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { isJudgedByLeader, judgedRangesText } from './judged-ranges.ts';

const network: ClusterInfo = {
  clusterID: 'east',
  serviceCIDR: '10.96.0.0/12',
  podCIDRs: ['10.10.0.0/16'],
  gatewayInfos: [{ gatewayIP: '192.0.2.1', publicKey: 'key' }],
};
const isJudged = (clusterinfo: ClusterInfo, text?: string) =>
  isJudgedByLeader({
    metadata: {
      name: 'east-clusterinfo',
      annotations: text === undefined ? {} : { 'isthmus.dev/judged-ranges': text },
    },
    spec: { kind: 'ClusterInfo', clusterinfo },
  });

describe('whether a leader judged the network that it publishes', () => {
  const text = judgedRangesText(network);

  it.each<[string, ClusterInfo, string | undefined, boolean]>([
    ['is shown by its ranges and gateways', network, text, true],
    [
      'does not depend on keys, which a leader with other definitions drops',
      { ...network, gatewayInfos: [{ gatewayIP: '192.0.2.1' }] },
      text,
      true,
    ],
    ['is not shown without the annotation', network, undefined, false],
    [
      'is not shown where another leader published other Pod CIDRs since',
      { ...network, podCIDRs: ['8.8.8.0/24'] },
      text,
      false,
    ],
    ['is not shown where it published another Service CIDR', { ...network, serviceCIDR: '10.97.0.0/16' }, text, false],
    [
      'is not shown where it published another gateway',
      { ...network, gatewayInfos: [{ gatewayIP: '192.0.2.2' }] },
      text,
      false,
    ],
  ])('%s', (_what, published, annotation, expected) => {
    expect(isJudged(published, annotation)).toBe(expected);
  });
});
