import { parseVirtualPodCIDRs } from '@isthmus/api';
import { parseCidr } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import type { AnnouncedNetwork } from './judge-ranges.ts';
import { contend, judgeRanges, stakeOf } from './judge-ranges.ts';
import type { RangeRules } from './range-rules.ts';

const network = (
  clusterID: string,
  [serviceCIDR, ...podCIDRs]: readonly (string | undefined)[],
  more: Partial<AnnouncedNetwork> = {},
): AnnouncedNetwork => ({
  clusterID,
  announced: { clusterID, serviceCIDR, podCIDRs: podCIDRs.filter((text) => text !== undefined) },
  published: undefined,
  since: '2026-11-23T10:00:00Z',
  ...more,
});
const later = { since: '2026-11-23T11:00:00Z' };
const rules = (more: Partial<RangeRules> = {}): RangeRules => ({
  allowed: [],
  pool: [],
  endpointIPTypeOf: () => 'ClusterIP',
  ...more,
});
/**
 * The usable ranges of a network, such as `10.96.0.0/16 10.10.0.0/16`; `-` if it is not published.
 */
const usable = (networks: readonly AnnouncedNetwork[], clusterID: string, more?: Partial<RangeRules>) => {
  const found = judgeRanges(networks, rules(more)).usableOf(clusterID);
  return found === undefined ? '-' : [found.serviceCIDR, ...(found.podCIDRs ?? [])].join(' ');
};
const east = network('east', ['10.96.0.0/16', '10.10.0.0/16']);

describe('what to do about a range', () => {
  const cures = (
    ranges: readonly (string | undefined)[],
    more?: Partial<RangeRules>,
    networks: readonly AnnouncedNetwork[] = [east],
  ) =>
    judgeRanges([...networks, network('west', ranges, later)], rules(more))
      .findingsOf('west')
      .map(({ cure }) => cure);

  it.each<[string, readonly string[], Partial<RangeRules>, string]>([
    [
      'Service CIDRs that overlap',
      ['10.96.0.0/16'],
      {},
      'Correct serviceCIDR in the configuration of west. If it is the real range of both clusters, set endpointIPType: PodIP in west and east.',
    ],
    ['Pod CIDRs that overlap', ['10.97.0.0/16', '10.10.0.0/16'], {}, 'Correct podCIDRs in the configuration of west.'],
    ['loopback addresses', ['10.97.0.0/16', '127.0.0.0/8'], {}, 'Correct podCIDRs in the configuration of west.'],
    [
      'a list of the leader without it',
      ['10.97.0.0/16'],
      { allowed: [parseCidr('10.96.0.0/16'), parseCidr('10.10.0.0/16')].flatMap((cidr) => cidr ?? []) },
      'Correct serviceCIDR in the configuration of west, or add the range to allowedCIDRs of the leader.',
    ],
  ])('is in the finding: %s', (_, ranges, more, expected) => {
    expect(cures(ranges, more)).toEqual([expected]);
  });
});

describe('the ranges of two clusters', () => {
  it('are used where they do not overlap', () => {
    const west = network('west', ['10.97.0.0/16', '10.11.0.0/16']);
    expect([usable([east, west], 'east'), usable([east, west], 'west')]).toEqual([
      '10.96.0.0/16 10.10.0.0/16',
      '10.97.0.0/16 10.11.0.0/16',
    ]);
  });

  it.each([
    ['a Pod CIDR in one of the other', ['10.97.0.0/16', '10.10.3.0/24'], '10.97.0.0/16'],
    [
      'a Pod CIDR around one of the other',
      ['10.97.0.0/16', '10.0.0.0/12', '10.64.0.0/16'],
      '10.97.0.0/16 10.64.0.0/16',
    ],
    ['a Pod CIDR in the Service CIDR of the other', ['10.97.0.0/16', '10.96.128.0/17'], '10.97.0.0/16'],
    ['the same Service CIDR', ['10.96.0.0/16', '10.11.0.0/16'], '-'],
    ['a Service CIDR in a Pod CIDR of the other', ['10.10.0.0/20'], '-'],
  ])('are used of the earlier one alone where the later one has %s', (_, ranges, expected) => {
    const west = network('west', ranges, later);
    const both = [west, east];
    expect(usable(both, 'west')).toBe(expected);
    expect(usable(both, 'east')).toBe('10.96.0.0/16 10.10.0.0/16');
    const { findingsOf } = judgeRanges(both, rules());
    expect(findingsOf('west')).toEqual(findingsOf('east'));
    expect(findingsOf('west')).toMatchObject([{ reason: 'RangeOverlaps', clusterID: 'west', other: 'east' }]);
    expect(findingsOf('south')).toEqual([]);
  });

  it('are reported with both clusters and both ranges', () => {
    const west = network('west', ['10.97.0.0/16', '10.10.3.0/24'], later);
    expect(
      judgeRanges([east, west], rules())
        .findingsOf('east')
        .map(({ message }) => message),
    ).toEqual([
      'Cluster west announces Pod CIDR 10.10.3.0/24, which overlaps with Pod CIDR 10.10.0.0/16 of cluster east, announced earlier. The range of west is not used.',
    ]);
  });
});

