import { formatFieldErrors } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import type { Stored } from '../../store/stored.ts';
import { allocateService } from './service-allocation.ts';
import type { ServiceSpec } from './service-shape.ts';

interface Case {
  readonly spec?: ServiceSpec;
  readonly before?: ServiceSpec;
  readonly ranges?: readonly string[];
  /** The ranges that ServiceCIDRs add. */
  readonly added?: readonly string[];
  /** What other Services have; `own` is what the Service itself has. */
  readonly taken?: readonly (string | number)[];
  readonly own?: readonly (string | number)[];
  readonly dryRun?: boolean;
  /** Between 0 and 1: where in the free part of a range the search begins. */
  readonly random?: number;
}

function allocated({
  spec = {},
  before,
  ranges = ['10.96.0.0/24'],
  added = [],
  taken = [],
  own = [],
  dryRun = false,
  random = 0,
}: Case) {
  const service = (of: ServiceSpec) =>
    ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { type: 'ClusterIP', ports: [{ name: 'http', port: 80, protocol: 'TCP' }], ...of },
    }) as unknown as Stored;
  const claims = new Map([
    ...taken.map((one) => [one, 'shop/other'] as const),
    ...own.map((one) => [one, 'shop/web'] as const),
  ]);
  const result = allocateService(service(spec), before && service(before), {
    list: () => added.map((cidr) => ({ spec: { cidrs: [cidr] } })) as unknown as readonly Stored[],
    get: () => undefined,
    now: '2026-11-21T00:00:00Z',
    serviceCIDRs: ranges,
    serviceClaims: claims,
    isRatcheting: true,
    random: () => random,
    dryRun,
  });
  if (result.errors.length > 0) return result.errors.map((error) => formatFieldErrors([error]).replace(/^spec\./, ''));
  const {
    clusterIP,
    clusterIPs,
    ipFamilies,
    ports = [],
    healthCheckNodePort,
  } = (result.object as unknown as { spec: ServiceSpec }).spec;
  return {
    clusterIP,
    clusterIPs,
    ipFamilies,
    nodePorts: ports.map(({ nodePort }) => nodePort),
    healthCheckNodePort,
  };
}
const addresses = (given: Case) => {
  const result = allocated(given);
  return Array.isArray(result) ? result : (result as { readonly clusterIPs?: readonly string[] }).clusterIPs;
};
const every = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `10.96.0.${from + at}`);
const ips = (...clusterIPs: readonly string[]) => ({ clusterIP: clusterIPs[0], clusterIPs });

describe('the address of a new Service', () => {
  const dual = { ranges: ['10.96.0.0/24', 'fd00::/120'] };
  const full = ['clusterIPs: Invalid value: []: failed to allocate IP: range is full'];

  it.each<readonly [string, Case, unknown]>([
    ['is of the upper part of the range', {}, ['10.96.0.16']],
    ['is the last one of the range at most', { random: 0.9999 }, ['10.96.0.254']],
    ['is the next one that is free', { taken: ['10.96.0.16', '10.96.0.17'] }, ['10.96.0.18']],
    ['is before the start where nothing after it is free', { random: 0.5, taken: every(135, 254) }, ['10.96.0.16']],
    ['is of the lower part where the upper is full', { taken: every(16, 254) }, ['10.96.0.1']],
    ['is none where all is full', { taken: every(1, 254) }, full],
    ['is of a small range', { ranges: ['10.96.0.0/29'] }, ['10.96.0.1']],
    [
      'is of a range that was added where that of the cluster is full',
      { taken: every(1, 254), added: ['10.97.0.0/24'] },
      ['10.97.0.16'],
    ],
    [
      'is of no range that was added in a dry run',
      { taken: every(1, 254), added: ['10.97.0.0/24'], dryRun: true },
      full,
    ],
    ['is not needed by a headless Service', { spec: ips('None') }, ['None']],
    ['is not needed by an external name', { spec: { type: 'ExternalName', externalName: 'x' } }, undefined],
    ['is one of each family', { spec: { ipFamilyPolicy: 'PreferDualStack' }, ...dual }, ['10.96.0.16', 'fd00::10']],
    [
      'is one of the second family beside one that is named',
      { spec: { ...ips('10.96.0.9'), ipFamilyPolicy: 'PreferDualStack' }, ...dual },
      ['10.96.0.9', 'fd00::10'],
    ],
  ])('%s', (_, given, expected) => {
    expect(addresses(given)).toEqual(expected);
  });

  const refused = (address: string, why: string) => [
    `clusterIPs: Invalid value: ["${address}"]: failed to allocate IP ${address}: ${why}`,
  ];
  const elsewhere = 'the provided network does not match the current range';
  it.each<readonly [string, Case, unknown]>([
    ['that is free', { spec: ips('10.96.0.9') }, ['10.96.0.9']],
    ['by clusterIP alone', { spec: { clusterIP: '10.96.0.9' } }, ['10.96.0.9']],
    [
      'that another has',
      { spec: ips('10.96.0.9'), taken: ['10.96.0.9'] },
      refused('10.96.0.9', 'provided IP is already allocated'),
    ],
    ['that it has itself', { spec: ips('10.96.0.9'), own: ['10.96.0.9'] }, ['10.96.0.9']],
    ['that another has, in a dry run', { spec: ips('10.96.0.9'), taken: ['10.96.0.9'], dryRun: true }, ['10.96.0.9']],
    ['of no range', { spec: ips('10.98.0.1') }, refused('10.98.0.1', elsewhere)],
    [
      'of no range, in a dry run',
      { spec: ips('10.98.0.1'), dryRun: true },
      refused(
        '10.98.0.1',
        'the provided IP (10.98.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/24',
      ),
    ],
    ['that is the first of the range', { spec: ips('10.96.0.0') }, refused('10.96.0.0', elsewhere)],
    ['that is the last of the range', { spec: ips('10.96.0.255') }, refused('10.96.0.255', elsewhere)],
    ['that is the last of a range of IPv6', { spec: ips('fd00::ff'), ranges: ['fd00::/120'] }, ['fd00::ff']],
    ['of a range that was added', { spec: ips('10.97.0.9'), added: ['10.97.0.0/24'] }, ['10.97.0.9']],
    [
      'of a range that was added, which another has',
      { spec: ips('10.97.0.9'), added: ['10.97.0.0/24'], taken: ['10.97.0.9'] },
      refused('10.97.0.9', 'provided IP is already allocated'),
    ],
  ])('may be named: one %s', (_, given, expected) => {
    expect(addresses(given)).toEqual(expected);
  });
});

