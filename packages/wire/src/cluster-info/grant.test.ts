import type { ClusterInfo, KnownCluster } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import { invalidRanges, nothingNew, readGrant, unusual, withinGrant, withoutGrant } from './grant.ts';
import { parseCidr } from '@isthmus/machinery';

const grantOf = (spec: Partial<KnownCluster['spec']>) => readGrant({ spec: { clusterID: 'east', ...spec } });
const network = (change: ClusterInfo): ClusterInfo => ({ clusterID: 'east', ...change });
const pods = (...podCIDRs: readonly string[]) => network({ podCIDRs });
const gateways = (...ips: readonly string[]) => network({ gatewayInfos: ips.map((gatewayIP) => ({ gatewayIP })) });

const key = 'A'.repeat(43) + '=';
const otherKey = 'B'.repeat(42) + 'A=';

describe('the part of a network that is granted', () => {
  const granted = grantOf({ pods: ['10.10.0.0/16', '10.20.0.0/16'] });

  it.each<
    [
      string,
      ClusterInfo,
      Parameters<typeof withinGrant>[1],
      ClusterInfo | undefined,
      readonly string[],
      readonly string[],
    ]
  >([
    ['a granted range', pods('10.10.0.0/16'), granted, undefined, ['10.10.0.0/16'], []],
    ['a narrower range', pods('10.10.7.0/24'), granted, undefined, ['10.10.7.0/24'], []],
    [
      'the granted parts of a wider range',
      pods('10.0.0.0/8'),
      granted,
      undefined,
      ['10.10.0.0/16', '10.20.0.0/16'],
      ['10.0.0.0/8'],
    ],
    [
      'not a range beside the granted ones',
      pods('10.10.0.0/16', '8.8.8.8/32'),
      granted,
      undefined,
      ['10.10.0.0/16'],
      ['8.8.8.8/32'],
    ],
    [
      'what is published, if nothing else is granted',
      pods('10.30.0.0/16'),
      granted,
      pods('10.10.0.0/16'),
      ['10.10.0.0/16'],
      ['10.30.0.0/16'],
    ],
    [
      'nothing that is published and not granted any more',
      pods('10.30.0.0/16'),
      granted,
      pods('10.30.0.0/16'),
      [],
      ['10.30.0.0/16'],
    ],
    ['nothing, if nothing is granted', pods('10.10.0.0/16'), grantOf({ pods: [] }), undefined, [], ['10.10.0.0/16']],
    [
      'any private range without a list',
      pods('10.0.0.0/8', '240.0.0.0/8'),
      withoutGrant,
      undefined,
      ['10.0.0.0/8', '240.0.0.0/8'],
      [],
    ],
    [
      'no range of the Internet without a list',
      pods('8.8.8.8/32', '10.10.0.0/16'),
      withoutGrant,
      undefined,
      ['10.10.0.0/16'],
      ['8.8.8.8/32'],
    ],
    [
      'no range of the Internet in a grant without a list',
      pods('8.8.8.8/32'),
      grantOf({}),
      undefined,
      [],
      ['8.8.8.8/32'],
    ],
    [
      'a range of the Internet that is published',
      pods('8.8.8.0/24', '10.10.0.0/16'),
      withoutGrant,
      pods('8.8.8.0/24'),
      ['8.8.8.0/24', '10.10.0.0/16'],
      [],
    ],
    [
      'a range of the Internet that is named',
      pods('8.8.8.8/32'),
      grantOf({ pods: ['8.8.8.0/24'] }),
      undefined,
      ['8.8.8.8/32'],
      [],
    ],
    ['no range wider than /8', pods('10.0.0.0/7'), withoutGrant, undefined, [], ['10.0.0.0/7']],
    [
      'only what is published, if the cluster is held',
      pods('10.10.0.0/16', '10.30.0.0/16'),
      grantOf({ state: 'Held', pods: ['10.0.0.0/8'] }),
      pods('10.10.0.0/16'),
      ['10.10.0.0/16'],
      ['10.30.0.0/16'],
    ],
    [
      'nothing of a new cluster, if nothing new is published',
      pods('10.10.0.0/16'),
      nothingNew,
      undefined,
      [],
      ['10.10.0.0/16'],
    ],
    [
      'nothing, if the cluster is refused',
      pods('10.10.0.0/16'),
      grantOf({ state: 'Refused', pods: ['10.10.0.0/16'] }),
      pods('10.10.0.0/16'),
      [],
      ['10.10.0.0/16'],
    ],
    [
      'a text that is not a range, for what reads it',
      pods('x', '10.10.0.0/16'),
      granted,
      undefined,
      ['10.10.0.0/16', 'x'],
      [],
    ],
    [
      'nothing by a grant that is not a range',
      pods('10.10.0.0/16'),
      grantOf({ pods: ['10.10.0.0'] }),
      undefined,
      [],
      ['10.10.0.0/16'],
    ],
    [
      'an IPv6 range by its own rule',
      pods('fd00:10::/32', 'fd01::/16'),
      withoutGrant,
      undefined,
      ['fd00:10::/32'],
      ['fd01::/16'],
    ],
  ])('has %s', (_what, announced, grant, published, used, asked) => {
    const judged = withinGrant(announced, grant, published);
    expect(judged.network.podCIDRs).toEqual(used);
    expect(judged.asked).toEqual({ pods: asked, services: [], gateways: [] });
  });

  it('has the Service CIDR that is granted, and otherwise the published one', () => {
    const grant = grantOf({ services: ['10.96.0.0/12'] });
    const announced = (serviceCIDR: string) => network({ serviceCIDR });
    expect(withinGrant(announced('10.96.0.0/16'), grant, undefined).network.serviceCIDR).toBe('10.96.0.0/16');
    const other = withinGrant(announced('172.30.0.0/16'), grant, announced('10.96.0.0/16'));
    expect(other.network.serviceCIDR).toBe('10.96.0.0/16');
    expect(other.asked.services).toEqual(['172.30.0.0/16']);
    expect(withinGrant(announced('172.30.0.0/16'), grant, undefined).network).not.toHaveProperty('serviceCIDR');
  });

  it.each<
    [
      string,
      ClusterInfo,
      Parameters<typeof withinGrant>[1],
      ClusterInfo | undefined,
      readonly string[],
      readonly string[],
    ]
  >([
    ['any without a list', gateways('192.0.2.1'), withoutGrant, undefined, ['192.0.2.1'], []],
    [
      'those in the granted ranges',
      gateways('192.0.2.1', '192.0.2.99'),
      grantOf({ gateways: ['192.0.2.0/28'] }),
      undefined,
      ['192.0.2.1'],
      ['192.0.2.99'],
    ],
    [
      'the published ones, if none is granted',
      gateways('192.0.2.99'),
      grantOf({ gateways: ['192.0.2.0/28'] }),
      gateways('192.0.2.2'),
      ['192.0.2.2'],
      ['192.0.2.99'],
    ],
    [
      'all of a cluster that is held and published',
      gateways('192.0.2.1', '192.0.2.2'),
      nothingNew,
      gateways('192.0.2.2'),
      ['192.0.2.1', '192.0.2.2'],
      [],
    ],
    [
      'none of a cluster that is held and not published',
      gateways('192.0.2.1'),
      nothingNew,
      undefined,
      [],
      ['192.0.2.1'],
    ],
    [
      'an IPv6 address',
      gateways('2001:db8::1'),
      grantOf({ gateways: ['2001:db8::/64'] }),
      undefined,
      ['2001:db8::1'],
      [],
    ],
    [
      'no text that is not an address',
      gateways('x', '192.0.2.1'),
      grantOf({ gateways: ['192.0.2.0/28'] }),
      undefined,
      ['192.0.2.1'],
      [],
    ],
    [
      'those in the first 64 alone',
      gateways(...Array.from({ length: 64 }, (_, at) => `198.51.100.${at}`), '192.0.2.1'),
      grantOf({ gateways: ['192.0.2.0/28'] }),
      undefined,
      [],
      Array.from({ length: 64 }, (_, at) => `198.51.100.${at}`),
    ],
    ['never a text to ask for that is not an address', gateways("'; reboot #"), nothingNew, undefined, [], []],
  ])('has of the gateways %s', (_what, announced, grant, published, used, asked) => {
    const judged = withinGrant(announced, grant, published);
    expect(judged.network.gatewayInfos?.map(({ gatewayIP }) => gatewayIP)).toEqual(used);
    expect(judged.asked.gateways).toEqual(asked);
  });

  it('is looked for in the first 64 announced ranges, however they are written and whatever is not granted of them', () => {
    const internet = Array.from({ length: 64 }, (_, at) => `8.8.${at}.1/32`);
    expect(withinGrant(pods(...internet, '10.10.0.0/16'), withoutGrant, undefined).network.podCIDRs).toEqual([]);
    const spellings = Array.from({ length: 64 }, (_, at) => `10.200.0.${at}/16`);
    const found = withinGrant(pods(...spellings, '10.10.0.0/16'), withoutGrant, undefined).network.podCIDRs;
    expect(found).toEqual(['10.200.0.0/16', '10.10.0.0/16']);
    const many = Array.from({ length: 65 }, (_, at) => `10.200.${at}.0/24`);
    expect(withinGrant(pods(...many), withoutGrant, undefined).network.podCIDRs).toEqual(many.slice(0, 64));
  });

  it('keeps what is published of a family of which nothing is granted, whatever else is announced', () => {
    const grant = grantOf({ pods: ['10.10.0.0/16', 'fd00:10::/48'] });
    const published = pods('10.10.0.0/16', 'fd00:10::/48');
    const used = (...texts: readonly string[]) => withinGrant(pods(...texts), grant, published).network.podCIDRs;
    expect(used('10.30.0.0/16', 'fd00:10::/48')).toEqual(['fd00:10::/48', '10.10.0.0/16']);
    expect(used('10.30.0.0/16', '')).toEqual(['10.10.0.0/16']);
    expect(used('10.30.0.0/16', '127.0.0.0/8')).toEqual(['10.10.0.0/16', '127.0.0.0/8']);
    expect(used('10.10.8.0/24')).toEqual(['10.10.8.0/24']);
  });

  it('has with each gateway its own key', () => {
    const gatewayInfos = [{ gatewayIP: '192.0.2.99' }, { gatewayIP: '192.0.2.1', publicKey: otherKey }];
    const announced = network({ gatewayInfos, wireGuard: { publicKey: key } });
    const grant = grantOf({ gateways: ['192.0.2.0/28'] });
    expect(withinGrant(announced, grant, undefined).network).toMatchObject({
      gatewayInfos: [{ gatewayIP: '192.0.2.1' }],
      wireGuard: { publicKey: otherKey },
    });
    const published = network({ gatewayInfos: [{ gatewayIP: '192.0.2.2' }], wireGuard: { publicKey: otherKey } });
    const moved = network({ gatewayInfos: [{ gatewayIP: '192.0.2.99' }], wireGuard: { publicKey: key } });
    expect(withinGrant(moved, grant, published).network).toEqual(published);
  });

  it('keeps everything else of the network', () => {
    const announced = network({ wireGuard: { publicKey: key } });
    expect(withinGrant(announced, withoutGrant, undefined).network).toEqual(announced);
  });
});

it.each([
  ['10.0.0.0/8', undefined],
  ['100.64.0.0/10', undefined],
  ['fd00:10::/32', undefined],
  ['128.0.0.0/4', 'is wider than /8'],
  ['10.0.20.15/32', 'is narrower than /28'],
  ['10.0.20.0/28', undefined],
  ['34.118.224.0/20', undefined],
  ['34.118.0.0/16', 'has addresses of the Internet'],
  ['127.0.0.0/8', undefined],
  ['fd01::/16', 'is wider than /32'],
  ['172.0.0.0/8', 'has addresses of the Internet'],
  ['2a00:1450::/32', 'has addresses of the Internet'],
])('a person has to name %s: %s', (text, why) => {
  const range = parseCidr(text);
  expect(range && unusual(range)).toBe(why);
});

it('the texts of a grant that are not ranges are known', () => {
  const spec = { clusterID: 'east', pods: ['10.10.0.0/16', '10.10.0.0'], gateways: ['192.0.2.1'] };
  expect(invalidRanges({ metadata: { name: 'east' }, spec })).toEqual(['10.10.0.0', '192.0.2.1']);
});
