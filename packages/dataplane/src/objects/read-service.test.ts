import { agentProxyName, Label, managedByIsthmus } from '@isthmus/api';
import type { EndpointSlice, Service } from '@isthmus/api';
import { addressText } from '@isthmus/machinery';
import { describe, expect, it } from 'vitest';
import { cidr } from '../testing/addresses.ts';
import type { ReadRemote } from './read-remotes.ts';
import { readService } from './read-service.ts';
import type { Ranges } from './read-service.ts';

const port = (more: object = {}) => ({ name: 'http', port: 80, protocol: 'TCP', ...more });
const service = (spec: object = {}, metadata: object = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'cart', namespace: 'shop', labels: { [Label.managedBy]: managedByIsthmus }, ...metadata },
    spec: { clusterIPs: ['10.99.0.1'], ports: [port()], ...spec },
  }) as unknown as Service;

interface SliceParts {
  /** The cluster that it names. */
  readonly from?: string | undefined;
  readonly endpoints?: readonly object[];
  readonly ports?: readonly object[];
  readonly addressType?: string;
  /** The Pods behind a ClusterIP. */
  readonly isOfPods?: boolean;
  readonly name?: string;
}
const slice = ({
  from = 'west',
  endpoints = [],
  ports = [port({ port: 8080 })],
  addressType = 'IPv4',
  isOfPods = false,
  name = 's',
}: SliceParts) =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name,
      namespace: 'shop',
      labels: {
        ...(from !== '' && { [Label.mcsSourceCluster]: from }),
        ...(isOfPods && { [Label.serviceProxyName]: agentProxyName }),
      },
    },
    addressType,
    endpoints,
    ports,
  }) as unknown as EndpointSlice;
const at = (address: string, more: object = {}) => ({ addresses: [address], ...more });

const west: ReadRemote = { clusterID: 'west', podCIDRs: [cidr('10.20.0.0/16')], gatewayIPs: [] };
const south: ReadRemote = { clusterID: 'south', podCIDRs: [cidr('10.30.0.0/16')], gatewayIPs: [] };
const ranges: Ranges = { remotes: [west, south], podCIDRs: [cidr('10.10.0.0/16')], ownClusterID: 'east' };

/** Each endpoint of the first port: cluster, address and port, and what else is known of it. */
function endpoints(slices: readonly EndpointSlice[], more: Partial<Ranges> = {}, of: Service = service()) {
  const { ports, problems } = readService(of, slices, { ...ranges, ...more });
  return {
    read: (ports[0]?.endpoints ?? []).map(({ clusterID, address, port: number, ...rest }) =>
      [
        clusterID,
        `${addressText(address)}:${number}`,
        ...Object.entries(rest).map(([key, value]) => `${key}=${String(value)}`),
      ]
        .join(' ')
        .trim(),
    ),
    told: problems.map(({ message }) => message),
  };
}

describe('the ports of an imported Service', () => {
  const found = (spec: object, slices: readonly EndpointSlice[] = [slice({})]) =>
    readService(service(spec), slices, ranges).ports.map(
      ({ address, port: number, protocol, endpoints: list }) =>
        `${addressText(address)} ${protocol} ${number}: ${list.length}`,
    );

  it.each<readonly [string, object, readonly string[]]>([
    ['of one address', {}, ['10.99.0.1 TCP 80: 0']],
    [
      'of two addresses, each with two ports',
      { clusterIPs: ['10.99.0.1', 'fd00::1'], ports: [port(), port({ name: 'dns', port: 53, protocol: 'UDP' })] },
      ['10.99.0.1 TCP 80: 0', '10.99.0.1 UDP 53: 0', 'fd00::1 TCP 80: 0', 'fd00::1 UDP 53: 0'],
    ],
    ['of an address alone', { clusterIPs: undefined, clusterIP: '10.99.0.1' }, ['10.99.0.1 TCP 80: 0']],
    ['of no address', { clusterIPs: ['None'] }, []],
    [
      'of no known protocol',
      { ports: [port({ protocol: 'ICMP' }), port({ protocol: 'SCTP' })] },
      ['10.99.0.1 SCTP 80: 0'],
    ],
    ['of the usual protocol', { ports: [port({ protocol: undefined })] }, ['10.99.0.1 TCP 80: 0']],
    ['without any', { ports: undefined }, []],
  ])('%s', (_, spec, expected) => {
    expect(found(spec)).toEqual(expected);
  });

  it.each<readonly [string, Service, readonly EndpointSlice[], boolean]>([
    ['of another controller, without slices', service({}, { labels: {} }), [], true],
    ['of another controller, with slices', service({}, { labels: {} }), [slice({})], false],
    ['of a controller of Isthmus, without slices', service(), [], false],
    ['of another controller, without an address', service({ clusterIPs: [] }, { labels: {} }), [], false],
  ])('%s: they are left to others is %s', (_, one, slices, isLeft) => {
    const { ports, problems } = readService(one, slices, ranges);
    expect(problems).toHaveLength(isLeft ? 1 : 0);
    expect(ports).toHaveLength(isLeft || one.spec?.clusterIPs?.length === 0 ? 0 : 1);
    if (isLeft)
      expect(problems[0]?.message).toMatch(/^This import is not of a controller of Isthmus, and has no EndpointSlices/);
  });
});

