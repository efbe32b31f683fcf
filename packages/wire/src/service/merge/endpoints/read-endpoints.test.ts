import { describe, expect, it } from 'vitest';
import { mergeProblemsOf } from '../problems.ts';
import { readEndpoints } from './read-endpoints.ts';

/** What is read, and the messages about what is left out. */
function read(value: unknown) {
  const problems = mergeProblemsOf('east');
  const { subsets, slices } = readEndpoints(value, problems);
  return { subsets, slices, told: problems.list().map(({ message }) => message) };
}
const subset = (fields: object) => read({ subsets: [fields] });
const slice = (fields: object) => read({ endpointSlices: [{ addressType: 'IPv4', ...fields }] });
const endpoint = (fields: object) => slice({ endpoints: [{ addresses: ['10.0.0.1'], ...fields }] });

describe('the endpoints of an export', () => {
  it.each<readonly [string, unknown, object]>([
    ['that are absent', undefined, { subsets: undefined, slices: undefined, told: [] }],
    ['that are null', null, { subsets: undefined, slices: undefined, told: [] }],
    ['of neither form', {}, { subsets: undefined, slices: undefined, told: [] }],
    ['of both forms, without any', { subsets: [], endpointSlices: [] }, { subsets: [], slices: [], told: [] }],
    [
      'that are no object',
      'x',
      { subsets: undefined, slices: undefined, told: ['endpoints: expected an object, got "x"; ignored'] },
    ],
    [
      'whose lists are none',
      { subsets: 5, endpointSlices: {} },
      {
        subsets: undefined,
        slices: undefined,
        told: ['subsets: expected a list, got 5; ignored', 'endpointSlices: expected a list, got an object; ignored'],
      },
    ],
    [
      'of which an entry is no object',
      { subsets: ['x', {}] },
      {
        subsets: [{ ports: [], portless: true, endpoints: [] }],
        told: ['subsets[0]: expected an object, got "x"; left out'],
      },
    ],
  ])('%s', (_, value, expected) => {
    expect(read(value)).toMatchObject(expected);
  });

  it.each([
    [1000, 1000, []],
    [1001, 1000, ['subsets: 1001 entries are too many; those after the first 1000 are left out']],
  ])('of %s subsets are %s', (count, kept, told) => {
    const result = read({ subsets: Array.from({ length: count }, () => ({})) });
    expect([result.subsets?.length, result.told]).toEqual([kept, told]);
  });
});

describe('the addresses of a subset', () => {
  it('are canonical, with their family, ready or not', () => {
    const fields = {
      addresses: [{ ip: '10.0.0.1', nodeName: 'n1', targetRef: {} }, { ip: 'FD00::0001' }],
      notReadyAddresses: [{ ip: '10.0.0.2' }],
    };
    expect(subset(fields)).toEqual({
      subsets: [
        {
          ports: [],
          portless: true,
          endpoints: [
            { family: 'IPv4', endpoint: { addresses: ['10.0.0.1'], conditions: { ready: true } } },
            { family: 'IPv6', endpoint: { addresses: ['fd00::1'], conditions: { ready: true } } },
            { family: 'IPv4', endpoint: { addresses: ['10.0.0.2'], conditions: { ready: false } } },
          ],
        },
      ],
      slices: undefined,
      told: [],
    });
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['no list', { addresses: 5 }, ['subsets[0].addresses: expected a list, got 5; ignored']],
    ['null', { addresses: null, notReadyAddresses: null }, []],
    ['no text', { addresses: [{ ip: 5 }] }, ['subsets[0].addresses: 5 is not an IP address; left out']],
    ['no object', { addresses: ['10.0.0.1'] }, ['subsets[0].addresses: nothing is not an IP address; left out']],
    [
      'no address',
      { notReadyAddresses: [{ ip: 'x' }] },
      ['subsets[0].notReadyAddresses: "x" is not an IP address; left out'],
    ],
    [
      'an address of the Node itself',
      { addresses: [{ ip: '127.0.0.1' }] },
      [expect.stringMatching(/^subsets\[0\]\.addresses: "127\.0\.0\.1" is .+; left out$/)],
    ],
  ])('are left out: %s', (_, fields, told) => {
    const result = subset(fields);
    expect([result.subsets?.[0]?.endpoints, result.told]).toEqual([[], told]);
  });
});