describe('the earlier of two ranges', () => {
  const same = ['10.96.0.0/16'];
  it.each<[string, Partial<AnnouncedNetwork>, Partial<AnnouncedNetwork>]>([
    ['the published one, however old the exports are', later, {}],
    ['of two published ones that of the older export', {}, { ...later, published: { serviceCIDR: '10.96.0.0/16' } }],
    ['of exports of one age that of the first cluster by ID', {}, {}],
  ])('is %s', (title, ofEast, ofWest) => {
    const isPublished = title.includes('published');
    const published = isPublished ? { published: { serviceCIDR: '10.96.0.0/16' } } : {};
    const both = [network('west', same, ofWest), network('east', same, { ...ofEast, ...published })];
    expect([usable(both, 'east'), usable(both, 'west')]).toEqual(['10.96.0.0/16', '-']);
  });

  it('is not one that a cluster has added to what is published of it', () => {
    const hostile = network('hostile', ['10.98.0.0/16', '10.96.0.0/15'], {
      since: '2020-01-01T00:00:00Z',
      published: { serviceCIDR: '10.98.0.0/16' },
    });
    const victim = network('victim', same, { ...later, published: { serviceCIDR: '10.96.0.0/16' } });
    expect([usable([hostile, victim], 'hostile'), usable([hostile, victim], 'victim')]).toEqual([
      '10.98.0.0/16',
      '10.96.0.0/16',
    ]);
  });

  it('keeps another from being used only while it is used itself', () => {
    const first = network('a', ['10.0.0.0/16']);
    const wide = network('b', ['10.0.0.0/15'], later);
    const third = network('c', ['10.1.0.0/16'], { since: '2026-11-23T12:00:00Z' });
    expect(['a', 'b', 'c'].map((id) => usable([third, wide, first], id))).toEqual(['10.0.0.0/16', '-', '10.1.0.0/16']);
  });
});

describe('Service CIDRs that overlap', () => {
  const both = [east, network('west', ['10.96.0.0/16'], later)];
  it('are used where both clusters have Pod IPs as endpoints', () => {
    expect(usable(both, 'west', { endpointIPTypeOf: () => 'PodIP' })).toBe('10.96.0.0/16');
  });

  it('are not where one of them has ClusterIPs', () => {
    const endpointIPTypeOf = (clusterID: string) => (clusterID === 'west' ? 'PodIP' : 'ClusterIP');
    expect(usable(both, 'west', { endpointIPTypeOf })).toBe('-');
  });

  it('with a Pod CIDR are not, whatever the endpoints are', () => {
    const west = network('west', ['10.10.0.0/16'], later);
    expect(usable([east, west], 'west', { endpointIPTypeOf: () => 'PodIP' })).toBe('-');
  });
});

