import { describe, expect, it } from 'vitest';
import { mergeService } from '../merge-service.ts';
import { exportOf, ports, t1, t2 } from '../testing/exports.ts';
import type { ExportedEndpoints, ExportedServiceSpec, Merged } from '../types.ts';

/** The merged endpoints of one cluster that exports these ports. */
function mergedOf(portList: string, endpoints: ExportedEndpoints, spec: ExportedServiceSpec = {}): Merged {
  return mergeService([{ ...exportOf('east', t1, portList, spec), endpointIPType: 'PodIP', endpoints }]);
}

const slicesOf = (merged: Merged) => merged.perCluster.get('east');
const ips = (...addresses: string[]) => addresses.map((ip) => ({ ip }));
const ready = (address: string) => ({ addresses: [address], conditions: { ready: true } });
const notReady = (address: string) => ({ addresses: [address], conditions: { ready: false } });
const http = ports('http TCP 8080');

describe('the merged Endpoints', () => {
  it('join subsets with the same ports, each address once, sorted bytewise', () => {
    const merged = mergedOf('http TCP 80', {
      subsets: [
        { addresses: ips('10.0.0.9'), ports: http },
        { addresses: ips('10.0.0.9', '10.0.0.10'), ports: http },
        { addresses: ips('10.0.0.9', '10.0.0.10', '10.0.0.1'), ports: http },
      ],
    });
    expect(merged.subsets).toEqual([{ addresses: ips('10.0.0.1', '10.0.0.10', '10.0.0.9'), ports: http }]);
  });

  it('keep subsets with other target ports apart, and ports in the order of the import', () => {
    const merged = mergedOf('http TCP 80, admin TCP 81', {
      subsets: [
        { addresses: ips('10.0.0.2'), ports: ports('admin TCP 9001, http TCP 8080') },
        { addresses: ips('10.0.0.1'), ports: ports('http TCP 8080, admin TCP 9000') },
      ],
    });
    expect(merged.subsets).toEqual([
      { addresses: ips('10.0.0.1'), ports: ports('http TCP 8080, admin TCP 9000') },
      { addresses: ips('10.0.0.2'), ports: ports('http TCP 8080, admin TCP 9001') },
    ]);
  });

  it('leave out subsets without ready addresses, without ports, and without a port that may be used', () => {
    const merged = mergedOf('http TCP 80', {
      subsets: [
        { notReadyAddresses: ips('10.0.0.1'), ports: http },
        { addresses: ips('10.0.0.2') },
        { addresses: ips('10.0.0.3'), ports: ports('admin TCP 9000, http UDP 8080') },
        {},
      ],
    });
    expect(merged.subsets).toEqual([]);
  });

  it('come from the ready IPv4 endpoints of the slices where no subsets were sent', () => {
    const endpointSlices = [
      {
        addressType: 'IPv4',
        endpoints: [ready('10.0.0.1'), notReady('10.0.0.2'), { addresses: ['10.0.0.3'] }],
        ports: http,
      },
      { addressType: 'IPv6', endpoints: [ready('fd00::1')], ports: http },
    ];
    expect(mergedOf('http TCP 80', { endpointSlices }).subsets).toEqual([
      { addresses: ips('10.0.0.1', '10.0.0.3'), ports: http },
    ]);
  });

  it.each<[string, readonly object[]]>([
    ['lack one', []],
    ['have another one', [{ addresses: ips('10.0.0.1', '8.8.8.8'), ports: http }]],
    ['have another port', [{ addresses: ips('10.0.0.1'), ports: ports('http TCP 81') }]],
    ['have one that is not ready', [{ addresses: ips('10.0.0.1', '10.0.0.2'), ports: http }]],
  ])('come from the slices where subsets %s, and that is reported', (_, subsets) => {
    const endpointSlices = [
      { addressType: 'IPv4', endpoints: [ready('10.0.0.1'), notReady('10.0.0.2')], ports: http },
      { addressType: 'IPv6', endpoints: [ready('fd00::1')], ports: http },
    ];
    const merged = mergedOf('http TCP 80', { endpointSlices, subsets });
    expect(merged.subsets).toEqual([{ addresses: ips('10.0.0.1'), ports: http }]);
    expect(merged.problems.map(({ message }) => message)).toEqual([
      'endpoints and endpointSlices are not the same endpoints; those of endpointSlices are used',
    ]);
  });
});