describe('a slice', () => {
  it.each<readonly [unknown, boolean]>([
    ['IPv4', true],
    ['IPv6', true],
    ['FQDN', false],
    [undefined, false],
    [4, false],
  ])('of the address type %j is read: %s', (addressType, isRead) => {
    const result = slice({ addressType });
    expect(result.slices).toHaveLength(isRead ? 1 : 0);
    expect(result.told).toHaveLength(isRead ? 0 : 1);
    if (!isRead)
      expect(result.told[0]).toMatch(/^endpointSlices\[0\]: addressType .+ is neither IPv4 nor IPv6; left out$/);
  });

  it.each<readonly [string, readonly unknown[], readonly string[] | undefined, readonly string[]]>([
    ['of its family', ['10.0.0.2', '10.0.0.1'], ['10.0.0.2', '10.0.0.1'], []],
    ['that come twice', ['10.0.0.1', '10.0.0.1'], ['10.0.0.1'], []],
    [
      'of the other family',
      ['10.0.0.1', 'fd00::1'],
      ['10.0.0.1'],
      ['endpointSlices[0].endpoints: "fd00::1" is not an IPv4 address; left out'],
    ],
    [
      'none of which is valid: the endpoint is left out',
      ['x'],
      undefined,
      ['endpointSlices[0].endpoints: "x" is not an IP address; left out'],
    ],
    ['that are none: the endpoint is left out', [], undefined, []],
  ])('has the addresses %s', (_, addresses, expected, told) => {
    const result = slice({ endpoints: [{ addresses }] });
    expect(result.slices?.[0]?.endpoints.map((one) => one.endpoint.addresses)).toEqual(
      expected === undefined ? [] : [expected],
    );
    expect(result.told).toEqual(told);
  });

  it('has at most as many addresses of an endpoint as an API server takes', () => {
    const addresses = Array.from({ length: 101 }, (_, at) => `10.0.0.${at + 1}`);
    expect(slice({ endpoints: [{ addresses }] }).slices?.[0]?.endpoints[0]?.endpoint.addresses).toEqual(
      addresses.slice(0, 100),
    );
  });

  it.each<readonly [string, object, object]>([
    [
      'conditions that are booleans',
      { conditions: { ready: false, serving: true, terminating: 'x', odd: true } },
      { conditions: { ready: false, serving: true } },
    ],
    ['no conditions that are none', { conditions: { ready: 'x' } }, {}],
    ['no conditions that are no object', { conditions: 5 }, {}],
    ['a hostname', { hostname: 'web-0' }, { hostname: 'web-0' }],
    ['the longest hostname', { hostname: 'a'.repeat(63) }, { hostname: 'a'.repeat(63) }],
    ['no hostname that is no text', { hostname: 5 }, {}],
    ['a zone', { zone: 'eu-1a' }, { zone: 'eu-1a' }],
    ['no empty zone', { zone: '' }, {}],
    ['no Node, which is not one of the importer', { nodeName: 'n1', targetRef: {} }, {}],
  ])('has of an endpoint %s', (_, fields, expected) => {
    expect(endpoint(fields)).toEqual({
      subsets: undefined,
      slices: [
        {
          ports: [],
          portless: true,
          endpoints: [{ family: 'IPv4', endpoint: { addresses: ['10.0.0.1'], ...expected } }],
        },
      ],
      told: [],
    });
  });

  it.each([
    ['hostname', 'a'.repeat(64)],
    ['hostname', 'web.0'],
    ['zone', 'a b'],
  ])('has of an endpoint no %s that is not valid, and reports it: %s', (field, text) => {
    const { told, slices } = endpoint({ [field]: text });
    expect(slices).toEqual(endpoint({}).slices);
    expect(told).toEqual([expect.stringMatching(`: ${field} ".*" is not valid; left out$`)]);
  });

  it('leaves out an endpoint that is not an object', () => {
    expect(slice({ endpoints: ['x', null] }).slices?.[0]?.endpoints).toEqual([]);
  });

  it.each<readonly [string, unknown, unknown, readonly string[]]>([
    [
      'its family',
      [{ ports: [{ port: 80 }], endpoints: [{ addresses: ['10.0.0.9'] }, { addresses: ['fd00::9'] }] }],
      [
        {
          ports: [{ port: 80, protocol: 'TCP' }],
          portless: false,
          endpoints: [{ family: 'IPv4', endpoint: { addresses: ['10.0.0.9'] } }],
        },
      ],
      ['endpointSlices[0].pods[0].endpoints: "fd00::9" is not an IPv4 address; left out'],
    ],
    ['none', [], undefined, []],
    ['no list', 5, undefined, ['endpointSlices[0].pods: expected a list, got 5; ignored']],
  ])('has behind it Pods of %s', (_, pods, expected, told) => {
    const result = slice({ pods });
    expect([result.slices?.[0]?.pods, result.told]).toEqual([expected, told]);
  });
});

describe('the ports of a group', () => {
  const left = (name: string) => `subsets[0].ports: ${name} has no valid name, number or protocol; left out`;

  it.each<readonly [string, unknown, readonly object[], readonly string[]]>([
    ['a number alone', [{ port: 80 }], [{ port: 80, protocol: 'TCP' }], []],
    [
      'all fields',
      [{ name: 'http', port: 80, protocol: 'UDP', appProtocol: 'example.com/h2c', odd: 1 }],
      [{ name: 'http', port: 80, protocol: 'UDP', appProtocol: 'example.com/h2c' }],
      [],
    ],
    ['no appProtocol that is none', [{ port: 80, appProtocol: 'a b' }], [{ port: 80, protocol: 'TCP' }], []],
    ['no number', [{ name: 'a' }], [], [left('"a"')]],
    ['a number that is none', [{ name: 'a', port: 65_536 }], [], [left('"a"')]],
    ['a protocol that is none', [{ name: 'a', port: 80, protocol: 'ICMP' }], [], [left('"a"')]],
    ['a name that is no text', [{ name: 5, port: 80 }], [], [left('5')]],
    ['no object', ['x'], [], [left('""')]],
    [
      'a name twice',
      [{ name: 'a', port: 80 }, { name: 'a', port: 81 }, { port: 82 }, { name: '', port: 83 }],
      [
        { name: 'a', port: 80, protocol: 'TCP' },
        { port: 82, protocol: 'TCP' },
      ],
      [
        'subsets[0].ports: name "a" is used by an earlier port; left out',
        'subsets[0].ports: name "" is used by an earlier port; left out',
      ],
    ],
    ['no list', 5, [], ['subsets[0].ports: expected a list, got 5; ignored']],
  ])('%s', (_, ports, expected, told) => {
    const result = subset({ ports });
    expect([result.subsets?.[0]?.ports, result.told]).toEqual([expected, told]);
  });

  it.each<readonly [unknown, boolean]>([
    [undefined, true],
    [[], true],
    [5, true],
    [[{ port: 80 }], false],
    [['x'], false],
  ])('%j are none on purpose: %s', (ports, portless) => {
    expect(subset({ ports }).subsets?.[0]?.portless).toBe(portless);
  });
});
