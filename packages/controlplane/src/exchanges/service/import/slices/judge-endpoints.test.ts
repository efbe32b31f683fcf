import { parseCidr } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { rangeSetOf } from '../../../../own-cluster/range-set.ts';
import type { EndpointRules } from './judge-endpoints.ts';
import { judgeEndpoints, outsideMessage } from './judge-endpoints.ts';

const ranges = rangeSetOf(['10.20.0.0/16', '2001:db8:20::/48'].flatMap((text) => parseCidr(text) ?? []));
const rules: EndpointRules = {
  clusterID: 'west',
  isRefused: false,
  isKnown: true,
  ranges,
  openFamilies: [],
  ownerOf: ({ value }) => (value === 0x0a640001n ? 'south' : undefined),
  areGranted: false,
  ownedAs: (address) => (address === '10.20.0.7' || address === '192.0.2.7' ? 'is the address of a Node' : undefined),
  isInUse: (address) => address === '10.20.1.1' || address === '192.0.2.9' || address === '192.0.2.7',
};
const open: Partial<EndpointRules> = { ranges: rangeSetOf([]), openFamilies: ['IPv4', 'IPv6'] };
const slicesOf = (...addresses: readonly string[]) => [{ endpoints: addresses.map((one) => ({ addresses: [one] })) }];
const judge = (changed: Partial<EndpointRules>, ...addresses: readonly string[]) => {
  const { slices, outside } = judgeEndpoints(slicesOf(...addresses), { ...rules, ...changed });
  return {
    used: slices.flatMap(({ endpoints }) => endpoints.flatMap((endpoint) => endpoint.addresses)).join(' '),
    outside: outside.map(({ address }) => address).join(' '),
  };
};

describe('the endpoints of another cluster', () => {
  it.each<[string, Partial<EndpointRules>, string, string, string]>([
    ['in its ranges are used', {}, '10.20.1.2 2001:db8:20::1', '10.20.1.2 2001:db8:20::1', ''],
    ['outside of them are not, and are reported', {}, '10.20.1.2 8.8.8.8', '10.20.1.2', '8.8.8.8'],
    ['outside of them stay while they are in use, and are reported', {}, '192.0.2.9', '192.0.2.9', '192.0.2.9'],
    ['outside of ranges that a person named go', { areGranted: true }, '10.20.1.1 192.0.2.9', '10.20.1.1', '192.0.2.9'],
    ['are used without ranges', open, '8.8.8.8', '8.8.8.8', ''],
    ['are not used without ranges in those of a third cluster', open, '10.100.0.1 8.8.8.8', '8.8.8.8', '10.100.0.1'],
    [
      'of one family need ranges while the other has none',
      { openFamilies: ['IPv6'] },
      '8.8.8.8 2001:db8::9',
      '2001:db8::9',
      '8.8.8.8',
    ],
    ['are not used if nothing is accepted of it', { ranges: rangeSetOf([]) }, '10.20.1.2', '', '10.20.1.2'],
    ['are never those of this cluster, in its ranges', {}, '10.20.0.7', '', '10.20.0.7'],
    ['are never those of this cluster, in use', {}, '192.0.2.7', '', '192.0.2.7'],
    ['are never those of this cluster, without ranges', open, '192.0.2.7', '', '192.0.2.7'],
    ['are not used if it is refused', { isRefused: true }, '10.20.1.1', '', '10.20.1.1'],
    [
      'stay and wait without a report while not all is read',
      { isKnown: false },
      '10.20.1.1 10.20.1.2',
      '10.20.1.1',
      '',
    ],
    ['of this cluster go while not all is read', { isKnown: false }, '192.0.2.7', '', '192.0.2.7'],
  ])('%s', (_what, changed, addresses, used, outside) => {
    expect(judge(changed, ...addresses.split(' '))).toEqual({ used, outside });
  });

  it('are the same objects where nothing is left out', () => {
    const slices = slicesOf('10.20.1.1', '10.20.1.2');
    expect(judgeEndpoints(slices, rules).slices[0]).toBe(slices[0]);
  });

  it('that are ClusterIPs outside of the ranges are not reported if they have Pods behind them', () => {
    const pods = [{ endpoints: [{ addresses: ['10.20.1.2'] }] }];
    const four = { endpoints: [{ addresses: ['10.20.1.2'] }] };
    const judged = (address: string, ...others: readonly (typeof four)[]) =>
      judgeEndpoints([...others, { endpoints: [{ addresses: [address] }], pods }], rules).outside.length;
    expect(judged('fd00:98::9', four)).toBe(0);
    // Only that of a second family is expected, and never one of this cluster.
    expect([judged('fd00:98::9'), judged('8.8.8.8', four), judged('192.0.2.7', four)]).toEqual([1, 1, 1]);
  });

  it('lose single addresses', () => {
    const slices = [{ endpoints: [{ addresses: ['10.20.1.2', '8.8.8.8'], zone: 'a' }] }];
    expect(judgeEndpoints(slices, rules).slices).toEqual([{ endpoints: [{ addresses: ['10.20.1.2'], zone: 'a' }] }]);
  });

  it('keep an empty slice, which shows that the cluster has none', () => {
    expect(judgeEndpoints([{ endpoints: [] }], rules).slices).toEqual([{ endpoints: [] }]);
  });
});

describe('the report', () => {
  it('names three endpoints, and what to do', () => {
    expect(outsideMessage([], 'kube-system')).toBeUndefined();
    const outside = Array.from({ length: 5 }, (_, at) => ({
      clusterID: 'west',
      address: `8.8.8.${at}`,
      why: 'is wrong',
      cure: 'grant' as const,
    }));
    expect(outsideMessage(outside, 'kube-system')).toBe(
      'Endpoints that their cluster may not have: 8.8.8.0 of cluster west is wrong, 8.8.8.1 of cluster west is wrong, 8.8.8.2 of cluster west is wrong and 2 more. Correct them in west. To accept other ranges as its endpoints, name them in this cluster, in KnownCluster west of Namespace kube-system: kubectl explain knowncluster.spec',
    );
  });

  it.each([
    [undefined, 'Correct them in west'],
    [
      'accept',
      `To use them again, run in this cluster: kubectl -n ns patch knowncluster west --type merge -p '{"spec":{"state":"Accepted"}}'`,
    ],
  ] as const)('has the cure of what is wrong: %s', (cure, expected) => {
    const message = outsideMessage([{ clusterID: 'west', address: '10.20.0.1', why: 'is wrong', cure }], 'ns');
    expect(message).toBe(`Endpoints that their cluster may not have: 10.20.0.1 of cluster west is wrong. ${expected}`);
  });

  it('names no cluster where an Antrea leader merged the endpoints', () => {
    expect(outsideMessage([{ clusterID: undefined, address: '8.8.8.8', why: 'is wrong' }], 'ns')).toBe(
      'Endpoints that their cluster may not have: 8.8.8.8 is wrong. Correct the endpoints in the cluster that exports them',
    );
  });
});
