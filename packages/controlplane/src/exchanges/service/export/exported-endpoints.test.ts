import type { Endpoint, EndpointSlice, Service } from '@isthmus/api';
import { describe, expect, it } from 'vitest';
import type { ExportSettings, ExportedEndpoints, ExportedPods } from './exported-endpoints.ts';
import { exportedEndpoints, maxExportedPods } from './exported-endpoints.ts';

const service: Service = {
  metadata: { name: 'cart', namespace: 'shop' },
  spec: {
    clusterIP: '10.97.0.10',
    clusterIPs: ['10.97.0.10'],
    ports: [
      { name: 'http', port: 80, targetPort: 'web', protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
      { name: 'dns', port: 53, targetPort: 5353, protocol: 'UDP' },
    ],
  },
};
const headless: Service = { ...service, spec: { ...service.spec, clusterIP: 'None', clusterIPs: ['None'] } };
const ports = [
  { name: 'http', port: 8080, protocol: 'TCP' },
  { name: 'dns', port: 5353, protocol: 'UDP' },
];

function slice(endpoints: readonly (string | Endpoint)[] | null, more: Partial<EndpointSlice> = {}): EndpointSlice {
  return {
    metadata: { name: 'cart-1' },
    addressType: 'IPv4',
    ports,
    endpoints: endpoints?.map((one) => (typeof one === 'string' ? { addresses: [one] } : one)) ?? null,
    ...more,
  };
}
const ready = (address: string, isReady: boolean | undefined): Endpoint => ({
  addresses: [address],
  conditions: { ready: isReady },
});

it.each([
  ['ready', { ready: true }, 1],
  ['ending and still serving', { ready: false, serving: true, terminating: true }, 1],
  ['ending and not serving any more', { ready: false, serving: false, terminating: true }, 0],
  ['not ready', { ready: false, serving: true }, 0],
])('the ClusterIP is exported where the only endpoint is %s', (_, conditions, count) => {
  const { slices, subsets } = exportedEndpoints(service, [slice([{ addresses: ['10.20.1.5'], conditions }])], {
    endpointIPType: 'ClusterIP',
  });
  expect([slices.length, subsets.length]).toEqual([count, count]);
});

describe('endpoints in ClusterIP mode', () => {
  const exportedPorts = [
    { name: 'http', port: 80, protocol: 'TCP' },
    { name: 'dns', port: 53, protocol: 'UDP' },
  ];

  it('are the ClusterIP with the ports of the Service, once one endpoint is ready', () => {
    expect(exportedEndpoints(service, [slice(['10.20.1.5'])], { endpointIPType: 'ClusterIP' })).toEqual({
      notes: [],
      ready: 1,
      isMismatched: false,
      addressesAre: 'ClusterIP',
      subsets: [{ addresses: [{ ip: '10.97.0.10' }], ports: exportedPorts }],
      slices: [
        {
          addressType: 'IPv4',
          endpoints: [{ addresses: ['10.97.0.10'], conditions: { ready: true } }],
          ports: [
            { name: 'http', port: 80, protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
            { name: 'dns', port: 53, protocol: 'UDP' },
          ],
        },
      ],
    });
  });

  it.each([
    ['no slice', []],
    ['an empty slice, as the API server writes it', [slice(null)]],
    ['only endpoints that are not ready', [slice([ready('10.20.1.5', false)])]],
    ['only names', [slice(['example.com'], { addressType: 'FQDN' })]],
  ])('do not exist with %s', (_, slices) => {
    expect(exportedEndpoints(service, slices, { endpointIPType: 'ClusterIP' })).toMatchObject({
      ready: 0,
      subsets: [],
      slices: [],
    });
  });

  it('of both families are in two slices; in the subsets only IPv4', () => {
    const dual = { ...service, spec: { ...service.spec, clusterIPs: ['10.97.0.10', 'fd00::10'] } };
    const found = exportedEndpoints(dual, [slice(['10.20.1.5'])], { endpointIPType: 'ClusterIP' });
    expect(found.subsets.map(({ addresses }) => addresses)).toEqual([[{ ip: '10.97.0.10' }]]);
    expect(found.slices.map(({ addressType, endpoints }) => [addressType, endpoints?.[0]?.addresses])).toEqual([
      ['IPv4', ['10.97.0.10']],
      ['IPv6', ['fd00::10']],
    ]);
  });

  it('are the ClusterIPs in the Service CIDR that the cluster announces, and another one is reported', () => {
    const dual = { ...service, spec: { ...service.spec, clusterIPs: ['10.97.0.10', 'fd00:97::a'] } };
    const exported = (settings: Partial<ExportSettings>) => {
      const found = exportedEndpoints(dual, [slice(['10.20.1.5'])], { endpointIPType: 'ClusterIP', ...settings });
      return { families: found.slices.map(({ addressType }) => addressType), ...found };
    };
    const note = (ip: string, cidr: string) =>
      `Its ClusterIP ${ip} is not exported, because it is not in ${cidr}, the Service CIDR that this cluster announces`;
    expect(exported({ serviceCIDR: '10.96.0.0/12' })).toMatchObject({
      families: ['IPv4'],
      notes: [note('fd00:97::a', '10.96.0.0/12')],
      subsets: [{ addresses: [{ ip: '10.97.0.10' }] }],
    });
    expect(exported({ serviceCIDR: 'fd00:97::/112' })).toMatchObject({
      families: ['IPv6'],
      notes: [note('10.97.0.10', 'fd00:97::/112')],
      subsets: [],
    });
    expect(exported({ serviceCIDR: '10.200.0.0/16' }).families).toEqual(['IPv4', 'IPv6']);
  });

  it('of IPv6 alone are in no subset', () => {
    const six = { ...service, spec: { ...service.spec, clusterIP: 'fd00::10', clusterIPs: ['fd00::10'] } };
    const found = exportedEndpoints(six, [slice(['fd01::5'], { addressType: 'IPv6' })], {
      endpointIPType: 'ClusterIP',
    });
    expect(found.subsets).toEqual([]);
    expect(found.slices).toHaveLength(1);
  });

  it('of a Service whose unnamed port is its only one stay unnamed', () => {
    const unnamed = { ...service, spec: { ...service.spec, ports: [{ port: 80 }] } };
    const pods = slice(['10.20.1.5'], { ports: [{ port: 8080, protocol: 'TCP' }] });
    const found = exportedEndpoints(unnamed, [pods], { endpointIPType: 'ClusterIP' });
    expect(found.subsets[0]?.ports).toEqual([{ name: undefined, port: 80, protocol: 'TCP' }]);
  });
});

describe('endpoints in PodIP mode', () => {
  const pods = (...slices: readonly EndpointSlice[]) => exportedEndpoints(service, slices, { endpointIPType: 'PodIP' });

  it('n endpoints of a slice are one subset of n addresses', () => {
    const addresses = Array.from({ length: 50 }, (_, i) => `10.20.1.${i + 1}`);
    const { subsets, slices, ready: count } = pods(slice(addresses));
    expect(subsets).toHaveLength(1);
    expect(new Set(subsets[0]?.addresses?.map(({ ip }) => ip))).toEqual(new Set(addresses));
    expect(subsets[0]?.addresses).toHaveLength(50);
    expect(slices).toHaveLength(1);
    expect(count).toBe(50);
  });

  it.each([
    ['absent conditions', { addresses: ['10.20.1.5'] }, 1],
    ['absent ready', ready('10.20.1.5', undefined), 1],
    ['ready', ready('10.20.1.5', true), 1],
    ['not ready', ready('10.20.1.5', false), 0],
  ])('an endpoint with %s', (_, endpoint, count) => {
    const found = pods(slice([endpoint]));
    expect(found.ready).toBe(count);
    expect(found.subsets).toHaveLength(count);
  });

  it('are in the same order, whatever order slices, endpoints and ports come in', () => {
    const slices = [
      slice(['10.20.1.9', '10.20.1.5']),
      slice(['10.20.1.7'], { metadata: { name: 'cart-2' } }),
      slice(['10.20.1.8'], { metadata: { name: 'cart-3' }, ports: [{ name: 'http', port: 9090, protocol: 'TCP' }] }),
    ];
    const turned = slices
      .map((one) => ({ ...one, endpoints: (one.endpoints ?? []).toReversed(), ports: (one.ports ?? []).toReversed() }))
      .toReversed();
    expect(pods(...turned)).toEqual(pods(...slices));
    expect(pods(...slices).subsets.map(({ addresses }) => addresses?.map(({ ip }) => ip))).toEqual([
      ['10.20.1.5', '10.20.1.7', '10.20.1.9'],
      ['10.20.1.8'],
    ]);
  });

  it('have target ports under the names of the Service ports', () => {
    expect(pods(slice(['10.20.1.5'])).subsets[0]?.ports).toEqual([
      { name: 'dns', port: 5353, protocol: 'UDP' },
      { name: 'http', port: 8080, protocol: 'TCP' },
    ]);
  });

  it('are there once where two slices name them; the one that is ready counts', () => {
    for (const slices of [
      [slice([ready('10.20.1.5', false)]), slice([ready('10.20.1.5', true)])],
      [slice([ready('10.20.1.5', true)]), slice([ready('10.20.1.5', false)])],
    ]) {
      expect(pods(...slices).slices[0]?.endpoints).toEqual([{ addresses: ['10.20.1.5'], conditions: { ready: true } }]);
    }
  });

  it('that terminate are marked as such, and are not addresses for peers that know only ready ones', () => {
    const terminating = { addresses: ['10.20.1.5'], conditions: { ready: false, serving: true, terminating: true } };
    const found = pods(slice([terminating]));
    expect(found.slices[0]?.endpoints).toEqual([terminating]);
    expect(found.subsets).toEqual([]);
  });

  it('carry hostname and zone, and neither Node nor Pod', () => {
    const endpoint = {
      addresses: ['10.20.1.5'],
      hostname: 'cart-0',
      zone: 'a',
      nodeName: 'node-1',
      targetRef: { kind: 'Pod', name: 'cart-0' },
    };
    expect(pods(slice([endpoint])).slices[0]?.endpoints).toEqual([
      { addresses: ['10.20.1.5'], conditions: { ready: true }, hostname: 'cart-0', zone: 'a' },
    ]);
  });

  it('of IPv6 are in the slices alone', () => {
    const found = pods(slice(['fd01::5'], { addressType: 'IPv6' }), slice(['10.20.1.5']));
    expect(found.slices.map(({ addressType }) => addressType)).toEqual(['IPv4', 'IPv6']);
    expect(found.subsets).toHaveLength(1);
  });

  it('without a port number are left out', () => {
    const found = pods(slice(['10.20.1.5'], { ports: [{ name: 'http' }, { name: 'dns', port: 53 }] }));
    expect(found.subsets[0]?.ports).toEqual([{ name: 'dns', port: 53, protocol: 'TCP' }]);
  });

  it('do not exist from slices that are empty, or have names', () => {
    expect(pods(slice(null), slice([]), slice(['example.com'], { addressType: 'FQDN' }))).toEqual({
      notes: [],
      ready: 0,
      isMismatched: false,
      addressesAre: 'PodIP',
      subsets: [],
      slices: [],
    });
  });
});

describe('a ClusterIP outside of the Service CIDR that the cluster announces', () => {
  const found = (serviceCIDR: string | undefined, more: object = {}, slices = [slice(['10.20.1.5'])]) =>
    exportedEndpoints({ ...service, spec: { ...service.spec, ...more } }, slices, {
      endpointIPType: 'ClusterIP',
      serviceCIDR,
    });

  it('is exported, and reported: other clusters route that range alone', () => {
    const outside = found('10.96.0.0/16');
    expect(outside.subsets[0]?.addresses).toEqual([{ ip: '10.97.0.10' }]);
    expect(outside.notes).toEqual([
      'Other clusters do not reach it: its ClusterIP 10.97.0.10 is not in 10.96.0.0/16, the Service CIDR that this cluster announces, and they do not route other ranges to its gateways. Create the Service again with a ClusterIP of that range',
    ]);
  });

  it.each([
    ['the range has it', '10.97.0.0/16', {}],
    ['no range is announced', undefined, {}],
    ['what is announced is no range', 'any', {}],
  ])('is not reported where %s', (_, serviceCIDR, more) => {
    expect(found(serviceCIDR, more).notes).toEqual([]);
  });

  it('is not reported where no endpoint is ready, nor of Pods', () => {
    expect(found('10.96.0.0/16', {}, [slice([])]).notes).toEqual([]);
    const pods = exportedEndpoints(service, [slice(['10.20.1.5'])], {
      endpointIPType: 'PodIP',
      serviceCIDR: '10.96.0.0/16',
    });
    expect(pods.notes).toEqual([]);
  });
});

it('endpoints of a headless Service are Pods in both modes', () => {
  for (const mode of ['ClusterIP', 'PodIP'] as const) {
    const found = exportedEndpoints(headless, [slice(['10.20.1.5'])], { endpointIPType: mode });
    expect(found.addressesAre).toBe('PodIP');
    expect(found.subsets[0]?.addresses).toEqual([{ ip: '10.20.1.5' }]);
  }
});

describe('endpoints that are exported themselves where agents carry the packets', () => {
  const ranges = '10.20.0.0/16, fd00:20::/48';
  const notesOf = (
    addresses: readonly (string | Endpoint)[],
    podCIDRs: readonly string[] = ranges.split(', '),
    exported = service,
  ) => exportedEndpoints(exported, [slice(addresses)], { endpointIPType: 'PodIP', pods: { podCIDRs } }).notes;

  it('are reported where agents of other clusters do not reach them, because they are not in the announced Pod CIDRs', () => {
    expect(notesOf(['10.20.1.5', '172.30.1.11'])).toEqual([
      `Agents of Isthmus in other clusters do not reach some of its endpoints, which are not in podCIDRs (${ranges}): Pods in the network of a Node, or endpoints that are not Pods`,
    ]);
    const none = `Agents of Isthmus in other clusters do not reach its endpoints, which are not in podCIDRs (${ranges}): Pods in the network of a Node, or endpoints that are not Pods`;
    expect(notesOf(['172.30.1.11'])).toEqual([
      `${none}. With endpointIPType: ClusterIP in all clusters, they reach its ClusterIP`,
    ]);
    expect(notesOf(['172.30.1.11'], undefined, headless)).toEqual([none]);
    expect(notesOf(['10.20.1.5'], [])).toEqual([
      'Agents of Isthmus in other clusters do not reach its endpoints: set podCIDRs in the configuration of this cluster',
    ]);
  });

  it('are not reported where all are in them, where those outside take no traffic, or where there are no agents', () => {
    expect(notesOf(['10.20.1.5', ready('172.30.1.11', false)])).toEqual([]);
    expect(notesOf([])).toEqual([]);
    expect(exportedEndpoints(service, [slice(['172.30.1.11'])], { endpointIPType: 'PodIP' }).notes).toEqual([]);
  });
});

describe('the Pods behind an exported ClusterIP', () => {
  const pods = { podCIDRs: ['10.20.0.0/16', 'fd00:20::/48'] };
  const behind = (slices: readonly EndpointSlice[], more: Partial<ExportedPods> = {}) =>
    exportedEndpoints(service, slices, { endpointIPType: 'ClusterIP', pods: { ...pods, ...more } });
  const addressesOf = ({ slices }: ExportedEndpoints) =>
    slices.map((one) =>
      (one.pods ?? []).map(({ endpoints }) => endpoints.map(({ addresses }) => addresses[0] ?? '').join(' ')),
    );

  it('are with their target ports beside it, and all else is as without them', () => {
    const found = behind([slice([{ addresses: ['10.20.1.5'], hostname: 'cart-0', zone: 'a' }])]);
    const without = exportedEndpoints(service, [slice(['10.20.1.5'])], { endpointIPType: 'ClusterIP' });
    expect(found).toEqual({
      ...without,
      slices: [
        {
          ...without.slices[0],
          pods: [
            {
              endpoints: [{ addresses: ['10.20.1.5'], conditions: { ready: true }, zone: 'a' }],
              ports: [
                { name: 'dns', port: 5353, protocol: 'UDP' },
                { name: 'http', port: 8080, protocol: 'TCP' },
              ],
            },
          ],
        },
      ],
    });
  });

  it('are those that take traffic: Pods that are not ready change nothing', () => {
    const ending = { addresses: ['10.20.1.7'], conditions: { ready: false, serving: true, terminating: true } };
    const found = behind([slice(['10.20.1.5', ready('10.20.1.6', false), ending])]);
    expect(addressesOf(found)).toEqual([['10.20.1.5 10.20.1.7']]);
  });

  it('are of the family of the ClusterIP, in the ranges that the cluster announces', () => {
    const found = behind([
      slice(['10.20.1.5', '192.0.2.7', '10.200.0.1']),
      slice(['fd00:20::5'], { addressType: 'IPv6' }),
    ]);
    expect(addressesOf(found)).toEqual([['10.20.1.5']]);
    expect(found.notes).toEqual([
      'Agents of Isthmus in other clusters do not reach some of its endpoints, which are not in podCIDRs (10.20.0.0/16, fd00:20::/48): Pods in the network of a Node, or endpoints that are not Pods',
    ]);
  });

  it('are none where no endpoint is a Pod of the cluster: agents reach the ClusterIP, which is reported', () => {
    const found = behind([slice(['172.30.1.11', '192.0.2.7'])]);
    expect(addressesOf(found)).toEqual([[]]);
    expect(found.notes).toEqual([
      'Agents of Isthmus in other clusters reach its ClusterIP through one gateway at a time, and connections end with that gateway: no endpoint is in podCIDRs (10.20.0.0/16, fd00:20::/48)',
    ]);
  });

  it('are of each family with the ClusterIP of that family', () => {
    const dual = { ...service, spec: { ...service.spec, clusterIPs: ['10.97.0.10', 'fd00:97::a'] } };
    const six = slice(['fd00:20::5'], { addressType: 'IPv6' });
    const found = exportedEndpoints(dual, [slice(['10.20.1.5']), six], { endpointIPType: 'ClusterIP', pods });
    expect(addressesOf(found)).toEqual([['10.20.1.5'], ['fd00:20::5']]);
    const announced = { endpointIPType: 'ClusterIP', pods, serviceCIDR: '10.96.0.0/12' } as const;
    expect(exportedEndpoints(dual, [slice(['10.20.1.5']), six], announced)).toEqual(found);
    expect(exportedEndpoints(dual, [slice(['10.20.1.5'])], announced).slices).toHaveLength(1);
  });

  it.each([
    ['podCIDRs are not configured', { podCIDRs: [] }, 'set podCIDRs in the configuration of this cluster'],
    [
      'the leader drops them',
      { isDropped: true },
      'the resource definitions of the leader are older and drop its Pods',
    ],
  ])('are not exported where %s, which is reported', (_, more, why) => {
    const found = behind([slice(['10.20.1.5'])], more);
    expect(addressesOf(found)).toEqual([[]]);
    expect(found.notes).toEqual([expect.stringContaining(why)]);
    expect(behind([slice([])], more).notes).toEqual([]);
  });

  it('are at most a thousand, of however many', () => {
    const many = Array.from({ length: 1_500 }, (_, index) => `10.20.${index >> 8}.${index & 255}`);
    const found = behind([slice(many.slice(0, 900)), slice(many.slice(900), { ports: ports.slice(0, 1) })]);
    const counts = found.slices.flatMap((one) => one.pods ?? []).map(({ endpoints }) => endpoints.length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(maxExportedPods);
    expect(found.notes).toEqual(['Agents of Isthmus in other clusters use 1000 of its Pods']);
  });

  it('are none of a headless Service, whose endpoints are Pods anyway, nor without a ready endpoint', () => {
    const found = exportedEndpoints(headless, [slice(['10.20.1.5'])], { endpointIPType: 'ClusterIP', pods });
    expect(addressesOf(found)).toEqual([[]]);
    expect(behind([slice([ready('10.20.1.5', false)])]).slices).toEqual([]);
  });
});