describe('a gateway of another cluster', () => {
  const at = (gatewayIP: string, publicKey?: string) => ({
    gatewayInfos: [{ gatewayIP }],
    ...(publicKey !== undefined && { wireGuard: { publicKey } }),
  });
  const key = `${'A'.repeat(42)}E=`;
  const withGateway = (one: AnnouncedNetwork, gateway: object): AnnouncedNetwork => ({
    ...one,
    announced: { ...one.announced, ...gateway },
  });

  it('is not published for a later cluster: both report it, and without another gateway nothing of it is published', () => {
    const west = network('west', ['10.97.0.0/16'], later);
    const both = [withGateway(west, at('192.0.2.1')), withGateway(east, at('192.0.2.1'))];
    const { usableOf, findingsOf } = judgeRanges(both, rules());
    expect([usableOf('east')?.gatewayInfos, usableOf('west')]).toEqual([[{ gatewayIP: '192.0.2.1' }], undefined]);
    expect(findingsOf('east')).toEqual(findingsOf('west'));
    expect(findingsOf('west')).toEqual([
      {
        reason: 'GatewayTaken',
        clusterID: 'west',
        other: 'east',
        message:
          'Cluster west announces gateway 192.0.2.1 with the address of gateway 192.0.2.1 of cluster east. So the network of west is not published.',
        cure: 'Give that gateway another address; if it belongs to west, grant it on the leader, in spec.gateways of KnownCluster west: kubectl explain knowncluster.spec.gateways',
      },
    ]);
  });

  it('keeps its key, and contends with who announces it', () => {
    const thief = withGateway(network('a', ['10.97.0.0/16'], later), at('192.0.2.9', key));
    const owner = withGateway(east, at('192.0.2.1', key));
    const { usableOf, findingsOf } = judgeRanges([thief, owner], rules());
    expect([usableOf('east')?.wireGuard, usableOf('a')?.wireGuard]).toEqual([{ publicKey: key }, undefined]);
    expect(usableOf('a')?.gatewayInfos).toEqual([{ gatewayIP: '192.0.2.9' }]);
    expect(findingsOf('east')[0]?.message).toBe(
      'Cluster a announces gateway 192.0.2.9 with the public key of gateway 192.0.2.1 of cluster east. The key is not published for a, so nothing is sent to this gateway where packets are encrypted.',
    );
    expect(contend(stakeOf(thief.announced), stakeOf(owner.announced))).toBe(true);
    expect(contend(stakeOf(thief.announced), stakeOf(at('192.0.2.1')))).toBe(false);
  });

  it('is granted by name to the cluster that has it later', () => {
    const west = network('west', ['10.97.0.0/16'], { ...later, isNamed: (field) => field === 'gateways' });
    const both = [withGateway(west, at('192.0.2.1')), withGateway(east, at('192.0.2.1'))];
    const { usableOf } = judgeRanges(both, rules());
    expect([usableOf('east'), usableOf('west')?.gatewayInfos]).toEqual([undefined, [{ gatewayIP: '192.0.2.1' }]]);
  });
});

