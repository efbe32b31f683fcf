import { formatFieldErrors } from '@isthmus/schema';
import { describe, expect, it } from 'vitest';
import type { Stored } from '../../store/stored.ts';
import { sliceErrors } from './endpoint-slice-validation.ts';

const slice = (fields: object) =>
  ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's' },
    addressType: 'IPv4',
    ...fields,
  }) as unknown as Stored;
const of = (fields: object, before?: object) =>
  sliceErrors(slice(fields), before && slice(before)).map((error) => formatFieldErrors([error]));
const starting = (text: string): string => expect.stringMatching(new RegExp(`^${text}`));
const ofEndpoint = (endpoint: object) =>
  of({ endpoints: [{ addresses: ['10.0.0.1'], ...endpoint }] }).map((text) => text.replace('endpoints[0].', ''));
const ofPorts = (...ports: readonly object[]) => of({ ports: ports.map((one) => ({ protocol: 'TCP', ...one })) });

describe('an EndpointSlice', () => {
  it.each<readonly [string, object, readonly string[]]>([
    ['without endpoints and ports', {}, []],
    ['with null in their place', { endpoints: null, ports: null }, []],
    ['without a type of addresses', { addressType: undefined }, ['addressType: Required value']],
    ['of an empty type of addresses', { addressType: '' }, ['addressType: Required value']],
    [
      'of another type of addresses',
      { addressType: 'IPv5', endpoints: [{ addresses: ['x'] }] },
      ['addressType: Unsupported value: "IPv5": supported values: "FQDN", "IPv4", "IPv6"'],
    ],
  ])('%s', (_, fields, expected) => {
    expect(of(fields)).toEqual(expected);
  });

  it('whose endpoints stay is not checked for them again', () => {
    const old = { endpoints: [{ addresses: ['10.0.0.01'] }] };
    expect(of(old)).toHaveLength(1);
    expect(of(old, old)).toEqual([]);
    expect(of(old, { endpoints: [{ addresses: ['10.0.0.02'] }] })).toHaveLength(1);
    expect(of({ endpoints: null }, { endpoints: undefined })).toEqual([]);
  });

  it.each<readonly [string, number, readonly string[]]>([
    ['endpoints', 1000, []],
    ['endpoints', 1001, ['endpoints: Too many: 1001: must have at most 1000 items']],
    ['ports', 20_000, []],
    ['ports', 20_001, ['ports: Too many: 20001: must have at most 20000 items']],
  ])('may have so many %s: %s', (field, count, expected) => {
    const items = Array.from({ length: count }, (_, at) =>
      field === 'ports' ? { name: `p${at}`, protocol: 'TCP' } : { addresses: ['10.0.0.1'] },
    );
    expect(of({ [field]: items })).toEqual(expected);
  });
});

describe('a port', () => {
  it.each<readonly [string, readonly object[], readonly string[]]>([
    ['without a name', [{}], []],
    ['of names of their own', [{ name: 'a' }, { name: 'b' }, {}], []],
    ['of a name that is taken', [{ name: 'a' }, { name: 'a' }], ['ports[1].name: Duplicate value: "a"']],
    ['without a name, twice', [{}, { name: '' }], ['ports[1].name: Duplicate value: ""']],
    ['of a name in capitals', [{ name: 'A' }], [starting('ports\\[0\\]\\.name: Invalid value: "A"')]],
    ['without a protocol', [{ protocol: undefined }], ['ports[0].protocol: Required value']],
    [
      'of another protocol',
      [{ protocol: 'ICMP' }],
      ['ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"'],
    ],
    ['of an application', [{ appProtocol: 'example.com/h2c' }], []],
    [
      'of an application with a space',
      [{ appProtocol: 'a b' }],
      [starting('ports\\[0\\]\\.appProtocol: Invalid value: "a b"')],
    ],
  ])('%s', (_, ports, expected) => {
    expect(ofPorts(...ports)).toEqual(expected);
  });
});

