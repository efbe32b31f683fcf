import { Annotation } from '@isthmus/api';
import type { ClusterInfoImport } from '@isthmus/api';
import { addressText, cidrText } from '@isthmus/machinery';
import { describe, expect, test } from 'vitest';
import { address, cidr } from '../testing/addresses.ts';
import type { Problem } from './problem.ts';
import { readRemotes } from './read-remotes.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');

/** A cluster that announces its network; `at`: when it joined, in seconds. */
const announced = (
  clusterID: string,
  {
    at = 0,
    annotations = { [Annotation.dataPlane]: 'isthmus' },
    conditions = [],
    ...spec
  }: ClusterInfoImport['spec'] & {
    readonly at?: number;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly conditions?: readonly { readonly type: string; readonly status: 'True' | 'False' }[];
  } = {},
): ClusterInfoImport => ({
  metadata: {
    name: `${clusterID}-clusterinfo`,
    namespace: 'kube-system',
    annotations,
    creationTimestamp: new Date(at * 1_000).toISOString(),
  },
  spec: { clusterID, ...spec },
  status: { conditions },
});

const own = {
  nodes: [{ name: 'node-1', address: address('172.30.1.1'), podCIDRs: [cidr('10.1.1.0/24')], isGateway: true }],
  podCIDRs: [cidr('10.1.0.0/16')],
  virtualCIDRs: [],
  clusterIPs: {
    firstIn: (range: ReturnType<typeof cidr>) =>
      cidrText(range) === '10.96.0.0/16' ? { address: address('10.96.0.1'), name: 'default/kubernetes' } : undefined,
  },
  apiServers: [address('192.0.2.10')],
  localRanges: [
    { cidr: cidr('198.51.100.1/32'), what: 'gateway' },
    { cidr: cidr('8.8.8.8/32'), what: 'nameserver' },
    { cidr: cidr('203.0.113.6/32'), what: 'leader' },
    { cidr: cidr('172.31.0.0/16'), what: 'network' },
    { cidr: cidr('10.5.7.0/24'), what: 'route' },
  ],
  isEncrypted: false,
} as const;
const read = (imports: readonly ClusterInfoImport[], side: Partial<Parameters<typeof readRemotes>[1]> = {}) => {
  const problems: Problem[] = [];
  const remotes = readRemotes(imports, { ...own, ...side }, problems);
  return { remotes, messages: problems.map(({ message }) => message) };
};
const rangesOf = ({ remotes }: ReturnType<typeof read>) =>
  remotes.flatMap(({ clusterID, podCIDRs }) => podCIDRs.map((one) => `${clusterID} ${cidrText(one)}`));
const gatewaysOf = ({ remotes }: ReturnType<typeof read>) =>
  remotes.flatMap(({ clusterID, gatewayIPs }) => gatewayIPs.map((one) => `${clusterID} ${addressText(one)}`));

test('a Pod CIDR of another cluster is used beside a route that is as wide, or wider', () => {
  const cidrs = ['10.5.7.0/24', '10.6.1.0/24'];
  const localRanges = ['10.5.7.0/24', '10.6.0.0/16'].map((text) => ({ cidr: cidr(text), what: 'route' as const }));
  const found = read([announced('west', { podCIDRs: cidrs })], { localRanges });
  expect([rangesOf(found), found.messages]).toEqual([cidrs.map((one) => `west ${one}`), []]);
});