describe('a range that contains a gateway of another cluster', () => {
  const gatewayInfos = [{ gatewayIP: '192.0.2.1' }, { gatewayIP: '198.51.100.1' }];
  const withGateways = (more: Partial<AnnouncedNetwork> = {}) => ({
    ...east,
    announced: { ...east.announced, gatewayInfos },
    ...more,
  });

  it.each([
    ['Pod CIDR', ['10.97.0.0/16', '192.0.2.0/24', '10.11.0.0/16'], '10.97.0.0/16 10.11.0.0/16'],
    ['Pod CIDR of that address alone', ['10.97.0.0/16', '198.51.100.1/32'], '10.97.0.0/16'],
    ['Service CIDR', ['192.0.2.0/24'], '-'],
  ])('is not used as a %s: packets between the others would go to its cluster', (_, ranges, expected) => {
    const both = [network('west', ranges, later), withGateways()];
    expect(usable(both, 'west')).toBe(expected);
    expect(usable(both, 'east')).toBe('10.96.0.0/16 10.10.0.0/16');
    const { findingsOf } = judgeRanges(both, rules());
    expect(findingsOf('east')).toEqual(findingsOf('west'));
    expect(findingsOf('west')).toMatchObject([{ reason: 'RangeOverlaps', clusterID: 'west', other: 'east' }]);
  });

  it('is reported with the gateway', () => {
    const both = [network('west', ['10.97.0.0/16', '192.0.2.0/24'], later), withGateways()];
    expect(
      judgeRanges(both, rules())
        .findingsOf('west')
        .map(({ message }) => message),
    ).toEqual([
      'Cluster west announces Pod CIDR 192.0.2.0/24, which contains gateway 192.0.2.1 of cluster east. The range of west is not used.',
    ]);
  });

  it('is not used either where its cluster was there before', () => {
    const hostile = network('a', ['10.97.0.0/16', '192.0.2.0/24'], { since: '2020-01-01T00:00:00Z' });
    expect(usable([hostile, withGateways(later)], 'a')).toBe('10.97.0.0/16');
  });

  it('stays in use where it was published before, and is reported: nobody takes a range by a gateway in it', () => {
    const ranges = ['10.97.0.0/16', '192.0.2.0/24'];
    const published = { serviceCIDR: '10.97.0.0/16', podCIDRs: ['192.0.2.0/24'] };
    const before = { ...east.announced, gatewayInfos: [{ gatewayIP: '203.0.113.1' }] };
    const both = [
      network('west', ranges, { ...later, published }),
      withGateways({ since: '2020-01-01T00:00:00Z', published: before }),
    ];
    expect(usable(both, 'west')).toBe('10.97.0.0/16 192.0.2.0/24');
    const { findingsOf, usableOf } = judgeRanges(both, rules());
    expect(usableOf('east')?.gatewayInfos).toEqual(gatewayInfos);
    expect(findingsOf('west')).toEqual(findingsOf('east'));
    expect(findingsOf('east').map(({ message }) => message)).toEqual([
      'Cluster east announces gateway 192.0.2.1, which is in Pod CIDR 192.0.2.0/24 of cluster west, announced earlier. Agents send packets for this gateway to west.',
    ]);
  });

  it('is of no consequence where it is the Service CIDR of a cluster with Pod IPs as endpoints, or contains its own gateway', () => {
    const west = network('west', ['192.0.2.0/24'], later);
    const endpointIPTypeOf = (clusterID: string) => (clusterID === 'west' ? 'PodIP' : 'ClusterIP');
    const found = judgeRanges([west, withGateways()], rules({ endpointIPTypeOf }));
    expect([found.usableOf('west')?.serviceCIDR, found.findingsOf('west')]).toEqual(['192.0.2.0/24', []]);
    const own = { ...withGateways(), announced: { ...withGateways().announced, podCIDRs: ['192.0.2.0/24'] } };
    expect(usable([own], 'east')).toBe('10.96.0.0/16 192.0.2.0/24');
  });

  it('takes no published range away, although an administrator granted its address', () => {
    const isNamed = () => true;
    const published = { podCIDRs: ['192.0.2.0/24'] };
    const west = network('west', ['10.97.0.0/16', '192.0.2.0/24'], { ...later, published });
    const gateway = { ...withGateways(), isNamed };
    expect(usable([gateway, west], 'west')).toBe('10.97.0.0/16 192.0.2.0/24');
  });

  it('contends with that cluster, and one gateway with the same one', () => {
    const gateway = stakeOf({ gatewayInfos });
    const range = stakeOf({ podCIDRs: ['192.0.2.0/24'] });
    expect([contend(gateway, range), contend(range, gateway), contend(gateway, gateway)]).toEqual([true, true, true]);
  });
});

describe('a range that an administrator granted by name', () => {
  const named = { isNamed: () => true };
  const published = { podCIDRs: ['10.10.0.0/16'] };

  it('comes before a published one, and the report names the reason', () => {
    const first = { ...east, published };
    const west = network('west', ['10.97.0.0/16', '10.10.0.0/24'], { ...later, ...named });
    expect(usable([first, west], 'west')).toBe('10.97.0.0/16 10.10.0.0/24');
    expect(usable([first, west], 'east')).toBe('10.96.0.0/16');
    expect(judgeRanges([first, west], rules()).findingsOf('east')[0]?.message).toContain(
      'overlaps with Pod CIDR 10.10.0.0/24 of cluster west, which an administrator granted to it',
    );
  });

  it('of both clusters stays with the one whose range is published', () => {
    const west = network('west', ['10.97.0.0/16', '10.10.0.0/24'], { ...later, ...named });
    expect(usable([{ ...east, ...named, published }, west], 'west')).toBe('10.97.0.0/16');
  });

  it('contends with what is published, although something else is announced', () => {
    const holder = stakeOf({ podCIDRs: ['10.99.0.0/16'] }, { podCIDRs: ['10.20.0.0/16'] });
    expect(contend(holder, stakeOf({ podCIDRs: ['10.20.1.0/24'] }))).toBe(true);
    expect(contend(holder, stakeOf({ podCIDRs: ['10.30.1.0/24'] }))).toBe(false);
  });
});