describe('the slices of one cluster', () => {
  it('carry readiness, host name and zone, and nothing that names a Node or a Pod', () => {
    const endpoint = {
      addresses: ['10.0.0.1'],
      conditions: { ready: false, serving: true, terminating: true },
      hostname: 'cart-0',
      zone: 'eu-1',
    };
    const sent = { ...endpoint, nodeName: 'n1', targetRef: { kind: 'Pod', name: 'cart-0' }, hints: { forZones: [] } };
    expect(
      slicesOf(mergedOf('http TCP 80', { endpointSlices: [{ addressType: 'IPv4', endpoints: [sent], ports: http }] })),
    ).toEqual([{ addressType: 'IPv4', endpoints: [endpoint], ports: http }]);
  });

  it('are one per family and set of ports, however they were cut, sorted by address', () => {
    const merged = mergedOf('http TCP 80', {
      endpointSlices: [
        { addressType: 'IPv6', endpoints: [ready('FD00::0:1')], ports: http },
        { addressType: 'IPv4', endpoints: [ready('10.0.0.2')], ports: http },
        { addressType: 'IPv4', endpoints: [ready('10.0.0.1')], ports: http },
        { addressType: 'IPv4', endpoints: [ready('10.0.0.3')], ports: ports('http TCP 8081') },
      ],
    });
    expect(slicesOf(merged)).toEqual([
      { addressType: 'IPv4', endpoints: [ready('10.0.0.1'), ready('10.0.0.2')], ports: http },
      { addressType: 'IPv4', endpoints: [ready('10.0.0.3')], ports: ports('http TCP 8081') },
      { addressType: 'IPv6', endpoints: [ready('fd00::1')], ports: http },
    ]);
  });

  it.each([
    ['ready before not ready', [notReady('10.0.0.1'), ready('10.0.0.1')], ready('10.0.0.1')],
    [
      'serving before not serving',
      [
        { addresses: ['10.0.0.1', '10.0.0.9'], conditions: { ready: false } },
        { addresses: ['10.0.0.1'], conditions: { ready: false, serving: true } },
      ],
      { addresses: ['10.0.0.1'], conditions: { ready: false, serving: true } },
    ],
  ])('have an address once: %s', (_, endpoints, kept) => {
    for (const order of [endpoints, endpoints.toReversed()]) {
      const endpointSlices = order.map((endpoint) => ({ addressType: 'IPv4', endpoints: [endpoint], ports: http }));
      expect(slicesOf(mergedOf('http TCP 80', { endpointSlices }))).toEqual([
        { addressType: 'IPv4', endpoints: [kept], ports: http },
      ]);
    }
  });

  it('come from the subsets where a member sent no slices, not-ready addresses included', () => {
    const subsets = [{ addresses: ips('10.0.0.2', 'fd00::1'), notReadyAddresses: ips('10.0.0.1'), ports: http }];
    expect(slicesOf(mergedOf('http TCP 80', { subsets }))).toEqual([
      { addressType: 'IPv4', endpoints: [notReady('10.0.0.1'), ready('10.0.0.2')], ports: http },
      { addressType: 'IPv6', endpoints: [ready('fd00::1')], ports: http },
    ]);
  });

  it('have at most 100 addresses per endpoint, as the API server takes them', () => {
    const addresses = Array.from({ length: 101 }, (_, index) => `10.0.0.${index + 1}`);
    const endpointSlices = [{ addressType: 'IPv4', endpoints: [{ addresses }], ports: http }];
    expect(slicesOf(mergedOf('http TCP 80', { endpointSlices }))?.[0]?.endpoints).toEqual([
      { addresses: addresses.slice(0, 100) },
    ]);
  });

  it('do not exist where there is no endpoint, and the cluster still has its entry', () => {
    expect(
      slicesOf(mergedOf('http TCP 80', { endpointSlices: [{ addressType: 'IPv4', endpoints: [], ports: http }] })),
    ).toEqual([]);
    const waiting = mergeService([exportOf('east', t1, 'http TCP 80')]);
    expect(waiting.perCluster).toEqual(new Map([['east', []]]));
    expect(waiting.subsets).toEqual([]);
  });

  it('serve the unnamed port of the Service under no name, however its absence is written', () => {
    for (const name of [undefined, null, '']) {
      const endpointSlices = [
        { addressType: 'IPv4', endpoints: [ready('10.0.0.1')], ports: [{ name, port: 8080, protocol: null }] },
      ];
      expect(slicesOf(mergedOf('- TCP 80', { endpointSlices }))?.[0]?.ports).toStrictEqual([
        { port: 8080, protocol: 'TCP' },
      ]);
    }
  });
});