describe('an endpoint', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `10.0.${Math.floor(at / 256)}.${at % 256}`);

  it.each<readonly [string, object, readonly string[]]>([
    ['without addresses', { addresses: [] }, ['addresses: Required value: must contain at least 1 address']],
    ['with null in their place', { addresses: null }, ['addresses: Required value: must contain at least 1 address']],
    ['with a hundred addresses', { addresses: many(101).slice(1) }, []],
    ['with more', { addresses: many(102).slice(1) }, ['addresses: Too many: 101: must have at most 100 items']],
    ['of a Node', { nodeName: 'n1.example' }, []],
    ['of a Node in capitals', { nodeName: 'N' }, [starting('nodeName: Invalid value: "N"')]],
    ['of a host', { hostname: 'web-0' }, []],
    ['of a host with a dot', { hostname: 'web.0' }, [starting('hostname: Invalid value: "web.0"')]],
    ['of a topology', { deprecatedTopology: { zone: 'a' } }, []],
    [
      'of a topology with a space',
      { deprecatedTopology: { 'a b': 'a' } },
      [starting('deprecatedTopology: Invalid value: "a b"')],
    ],
    [
      'of a topology of sixteen labels',
      { deprecatedTopology: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`k${at}`, 'v'])) },
      [],
    ],
    [
      'of a topology of more',
      { deprecatedTopology: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])) },
      ['deprecatedTopology: Too many: 17: must have at most 16 items'],
    ],
  ])('%s', (_, endpoint, expected) => {
    expect(ofEndpoint(endpoint)).toEqual(expected);
  });

  const names = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `a${at}` }));
  it.each<readonly [string, object, readonly string[]]>([
    ['eight zones and Nodes', { forZones: names(8), forNodes: names(8) }, []],
    [
      'nine zones',
      { forZones: names(9), forNodes: names(9) },
      ['hints.forZones: Too many: 9: must have at most 8 items'],
    ],
    [
      'nine Nodes',
      { forZones: [{ name: 'a b' }], forNodes: names(9) },
      [
        starting('hints\\.forZones\\[0\\]\\.name: Invalid value: "a b"'),
        'hints.forNodes: Too many: 9: must have at most 8 items',
      ],
    ],
    ['a zone twice', { forZones: [{ name: 'a' }, { name: 'a' }] }, ['hints.forZones[1].name: Duplicate value: "a"']],
    ['a Node twice', { forNodes: [{ name: 'a' }, { name: 'a' }] }, ['hints.forNodes[1].name: Duplicate value: "a"']],
    [
      'a Node in capitals',
      { forNodes: [{ name: 'N' }] },
      [starting('hints\\.forNodes\\[0\\]\\.name: Invalid value: "N"')],
    ],
    ['a zone in capitals', { forZones: [{ name: 'Z' }] }, []],
  ])('for %s', (_, hints, expected) => {
    expect(ofEndpoint({ hints })).toEqual(expected);
  });
});

describe('an address', () => {
  const item = 'endpoints[0].addresses[0]';
  const at = (addressType: string, address: string) => of({ addressType, endpoints: [{ addresses: [address] }] });

  it.each<readonly [string, string, readonly string[]]>([
    ['IPv4', '10.0.0.1', []],
    ['IPv4', '10.0.0.01', [`${item}: Invalid value: "10.0.0.01": must not have leading 0s`]],
    ['IPv4', 'fd00::1', ['endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address']],
    ['IPv4', 'x', [starting('endpoints\\[0\\]\\.addresses\\[0\\]: Invalid value: "x": must be a valid IP address')]],
    [
      'IPv4',
      '127.0.0.1',
      [starting('endpoints\\[0\\]\\.addresses\\[0\\]: Invalid value: "127.0.0.1": may not be in the loopback range')],
    ],
    ['IPv6', 'fd00::1', []],
    ['IPv6', 'FD00::1', [`${item}: Invalid value: "FD00::1": must be in canonical form ("fd00::1")`]],
    ['IPv6', '10.0.0.1', ['endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address']],
    ['FQDN', 'a.example', []],
    ['FQDN', 'a.example.', []],
    ['FQDN', '', [`${item}: Required value`]],
    [
      'FQDN',
      'example',
      [`${item}: Invalid value: "example": should be a domain with at least two segments separated by dots`],
    ],
    [
      'FQDN',
      'A.example',
      [starting('endpoints\\[0\\]\\.addresses\\[0\\]: Invalid value: "A.example": a lowercase RFC 1123 subdomain')],
    ],
    [
      'FQDN',
      `${'a'.repeat(64)}.example`,
      [`${item}: Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`],
    ],
  ])('%s %s', (type, address, expected) => {
    expect(at(type, address)).toEqual(expected);
  });
});