describe('the endpoints of a port', () => {
  const pod = { endpoints: [at('10.20.0.1')] };

  it.each<readonly [string, SliceParts, readonly string[]]>([
    ['of its name and protocol', { ...pod }, ['west 10.20.0.1:8080']],
    ['of another name', { ...pod, ports: [port({ name: 'dns', port: 8080 })] }, []],
    ['of another protocol', { ...pod, ports: [port({ protocol: 'UDP', port: 8080 })] }, []],
    ['without a number', { ...pod, ports: [port({ port: undefined })] }, []],
    ['of the other family', { ...pod, addressType: 'IPv6' }, []],
    ['of the other family, in a slice of this one', { from: 'east', endpoints: [at('fd00::1')] }, []],
    ['that are ready', { endpoints: [at('10.20.0.1', { conditions: { ready: true } })] }, ['west 10.20.0.1:8080']],
    ['of which that is not known', { endpoints: [at('10.20.0.1', { conditions: {} })] }, ['west 10.20.0.1:8080']],
    ['that are not ready', { endpoints: [at('10.20.0.1', { conditions: { ready: false, serving: true } })] }, []],
    [
      'that end and still serve',
      { endpoints: [at('10.20.0.1', { conditions: { ready: false, serving: true, terminating: true } })] },
      ['west 10.20.0.1:8080 isTerminating=true'],
    ],
    [
      'that end',
      { endpoints: [at('10.20.0.1', { conditions: { ready: false, serving: false, terminating: true } })] },
      [],
    ],
    ['without an address', { endpoints: [{ addresses: [] }, at('x')] }, []],
    ['with a zone', { endpoints: [at('10.20.0.1', { zone: 'a' })] }, ['west 10.20.0.1:8080 zones=a']],
    [
      'with zones that they are for, which count before their own',
      { endpoints: [at('10.20.0.1', { zone: 'a', hints: { forZones: [{ name: 'b' }, { name: 'c' }] } })] },
      ['west 10.20.0.1:8080 zones=b,c'],
    ],
    [
      'on a Node of another cluster, whose name says nothing here',
      { endpoints: [at('10.20.0.1', { nodeName: 'n1' })] },
      ['west 10.20.0.1:8080'],
    ],
    [
      'on a Node of this cluster',
      { from: 'east', endpoints: [at('10.10.0.1', { nodeName: 'n1' })] },
      ['10.10.0.1:8080 node=n1'],
    ],
  ])('%s', (_, parts, expected) => {
    expect(endpoints([slice(parts)])).toEqual({ read: expected, told: [] });
  });

  it.each([
    [0, true],
    [1, false],
    [65_535, false],
    [65_536, true],
  ])('are not used at the port %s: %s', (number, isWrong) => {
    const { read, told } = endpoints([slice({ ...pod, ports: [port({ port: number })] })]);
    expect(read).toHaveLength(isWrong ? 0 : 1);
    expect(told).toEqual(
      isWrong ? [`The endpoints of port "http" are not used: ${number} is not a number from 1 to 65535.`] : [],
    );
  });

  const ending = { conditions: { ready: false, serving: true, terminating: true } };
  it.each<readonly [string, readonly object[]]>([
    ['first', [at('10.20.0.1'), at('10.20.0.1', ending)]],
    ['last', [at('10.20.0.1', ending), at('10.20.0.1')]],
  ])('of two slices with one address, the ready one counts: it comes %s', (_, list) => {
    expect(endpoints(list.map((one) => slice({ endpoints: [one] }))).read).toEqual(['west 10.20.0.1:8080']);
  });

  it('are the Pods behind a ClusterIP where a cluster exports both, in that family alone', () => {
    const clusterIP = slice({ endpoints: [at('10.20.0.9')] });
    const pods = slice({ endpoints: [at('10.20.0.1')], isOfPods: true });
    const other = slice({ from: 'south', endpoints: [at('10.30.0.9')] });
    expect(endpoints([clusterIP, pods, other]).read).toEqual(['west 10.20.0.1:8080', 'south 10.30.0.9:8080']);
    expect(endpoints([clusterIP, slice({ addressType: 'IPv6', isOfPods: true })]).read).toEqual([
      'west 10.20.0.9:8080',
    ]);
  });
});