describe('a headless Service without ports', () => {
  const endpointSlices = [{ addressType: 'IPv4', endpoints: [ready('10.0.0.1')], ports: null }];

  it('keeps its endpoints for DNS', () => {
    const merged = mergedOf('', { endpointSlices }, { clusterIP: 'None' });
    expect(slicesOf(merged)).toEqual([{ addressType: 'IPv4', endpoints: [ready('10.0.0.1')], ports: [] }]);
    expect(merged.subsets).toEqual([]);
    expect(merged.problems).toEqual([]);
  });

  it.each([
    ['has ports', 'http TCP 80', { clusterIP: 'None' }],
    ['is not headless', '', {}],
  ])('is the only one that may: not a Service that %s', (_, portList, spec) => {
    expect(slicesOf(mergedOf(portList, { endpointSlices }, spec))).toEqual([]);
  });

  it('does not keep endpoints without ports under a ClusterSetIP', () => {
    const older = exportOf('a', t1, 'http TCP 80');
    const younger = { ...exportOf('east', t2, '', { clusterIP: 'None' }), endpoints: { endpointSlices } };
    expect(slicesOf(mergeService([older, younger]))).toEqual([]);
  });
});

describe('endpoints that cannot be valid are left out and reported', () => {
  const slice = (endpoints: unknown, extra: object = {}) => ({
    endpointSlices: [{ addressType: 'IPv4', endpoints, ports: http, ...extra }],
  });
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['no object', 'none', 'endpoints: expected an object, got "none"; ignored'],
    ['no list of subsets', { subsets: {} }, 'subsets: expected a list, got an object; ignored'],
    ['no list of slices', { endpointSlices: 1 }, 'endpointSlices: expected a list, got 1; ignored'],
    [
      'a slice that is none',
      { endpointSlices: [null] },
      'endpointSlices[0]: expected an object, got nothing; left out',
    ],
    [
      'host names',
      slice([], { addressType: 'FQDN' }),
      'endpointSlices[0]: addressType "FQDN" is neither IPv4 nor IPv6; left out',
    ],
    ['no list of endpoints', slice('x'), 'endpointSlices[0].endpoints: expected a list, got "x"; ignored'],
    [
      'no address',
      slice([ready('cart.example')]),
      'endpointSlices[0].endpoints: "cart.example" is not an IP address; left out',
    ],
    [
      'an address of the other family',
      slice([ready('fd00::1')]),
      'endpointSlices[0].endpoints: "fd00::1" is not an IPv4 address; left out',
    ],
    [
      'a subset address that is none',
      { subsets: [{ addresses: [{}], ports: http }] },
      'subsets[0].addresses: nothing is not an IP address; left out',
    ],
    [
      'a port without a number',
      slice([], { ports: [{ name: 'http' }] }),
      'endpointSlices[0].ports: "http" has no valid name, number or protocol; left out',
    ],
    [
      'a name twice',
      slice([], { ports: [...http, ...ports('http TCP 1')] }),
      'endpointSlices[0].ports: name "http" is used by an earlier port; left out',
    ],
  ];

  it.each(cases)('%s', (_, endpoints, message) => {
    const merged = mergedOf('http TCP 80', endpoints as ExportedEndpoints);
    expect(merged.problems).toEqual([{ clusterID: 'east', message }]);
    expect(merged.subsets).toEqual([]);
    expect(slicesOf(merged)).toEqual([]);
  });

  it.each([
    ['0.0.0.0', 'an unspecified'],
    ['0.1.2.3', 'an unspecified'],
    ['127.0.0.1', 'a loopback'],
    ['169.254.169.254', 'a link-local'],
    ['224.0.0.1', 'a multicast'],
    ['239.1.1.1', 'a multicast'],
    ['255.255.255.255', 'a broadcast'],
    ['::', 'an unspecified'],
    ['::1', 'a loopback'],
    ['fe80::1', 'a link-local'],
    ['ff02::1', 'a multicast'],
    ['fd00:ec2::254', 'a metadata'],
    ['fd00:ec2::23', 'a metadata'],
    ['fd20:ce::254', 'a metadata'],
    ['168.63.129.16', 'a metadata'],
    ['100.100.100.200', 'a metadata'],
    ['192.0.0.192', 'a metadata'],
    ['64:ff9b::a83f:8110', 'a metadata'],
    ['64:ff9b:1::a9fe:a9fe', 'a link-local'],
    ['::ffff:0:7f00:1', 'a loopback'],
    ['::7f00:1', 'a loopback'],
    ['64:ff9b::7f00:1', 'a loopback'],
    ['2002:a9fe:a9fe::', 'a link-local'],
  ])('the address %s, which the API server rejects together with the whole slice or which is not a host', (ip, use) => {
    const merged = mergedOf('http TCP 80', { subsets: [{ addresses: ips(ip, '10.0.0.1'), ports: http }] });
    expect(merged.subsets).toEqual([{ addresses: ips('10.0.0.1'), ports: http }]);
    const message = `subsets[0].addresses: "${ip}" is ${use} address; left out`;
    expect(merged.problems).toEqual([{ clusterID: 'east', message }]);
  });

  it.each(['240.0.0.1', '100.100.100.1', '64:ff9b::a00:1', '64:ff9b:1::a00:1', '2002:a00:1::'])(
    'but not %s, which can be the address of a Pod',
    (ip) => {
      const merged = mergedOf('http TCP 80', { subsets: [{ addresses: ips(ip, '10.0.0.1'), ports: http }] });
      expect([merged.problems, merged.subsets?.[0]?.addresses?.length]).toEqual([[], 2]);
    },
  );

  it.each([
    ['endpointSlices', { addressType: 'IPv4', endpoints: [], ports: http }],
    ['subsets', { addresses: [], ports: http }],
  ])('what comes after the thousandth entry of %s', (field, entry) => {
    const merged = mergedOf('http TCP 80', { [field]: Array.from({ length: 1_001 }, () => entry) });
    expect(merged.problems).toEqual([
      { clusterID: 'east', message: `${field}: 1001 entries are too many; those after the first 1000 are left out` },
    ]);
  });

  it('but a host name or zone that cannot be valid only goes itself', () => {
    const endpoints = [{ ...ready('10.0.0.1'), hostname: 'Not A Label', zone: 'also not' }];
    expect(slicesOf(mergedOf('http TCP 80', slice(endpoints) as ExportedEndpoints))?.[0]?.endpoints).toStrictEqual([
      ready('10.0.0.1'),
    ]);
  });
});