describe('a Pod CIDR of another cluster', () => {
  test.each([
    ['10.2.0.0', 'it is not valid'],
    ['10.1.128.0/17', 'it overlaps with 10.1.0.0/16, a Pod CIDR of this cluster'],
    ['172.30.1.0/24', 'it contains the address of Node node-1'],
    ['192.0.2.0/24', 'it contains 192.0.2.10, an address of the API server of this cluster'],
    ['10.96.0.0/16', 'it contains 10.96.0.1, the address of Service default/kubernetes of this cluster'],
    ['127.0.0.0/16', 'it contains loopback addresses (127.0.0.0/8)'],
    ['10.3.0.0/24', 'it overlaps with 10.3.0.0/16, a Pod CIDR of cluster south'],
    ['198.51.100.0/24', 'it contains 198.51.100.1, the default gateway of this Node'],
    ['8.8.8.8/32', 'it contains 8.8.8.8, a nameserver of this Node'],
    ['203.0.113.0/24', 'it contains 203.0.113.6, the address of the API server of the leader'],
    ['172.31.200.0/24', 'it overlaps with 172.31.0.0/16, a network of this Node'],
    ['10.5.0.0/16', 'it contains 10.5.7.0/24, to which this Node has a route of its own'],
  ])('is not used, and that is reported: %s', (text, why) => {
    const found = read([
      announced('south', { podCIDRs: ['10.3.0.0/16'] }),
      announced('west', { podCIDRs: [text, '10.2.0.0/16'], at: 1 }),
    ]);
    expect(rangesOf(found)).toEqual(['south 10.3.0.0/16', 'west 10.2.0.0/16']);
    expect(found.messages).toEqual([`Pod CIDR "${text}" of cluster west is not used: ${why}.`]);
  });

  test('belongs to the cluster that is known for longest, whatever the order and the names', () => {
    const found = read([
      announced('a', { podCIDRs: ['10.2.0.0/16'], at: 9 }),
      announced('b', { podCIDRs: ['10.2.0.0/16'] }),
    ]);
    expect(rangesOf(found)).toEqual(['b 10.2.0.0/16']);
  });

  test('comes before any Service CIDR, also of a cluster that is known for longer', () => {
    const found = read([
      announced('a', { serviceCIDR: '10.2.0.0/16' }),
      announced('b', { podCIDRs: ['10.2.0.0/16'], at: 9 }),
    ]);
    expect(rangesOf(found)).toEqual(['b 10.2.0.0/16']);
    expect(found.remotes[0]?.unusedServiceCIDR?.why).toBe('it overlaps with 10.2.0.0/16, a Pod CIDR of cluster b');
  });

  test('is not reported where virtual ranges stand for it in both clusters', () => {
    const pair = { own: cidr('10.1.0.0/16'), virtual: cidr('100.64.0.0/16') };
    const virtual = { [Annotation.virtualPodCIDRs]: '10.1.0.0/16=100.65.0.0/16' };
    const found = read([announced('west', { podCIDRs: ['10.1.0.0/16', '100.65.0.0/16'], annotations: virtual })], {
      virtualCIDRs: [pair],
    });
    expect([rangesOf(found), found.messages]).toEqual([['west 100.65.0.0/16'], []]);
  });

  test('is one of 64 at most', () => {
    const podCIDRs = Array.from({ length: 65 }, (_, index) => `10.2.${index}.0/24`);
    const found = read([announced('west', { podCIDRs })]);
    expect([rangesOf(found).length, found.messages]).toEqual([
      64,
      ['Only the first 64 of the Pod CIDRs of cluster west are used.'],
    ]);
  });
});

describe('another cluster', () => {
  test('without an ID is not used, and one that is announced twice is used once', () => {
    const found = read([
      announced(''),
      { ...announced('west'), metadata: { ...announced('west').metadata, name: 'again' } },
      announced('west', { at: 1 }),
    ]);
    expect(found.remotes.map(({ clusterID }) => clusterID)).toEqual(['west']);
    expect(found.messages).toEqual([
      'spec.clusterID is empty, so the network of the cluster is not used.',
      'The network of cluster west is not used: ClusterInfoImport again announces that cluster already.',
    ]);
  });

  test.each([
    ['False', true],
    ['True', undefined],
  ] as const)('is reached or not by its condition: %s', (status, isUnreached) => {
    const conditions = [{ type: 'Reachable', status }];
    expect(read([announced('west', { conditions })]).remotes[0]?.isUnreached).toBe(isUnreached);
  });

  test.each([
    ['of its Pods', {}, ['10.2.1.0']],
    ['not where it has virtual ranges', { [Annotation.virtualPodCIDRs]: '10.2.0.0/16=100.65.0.0/16' }, undefined],
  ])('is asked past the tunnels under addresses %s', (_, more, expected) => {
    const annotations = { [Annotation.directProbes]: '10.2.1.0,10.9.1.0', ...more };
    const [remote] = read([announced('west', { podCIDRs: ['10.2.0.0/16', '100.65.0.0/16'], annotations })]).remotes;
    expect(remote?.directProbes?.map(addressText)).toEqual(expected);
  });
});