describe('the address of a Service that changes', () => {
  const before = { ...ips('10.96.0.9'), ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  const none = { type: 'ExternalName', externalName: 'x' };

  it.each<readonly [string, Case, unknown]>([
    ['stays where it names none', { before }, ['10.96.0.9']],
    ['stays, whoever has it', { before, taken: ['10.96.0.9'] }, ['10.96.0.9']],
    ['is adopted from clusterIP', { spec: { clusterIP: '10.96.0.9' }, before }, ['10.96.0.9']],
    // Validation refuses the change of an address.
    [
      'is another one by clusterIP, for clients that know only that',
      { spec: { clusterIP: '10.96.0.10' }, before },
      ['10.96.0.10'],
    ],
    ['is given up by a name', { spec: none, before }, undefined],
    ['is new where there was a name', { before: none }, ['10.96.0.16']],
    [
      'gets a second one with a second family',
      { spec: { ipFamilyPolicy: 'RequireDualStack' }, before, ranges: ['10.96.0.0/24', 'fd00::/120'] },
      ['10.96.0.9', 'fd00::10'],
    ],
    [
      'stays none where it is headless',
      { before: { ...ips('None'), ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' } },
      ['None'],
    ],
  ])('%s', (_, given, expected) => {
    expect(addresses(given)).toEqual(expected);
  });
});

describe('the ports on Nodes of a Service that changes', () => {
  const nodePorts = (given: Case) => (allocated(given) as { readonly nodePorts: readonly unknown[] }).nodePorts;
  const port = (name: string, nodePort?: number) => ({
    name,
    port: name === 'http' ? 80 : 443,
    protocol: 'TCP',
    ...(nodePort !== undefined && { nodePort }),
  });
  const cluster = { ...ips('10.96.0.9'), ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  const before = { ...cluster, type: 'NodePort', ports: [port('http', 30_001), port('https', 30_002)] };
  const own = [30_001, 30_002];

  it.each<readonly [string, Case, readonly (number | undefined)[]]>([
    [
      'stay by the names of the ports',
      { spec: { type: 'NodePort', ports: [port('https'), port('http')] }, before, own },
      [30_002, 30_001],
    ],
    [
      'are those that are named',
      { spec: { type: 'NodePort', ports: [port('http', 30_005), port('https')] }, before, own },
      [30_005, 30_002],
    ],
    [
      'are not adopted where another port names them',
      { spec: { type: 'NodePort', ports: [port('http'), port('https', 30_001)] }, before, own },
      [30_086, 30_001],
    ],
    ['go where the type has none', { spec: { type: 'ClusterIP', ports: [port('http')] }, before, own }, [undefined]],
    [
      'stay where a load balancer has them as well',
      { spec: { type: 'LoadBalancer', ports: [port('http')] }, before, own },
      [30_001],
    ],
    [
      'are not adopted by a load balancer without them',
      { spec: { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [port('http')] }, before, own },
      [undefined],
    ],
  ])('%s', (_, given, expected) => {
    expect(nodePorts(given)).toEqual(expected);
  });

  const checked = {
    ...cluster,
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 30_009,
    ports: [port('http', 30_001)],
  };
  it.each<readonly [string, ServiceSpec, number | undefined]>([
    ['stays', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, 30_009],
    ['goes with the policy', { type: 'LoadBalancer', externalTrafficPolicy: 'Cluster' }, undefined],
  ])('that of the health check %s', (_, spec, expected) => {
    const result = allocated({ spec, before: checked, own: [30_001, 30_009] });
    expect((result as { readonly healthCheckNodePort?: number }).healthCheckNodePort).toBe(expected);
  });
});

it('errors of the families come before those of the addresses', () => {
  expect(allocated({ spec: { ...ips('10.98.0.1'), ipFamilyPolicy: 'RequireDualStack' } })).toEqual([
    'ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  ]);
});