describe('the owner of an address', () => {
  const one = (from: string, address: string) => [slice({ from, endpoints: [at(address)] })];
  const announced = 'no ClusterInfoImport announces the network of cluster north, which needs a gateway for it';

  it.each<readonly [string, string, string, Partial<Ranges>, string | undefined]>([
    ['the cluster that the slice names', 'west', '10.20.0.1', {}, 'west'],
    ['another cluster than the slice names', 'west', '10.30.0.1', {}, undefined],
    ['another cluster, where the slice names none', '', '10.30.0.1', {}, 'south'],
    ['the own cluster, wherever its Pods are', 'east', '172.16.0.1', {}, ''],
    ['another cluster, in a slice of the own one', 'east', '10.20.0.1', {}, undefined],
    ['the own cluster, where the slice names none', '', '10.10.0.1', {}, ''],
    ['the own cluster, in a slice of another one', 'west', '10.10.0.1', {}, undefined],
    ['the own cluster, in a slice of one that nobody knows', 'north', '10.10.0.1', {}, ''],
    ['nobody', '', '172.16.0.1', {}, undefined],
    [
      'nobody, in a slice of the ID of a cluster in no ClusterSet',
      'east',
      '172.16.0.1',
      { ownClusterID: undefined },
      undefined,
    ],
    [
      'the cluster with this Service CIDR',
      'west',
      '10.96.0.1',
      { remotes: [{ ...west, serviceCIDR: cidr('10.96.0.0/16') }] },
      'west',
    ],
  ])('is %s', (_, from, address, more, owner) => {
    const { read, told } = endpoints(one(from, address), more);
    expect(read).toEqual(owner === undefined ? [] : [`${owner} ${address}:8080`.trim()]);
    expect(told).toHaveLength(owner === undefined ? 1 : 0);
  });

  const unused = { cidr: cidr('10.96.0.0/16'), why: 'it overlaps' };
  it.each<readonly [string, string, string, Partial<Ranges>, string]>([
    ['by no cluster', '', '172.16.0.1', {}, 'it is not in the Pod CIDRs or the Service CIDR of any cluster'],
    ['by its cluster', 'west', '172.16.0.1', {}, 'it is not in the Pod CIDRs or the Service CIDR of cluster west'],
    ['by one that nobody knows', 'north', '172.16.0.1', {}, announced],
    [
      'in a Service CIDR that is not used',
      'west',
      '10.96.0.1',
      { remotes: [{ ...west, unusedServiceCIDR: unused }] },
      'Service CIDR 10.96.0.0/16 of cluster west is not used, because it overlaps',
    ],
    [
      'outside of a Service CIDR that is not used',
      'west',
      '10.97.0.1',
      { remotes: [{ ...west, unusedServiceCIDR: unused }] },
      'it is not in the Pod CIDRs or the Service CIDR of cluster west',
    ],
    [
      'by a cluster without Pod CIDRs',
      'west',
      '172.16.0.1',
      { remotes: [{ ...west, podCIDRs: [] }] },
      'it is not in the Service CIDR of cluster west, and no Pod CIDR of that cluster is used here; if it is a Pod, set podCIDRs in the configuration of the controller of west',
    ],
  ])('is reported with the reason where nobody has the address, announced %s', (_, from, address, more, why) => {
    expect(endpoints(one(from, address), more).told).toEqual([`Endpoint ${address} is not used: ${why}.`]);
  });

  it.each([5, 6, 7])('of %s addresses that are not used, five are reported and the others counted', (count) => {
    const list = Array.from({ length: count }, (_, at2) => at(`172.16.0.${at2 + 1}`));
    const { told } = endpoints([slice({ endpoints: list })]);
    expect(told).toHaveLength(Math.min(count, 6));
    if (count > 5)
      expect(told.at(-1)).toBe(
        `${count - 5} more endpoints of this slice are not used, or only if there are no others.`,
      );
  });

  const quiet: ReadRemote = { ...west, serviceCIDR: cidr('10.96.0.0/16'), isUnannounced: true };
  it.each<readonly [string, string, ReadRemote, boolean]>([
    ['a ClusterIP of a cluster that does not announce its agents', '10.96.0.1', quiet, true],
    ['a Pod of one', '10.20.0.1', quiet, false],
    ['a ClusterIP of one that announces them', '10.96.0.1', { ...quiet, isUnannounced: false }, false],
  ])('%s is used only if there are no others: %#', (_, address, remote, isUncertain) => {
    const { read, told } = endpoints(one('west', address), { remotes: [remote] });
    expect(read).toEqual([`west ${address}:8080${isUncertain ? ' isUncertain=true' : ''}`]);
    expect(told).toEqual(
      isUncertain
        ? [
            `Endpoint ${address} is used only if there are no others: cluster west does not announce that agents of Isthmus carry its packets.`,
          ]
        : [],
    );
  });
});

it('the own cluster is preferred by its ID where no other has it', () => {
  const of = service({}, { annotations: { 'isthmus.dev/cluster-order': 'east, west' } });
  const own = [slice({ from: 'east', endpoints: [at('10.10.0.1')] })];
  const orders = (slices: readonly EndpointSlice[], more: Partial<Ranges> = {}) =>
    readService(of, slices, { ...ranges, ...more }).ports.map(({ clusterOrder }) => clusterOrder);
  expect(orders(own)).toEqual([['', 'west']]);
  expect(orders([slice({ from: 'east', endpoints: [at('10.20.0.1')] })])).toEqual([['east', 'west']]);
  expect(orders([])).toEqual([['east', 'west']]);
});