describe('Pods behind ClusterIPs', () => {
  const clusterIP = { addressType: 'IPv4', endpoints: [ready('10.97.0.10')], ports: ports('http TCP 80') };
  const subsets = [{ addresses: ips('10.97.0.10'), ports: ports('http TCP 80') }];
  const merge = (pods: unknown) =>
    mergedOf('http TCP 80', { subsets, endpointSlices: [{ ...clusterIP, pods: pods as never }] });

  it('stay with them, on the ports that the cluster may serve, and are not in the list for Antrea', () => {
    const merged = merge([
      { endpoints: [ready('10.0.0.2'), ready('10.0.0.1')], ports: ports('http TCP 8080, admin TCP 9000') },
    ]);
    const pods = [{ endpoints: [ready('10.0.0.1'), ready('10.0.0.2')], ports: http }];
    expect(slicesOf(merged)).toEqual([{ ...clusterIP, pods }]);
    expect(merged.subsets).toEqual(subsets);
    expect(slicesOf(merge(slicesOf(merged)?.[0]?.pods))).toEqual(slicesOf(merged));
  });

  it('are left out where they are not valid, and the ClusterIP stays', () => {
    for (const pods of [
      'x',
      [7],
      [{ endpoints: [{ addresses: ['127.0.0.1', 'fd00::1', {}] }], ports: http }],
      [{}],
      [{ pods: [] }],
    ]) {
      expect(slicesOf(merge(pods)), JSON.stringify(pods)).toEqual([clusterIP]);
    }
    const deep = [
      { endpoints: [ready('10.0.0.1')], ports: http, pods: [{ endpoints: [ready('10.0.0.2')], ports: http }] },
    ];
    expect(slicesOf(merge(deep))).toEqual([{ ...clusterIP, pods: [{ endpoints: [ready('10.0.0.1')], ports: http }] }]);
  });

  it('keep the published name of a port that was renamed until they have the new one', () => {
    const pods = [{ endpoints: [ready('10.0.0.1')], ports: http }];
    const exported = {
      ...exportOf('east', t1, 'web TCP 80', {}),
      endpoints: { subsets, endpointSlices: [{ ...clusterIP, pods }] },
    };
    const merged = mergeService([exported], [{ name: 'http', protocol: 'TCP', port: 80 }]);
    expect(merged.perCluster.get('east')).toEqual([{ ...clusterIP, pods }]);
  });
});