describe('a range that no cluster may announce', () => {
  it.each([
    ['0.0.0.0/0', 'contains unspecified addresses (0.0.0.0/8)'],
    ['127.0.0.0/8', 'contains loopback addresses (127.0.0.0/8)'],
    ['169.254.169.254/32', 'contains link-local addresses (169.254.0.0/16)'],
    ['224.0.0.0/8', 'contains multicast addresses (224.0.0.0/4)'],
    ['255.255.255.0/24', 'contains broadcast addresses (255.255.255.255/32)'],
    ['::/0', 'contains unspecified addresses (::/128)'],
    ['fe80::/64', 'contains link-local addresses (fe80::/10)'],
    ['ff02::/16', 'contains multicast addresses (ff00::/8)'],
    ['10.10.0.0', 'is not an address and a prefix length'],
    ['10.10a.0.0/16', 'is not an address and a prefix length'],
    ['10.20.0.0/16', 'allowedCIDRs in the configuration of the leader does not contain'],
  ])('is %s, as a Pod CIDR it is left out, and as a Service CIDR the network', (range, why) => {
    const allowed = range === '10.20.0.0/16' ? [parseCidr('10.96.0.0/12') ?? []].flat() : [];
    expect(usable([network('east', ['10.96.0.0/16', range])], 'east', { allowed })).toBe('10.96.0.0/16');
    expect(usable([network('east', [range])], 'east', { allowed })).toBe('-');
    expect(judgeRanges([network('east', [range])], rules({ allowed })).findingsOf('east')).toMatchObject([
      { reason: 'RangeNotAllowed', clusterID: 'east', other: undefined, message: expect.stringContaining(why) },
    ]);
  });

  it('is never one of a common cluster', () => {
    const common = ['10.96.0.0/12', '10.244.0.0/16', '192.168.0.0/16', '100.64.0.0/10', '240.0.0.0/8', 'fd00::/108'];
    expect(usable([network('east', common)], 'east')).toBe(common.join(' '));
  });
});

describe('an announced network', () => {
  it('is used in canonical form, and without empty Pod CIDRs', () => {
    expect(usable([network('east', ['10.96.1.0/12', '', 'FD00::1/64'])], 'east')).toBe('10.96.0.0/12 fd00::/64');
  });

  it('may lack a Service CIDR', () => {
    expect(usable([network('east', [undefined, '10.10.0.0/16'])], 'east')).toBe(' 10.10.0.0/16');
  });

  it('keeps its gateways and its key', () => {
    const announced = { clusterID: 'east', gatewayInfos: [{ gatewayIP: '192.0.2.1' }], wireGuard: { publicKey: 'k' } };
    expect(judgeRanges([{ ...east, announced }], rules()).usableOf('east')).toEqual(announced);
  });

  it('is used with its first 64 Pod CIDRs, where it has more', () => {
    const many = Array.from({ length: 70 }, (_, number) => `10.${number}.0.0/16`);
    expect(
      usable([network('east', [undefined, ...many])], 'east')
        .trim()
        .split(' '),
    ).toHaveLength(64);
    const { findingsOf } = judgeRanges([network('east', [undefined, ...many])], rules());
    expect(findingsOf('east').map(({ message }) => message)).toEqual([
      'Cluster east announces more than 64 Pod CIDRs; only the first 64 are used.',
    ]);
  });

  it('is read once, and no further than its ranges are used, however many it and the others list', () => {
    const reads = { texts: 0, lists: 0 };
    const counted = (texts: readonly string[]) =>
      new Proxy(texts, {
        get(list, name, receiver) {
          if (typeof name === 'string' && /^[0-9]+$/.test(name)) reads.texts += 1;
          return Reflect.get(list, name, receiver) as unknown;
        },
      });
    const podCIDRs = counted(Array.from({ length: 60_000 }, (_, at) => `10.${at >> 8}.${at % 256}.0/24`));
    const published = {
      get podCIDRs() {
        reads.lists += 1;
        return podCIDRs;
      },
    };
    const huge = { ...east, announced: { clusterID: 'east', podCIDRs }, published };
    const others = Array.from({ length: 50 }, (_, at) => network(`c${at}`, [undefined, '10.0.1.0/24'], later));
    expect(judgeRanges([huge, ...others], rules()).findingsOf('east')).toHaveLength(51);
    expect(reads.lists).toBe(1);
    expect(reads.texts).toBeLessThanOrEqual(3 * 65);
    reads.texts = 0;
    expect(stakeOf(huge.announced).ranges).toHaveLength(64);
    expect(reads.texts).toBeLessThanOrEqual(65);
  });

  it('contends with another where any of their ranges overlap, special ones aside', () => {
    const of = (...ranges: readonly string[]) => stakeOf(network('x', ranges).announced);
    expect(contend(of('10.96.0.0/16'), of('10.97.0.0/16', '10.96.3.0/24'))).toBe(true);
    expect(contend(of('10.96.0.0/16'), of('10.97.0.0/16'))).toBe(false);
    expect(contend(of('0.0.0.0/0'), of('10.97.0.0/16'))).toBe(false);
  });
});