describe('a Service CIDR of another cluster', () => {
  test.each([
    ['10.97.0.0/16', 'isthmus', '10.97.0.0/16', undefined, undefined],
    ['10.97.0.0/16', undefined, '10.97.0.0/16', undefined, true],
    [
      '10.97.0.0/16',
      'antrea',
      undefined,
      'the data plane of that cluster is antrea, which does not exchange packets with agents of Isthmus',
      undefined,
    ],
    ['10.1.0.0/24', 'isthmus', undefined, 'it overlaps with 10.1.0.0/16, a Pod CIDR of this cluster', undefined],
  ])('%s is used, or why it is not is known: data plane %s', (serviceCIDR, dataPlane, used, why, isUnannounced) => {
    const annotations = dataPlane === undefined ? {} : { [Annotation.dataPlane]: dataPlane };
    const { remotes, messages } = read([announced('west', { serviceCIDR, annotations })]);
    const [remote] = remotes;
    expect([
      remote?.serviceCIDR && cidrText(remote.serviceCIDR),
      remote?.unusedServiceCIDR?.why,
      remote?.isUnannounced,
    ]).toEqual([used, why, isUnannounced]);
    expect(messages).toEqual([]);
  });

  test('that is not valid is reported', () => {
    expect(read([announced('west', { serviceCIDR: '10.97' })]).messages).toEqual([
      'Service CIDR "10.97" of cluster west is not used: it is not valid.',
    ]);
  });
});

describe('a gateway of another cluster', () => {
  test.each([
    ['nowhere', '"nowhere" of cluster west is not used: it is not valid'],
    ['127.0.0.1', '"127.0.0.1" of cluster west is not used: it is a loopback address'],
    ['172.30.1.1', '"172.30.1.1" of cluster west is not used: it is the address of Node node-1 of this cluster'],
  ])('is not used, and that is reported: %s', (gatewayIP, why) => {
    const found = read([announced('west', { gatewayInfos: [{ gatewayIP }, { gatewayIP: '172.30.2.1' }] })]);
    expect(gatewaysOf(found)).toEqual(['west 172.30.2.1']);
    expect(found.messages).toEqual([`The gateway address ${why}.`]);
  });

  test('counts once, and may be one of several clusters', () => {
    const gatewayInfos = [{ gatewayIP: '172.30.2.1' }, { gatewayIP: '172.30.2.1' }];
    const found = read([announced('south', { gatewayInfos }), announced('west', { gatewayInfos, at: 1 })]);
    expect([gatewaysOf(found), found.messages]).toEqual([['south 172.30.2.1', 'west 172.30.2.1'], []]);
  });

  test('is not used where it has the address of another one in tunnels', () => {
    const gatewayInfos = ['fd00::9add:a4e9:3454', 'fd00::7246:54e:8d06'].map((gatewayIP) => ({ gatewayIP }));
    const found = read([announced('west', { gatewayInfos })]);
    expect(gatewaysOf(found)).toEqual(['west fd00::9add:a4e9:3454']);
    expect(found.messages[0]).toContain('in tunnels it has the same address as gateway fd00::9add:a4e9:3454.');
  });

  const keysOf = ({ remotes }: ReturnType<typeof read>) => remotes.map(({ publicKeys }) => publicKeys);
  test.each<[string, ClusterInfoImport['spec'], Readonly<Record<string, string>>, string | undefined]>([
    [
      'of its own',
      { gatewayInfos: [{ gatewayIP: '172.30.2.1', publicKey: key(1) }] },
      { '172.30.2.1': key(1) },
      undefined,
    ],
    [
      'where older members have that of the first gateway',
      { gatewayInfos: [{ gatewayIP: '172.30.2.1' }], wireGuard: { publicKey: key(1) } },
      { '172.30.2.1': key(1) },
      undefined,
    ],
    [
      'that is not valid',
      { gatewayInfos: [{ gatewayIP: '172.30.2.1', publicKey: 'short' }] },
      {},
      'The key of gateway 172.30.2.1 of cluster west is not used',
    ],
    [
      'of a gateway of another cluster',
      { gatewayInfos: [{ gatewayIP: '172.30.2.1', publicKey: key(9) }] },
      {},
      'a gateway of cluster south has it',
    ],
    [
      'for an address of another cluster',
      { gatewayInfos: [{ gatewayIP: '172.30.3.1', publicKey: key(1) }] },
      {},
      'cluster south has a gateway with that address',
    ],
    [
      'that is missing',
      { gatewayInfos: [{ gatewayIP: '172.30.2.1' }] },
      {},
      'has no WireGuard public key, so nothing is sent to it',
    ],
  ])('has a key, or that is reported where packets are encrypted: %s', (_, spec, expected, message) => {
    const south = announced('south', { gatewayInfos: [{ gatewayIP: '172.30.3.1', publicKey: key(9) }] });
    const found = read([south, announced('west', { ...spec, at: 1 })], { isEncrypted: true });
    expect(keysOf(found)[1]).toEqual(expected);
    expect(found.messages).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
  });

  test('needs no key where packets are not encrypted', () => {
    expect(read([announced('west', { gatewayInfos: [{ gatewayIP: '172.30.2.1' }] })]).messages).toEqual([]);
  });
});
