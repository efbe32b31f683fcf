import { formatFieldErrors } from '@isthmus/schema';
import type { FieldError } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import { addressErrors, withFamilies } from './service-addresses.ts';
import type { ServiceSpec } from './service-shape.ts';

const told = (errors: readonly FieldError[]) =>
  errors.map((error) => formatFieldErrors([error]).replace(/^spec\./, ''));
const ips = (...clusterIPs: readonly string[]) => ({ clusterIP: clusterIPs[0], clusterIPs });

describe('the addresses of a Service by themselves', () => {
  const of = (spec: ServiceSpec, before?: ServiceSpec) => told(addressErrors({ type: 'ClusterIP', ...spec }, before));

  it.each<readonly [string, ServiceSpec, readonly string[]]>([
    ['none', {}, []],
    ['one', ips('10.0.0.1'), []],
    ['one of each family', ips('10.0.0.1', 'fd00::1'), []],
    ['headless', ips('None'), []],
    ['an external name has none', { type: 'ExternalName', clusterIP: 'x' }, []],
    ['clusterIP alone', { clusterIP: '10.0.0.1' }, ['clusterIPs: Required value']],
    [
      'another clusterIP',
      { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.1'] },
      ['clusterIPs: Invalid value: ["10.0.0.1"]: first value must match `clusterIP`'],
    ],
    [
      'clusterIPs alone',
      { clusterIPs: ['10.0.0.1'] },
      ['clusterIPs: Invalid value: ["10.0.0.1"]: must be empty when `clusterIP` is not specified'],
    ],
    [
      'a family that is none',
      { ipFamilies: ['IPv5'] },
      ['ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"'],
    ],
    ['a family twice', { ipFamilies: ['IPv4', 'IPv4'] }, ['ipFamilies[1]: Duplicate value: "IPv4"']],
    [
      'a policy that is none',
      { ipFamilyPolicy: 'Dual' },
      [
        'ipFamilyPolicy: Unsupported value: "Dual": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
      ],
    ],
    [
      'None and another',
      ips('None', '10.0.0.1'),
      [`clusterIPs: Invalid value: ["None","10.0.0.1"]: 'None' must be the first and only value`],
    ],
    [
      'None in the second place',
      ips('10.0.0.1', 'None'),
      ['clusterIPs[1]: Invalid value: "None": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    ['zeros before', ips('10.0.0.01'), ['clusterIPs[0]: Invalid value: "10.0.0.01": must not have leading 0s']],
    [
      'three',
      ips('10.0.0.1', 'fd00::1', '10.0.0.2'),
      ['clusterIPs: Invalid value: ["10.0.0.1","fd00::1","10.0.0.2"]: may only hold up to 2 values'],
    ],
    [
      'two of one family',
      ips('10.0.0.1', '10.0.0.2'),
      ['clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family'],
    ],
    [
      'two of the other family',
      ips('fd00::1', 'fd00::2'),
      ['clusterIPs: Invalid value: ["fd00::1","fd00::2"]: may specify no more than one IP for each IP family'],
    ],
    [
      'of another family than is named',
      { ...ips('10.0.0.1', 'fd00::1'), ipFamilies: ['IPv6', 'IPv4'] },
      [
        'clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
        'clusterIPs[1]: Invalid value: "fd00::1": expected an IPv4 value as indicated by `ipFamilies[1]`',
      ],
    ],
    ['of the families that are named', { ...ips('fd00::1', '10.0.0.1'), ipFamilies: ['IPv6', 'IPv4'] }, []],
    ['headless, of any families', { ...ips('None'), ipFamilies: ['IPv6'] }, []],
  ])('%s', (_, spec, expected) => {
    expect(of(spec)).toEqual(expected);
  });

  it('that were there before are taken again', () => {
    expect(of(ips('10.0.0.01'), ips('10.0.0.01'))).toEqual([]);
  });
});

describe('the families of a Service', () => {
  const one = ['10.96.0.0/16'];
  const both = ['10.96.0.0/16', 'fd00::/108'];
  const cluster = { type: 'ClusterIP' };

  interface Case {
    readonly spec?: ServiceSpec;
    readonly before?: ServiceSpec;
    readonly ranges?: readonly string[];
  }
  function families({ spec: given = {}, before, ranges = one }: Case) {
    const { spec, errors } = withFamilies({ ...cluster, ...given }, before && { ...cluster, ...before }, ranges);
    if (errors.length > 0) return told(errors);
    const { ipFamilyPolicy = '-', ipFamilies = [], clusterIPs = [] } = spec;
    return [ipFamilyPolicy, ipFamilies.join(' '), clusterIPs.join(' ')].join(' | ').trim();
  }

  it.each<readonly [string, Case, unknown]>([
    ['that names none', {}, 'SingleStack | IPv4 |'],
    ['in a cluster of IPv6', { ranges: ['fd00::/108'] }, 'SingleStack | IPv6 |'],
    ['that names one', { spec: { ipFamilies: ['IPv6'] }, ranges: both }, 'SingleStack | IPv6 |'],
    [
      'that prefers two, where there is one',
      { spec: { ipFamilyPolicy: 'PreferDualStack' } },
      'PreferDualStack | IPv4 |',
    ],
    [
      'that prefers two, where there are',
      { spec: { ipFamilyPolicy: 'PreferDualStack' }, ranges: both },
      'PreferDualStack | IPv4 IPv6 |',
    ],
    [
      'that prefers two, the other first',
      { spec: { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6'] }, ranges: both },
      'PreferDualStack | IPv6 IPv4 |',
    ],
    [
      'that requires two',
      { spec: { ipFamilyPolicy: 'RequireDualStack' }, ranges: both },
      'RequireDualStack | IPv4 IPv6 |',
    ],
    [
      'that requires two, where there is one',
      { spec: { ipFamilyPolicy: 'RequireDualStack' } },
      ['ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services'],
    ],
    [
      'that names one that the cluster does not have',
      { spec: { ipFamilies: ['IPv6'] } },
      ['ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      'that names an address of one that the cluster does not have',
      { spec: ips('fd00::1') },
      ['clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster'],
    ],
    ['that names an address', { spec: ips('fd00::1'), ranges: both }, 'SingleStack | IPv6 | fd00::1'],
    [
      'that names an address of the family that it names',
      { spec: { ...ips('fd00::1'), ipFamilies: ['IPv6'] }, ranges: both },
      'SingleStack | IPv6 | fd00::1',
    ],
    [
      'of one family, that names two addresses',
      { spec: ips('10.96.0.1', 'fd00::1'), ranges: both },
      [
        `ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified`,
      ],
    ],
    [
      'of one family, that names two',
      { spec: { ipFamilies: ['IPv4', 'IPv6'] }, ranges: both },
      [
        `ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`,
      ],
    ],
    ['with errors of its addresses: these alone', { spec: { clusterIP: '10.96.0.1' } }, ['clusterIPs: Required value']],
  ])('%s', (_, given, expected) => {
    expect(families(given)).toEqual(expected);
  });

  it.each<readonly [string, Case, unknown]>([
    ['without a selector, has both', { spec: ips('None') }, 'RequireDualStack | IPv4 IPv6 | None'],
    [
      'with an empty selector, has both',
      { spec: { ...ips('None'), selector: {} } },
      'RequireDualStack | IPv4 IPv6 | None',
    ],
    [
      'with a selector, has that of the cluster',
      { spec: { ...ips('None'), selector: { a: 'b' } } },
      'SingleStack | IPv4 | None',
    ],
    [
      'of one family, has one',
      { spec: { ...ips('None'), ipFamilyPolicy: 'SingleStack' } },
      'SingleStack | IPv4 | None',
    ],
    [
      'that names the other, has it first',
      { spec: { ...ips('None'), ipFamilies: ['IPv6'] } },
      'RequireDualStack | IPv6 IPv4 | None',
    ],
  ])('that is headless, %s', (_, given, expected) => {
    expect(families(given)).toEqual(expected);
  });

  const dual = { ...ips('10.96.0.1', 'fd00::1'), ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' };
  const single = { ...ips('10.96.0.1'), ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
  const toSingle = (what: string) =>
    `ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary ${what}`;
  it.each<readonly [string, Case, unknown]>([
    [
      'keeps its policy where it names none',
      { spec: { ...single, ipFamilyPolicy: undefined }, before: single },
      'SingleStack | IPv4 | 10.96.0.1',
    ],
    [
      'gives up the second family',
      { spec: { ...dual, ipFamilyPolicy: 'SingleStack' }, before: dual, ranges: both },
      'SingleStack | IPv4 | 10.96.0.1',
    ],
    [
      'that gives up the second family and changes both may not name two',
      { spec: { ...dual, ...ips('10.96.0.2', 'fd00::2'), ipFamilyPolicy: 'SingleStack' }, before: dual, ranges: both },
      [
        `ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified`,
      ],
    ],
    [
      'gets a second family',
      { spec: { ...single, ipFamilyPolicy: 'RequireDualStack' }, before: single, ranges: both },
      'RequireDualStack | IPv4 IPv6 | 10.96.0.1',
    ],
    [
      'that requires two cannot give one up',
      { spec: { ...dual, ...ips('10.96.0.1'), ipFamilies: ['IPv4'] }, before: dual, ranges: both },
      [toSingle('cluster IP'), toSingle('IP family')],
    ],
    [
      'that requires two names none: that is no less',
      { spec: { ipFamilyPolicy: 'RequireDualStack' }, before: dual, ranges: both },
      'RequireDualStack | IPv4 IPv6 |',
    ],
  ])('that changes %s', (_, given, expected) => {
    expect(families(given)).toEqual(expected);
  });

  const preferring = { ...dual, ipFamilyPolicy: 'PreferDualStack' };
  it.each<readonly [string, ServiceSpec, ServiceSpec, boolean]>([
    ['prefers two and changes nothing', preferring, preferring, true],
    ['names no policy', { ...preferring, ipFamilyPolicy: undefined }, preferring, true],
    ['had no policy', preferring, { ...preferring, ipFamilyPolicy: undefined }, true],
    ['required two', preferring, dual, false],
    ['changes its addresses', { ...preferring, ...ips('10.96.0.2', 'fd00::1') }, preferring, false],
    ['changes its families', { ...preferring, ipFamilies: [] }, preferring, false],
    ['had another type', preferring, { ...preferring, type: 'ExternalName' }, false],
    ['is a NodePort', { ...preferring, type: 'NodePort' }, { ...preferring, type: 'LoadBalancer' }, true],
  ])('that %s is left as it is: %#', (_, spec, before, isKept) => {
    const given = { ...cluster, ...spec };
    // In a cluster of one family the second one would be an error.
    const { spec: result } = withFamilies(given, { ...cluster, ...before }, one);
    expect(result === given).toBe(isKept);
  });

  it('of an external name are none', () => {
    const spec = { type: 'ExternalName' };
    expect(withFamilies(spec, undefined, one)).toEqual({ spec, errors: [] });
  });
});