describe('Pod CIDRs that overlap and have virtual ones', () => {
  const pairs = (text: string) => parseVirtualPodCIDRs(text);
  const pool = { pool: [parseCidr('100.64.0.0/10')].flatMap((cidr) => cidr ?? []) };
  const bridged = network('east', ['10.96.0.0/16', '10.10.0.0/16'], {
    virtual: pairs('10.10.0.0/16=100.64.0.0/16'),
  });
  const west = (more: Partial<AnnouncedNetwork> = {}) =>
    network('west', ['10.97.0.0/16', '10.10.0.0/16'], { ...later, ...more });
  const messages = (networks: readonly AnnouncedNetwork[], clusterID: string) =>
    judgeRanges(networks, rules(pool))
      .findingsOf(clusterID)
      .map(({ message, cure }) => `${message} ${cure}`);

  it('are published by these; the one that was announced first keeps its own as well, and nothing is reported', () => {
    const both = [bridged, west({ virtual: pairs('10.10.0.0/16=100.65.0.0/16') })];
    expect(usable(both, 'east', pool)).toBe('10.96.0.0/16 10.10.0.0/16 100.64.0.0/16');
    expect(usable(both, 'west', pool)).toBe('10.97.0.0/16 100.65.0.0/16');
    expect([...messages(both, 'east'), ...messages(both, 'west')]).toEqual([]);
  });

  it.each([
    [
      'unable',
      'no agents of Isthmus that translate run there. Correct podCIDRs in the configuration of west. Or run agents of this version in west.',
    ],
    ['exhausted', 'Or add ranges to virtualPodCIDRs in the configuration of the leader.'],
    ['share', 'one cluster gets at most a quarter.'],
    ['limit', 'Or announce fewer and larger podCIDRs in the configuration of west.'],
    ['part', 'Or announce each Pod CIDR of west once.'],
    ['pending', 'west gets a virtual range.'],
  ] as const)('are reported on both clusters while one of them has none: %s', (why, expected) => {
    const both = [bridged, west({ notAllotted: () => why })];
    expect(messages(both, 'west')).toHaveLength(1);
    expect(messages(both, 'west')[0]).toContain(expected);
    expect(messages(both, 'east')).toEqual(messages(both, 'west'));
    expect(usable(both, 'west', pool)).toBe('10.97.0.0/16');
  });

  it('come from the leader alone: a cluster that announces a part of its ranges gets none of it, unless it had it before', () => {
    const greedy = network('west', ['10.97.0.0/16', '100.64.0.0/10']);
    expect(usable([greedy], 'west', pool)).toBe('10.97.0.0/16');
    expect(messages([greedy], 'west')[0]).toContain(
      'Cluster west announces Pod CIDR 100.64.0.0/10, which overlaps with 100.64.0.0/10, of which only the leader gives ranges away',
    );
    const before = { published: { podCIDRs: ['100.70.0.0/16'] } };
    const had = network('west', ['10.97.0.0/16', '100.70.0.0/16'], before);
    expect(usable([had], 'west', pool)).toBe('10.97.0.0/16 100.70.0.0/16');
  });

  it('are in the way of a gateway in the ranges of the leader, which is reported', () => {
    const info = { gatewayInfos: [{ gatewayIP: '100.64.0.9' }], serviceCIDR: '10.97.0.0/16' };
    const inPool = network('west', [], { announced: info });
    expect(messages([bridged, inPool], 'west')[0]).toContain('announces gateway 100.64.0.9, which is in 100.64.0.0/10');
  });
});
