import type { Node } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { addressText, cidrText } from '@isthmus/machinery';
import { describe, expect, test } from 'vitest';
import { cidr } from '../testing/addresses.ts';
import type { Problem } from './problem.ts';
import { byPresence, readNodes } from './read-nodes.ts';

interface Given {
  readonly name?: string;
  readonly addresses?: readonly string[];
  readonly podCIDRs?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly zone?: string;
  readonly isReady?: boolean;
  /** Its creation time, in seconds. */
  readonly at?: number;
}
const node = ({
  name = 'node-1',
  addresses = ['172.30.1.1'],
  podCIDRs = ['10.1.1.0/24'],
  annotations = {},
  zone,
  isReady = true,
  at = 0,
}: Given = {}): Node => ({
  metadata: {
    name,
    annotations,
    labels: zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone },
    creationTimestamp: new Date(at * 1_000).toISOString(),
  },
  spec: { podCIDRs: [...podCIDRs] },
  status: {
    addresses: addresses.map((address) => ({ type: 'InternalIP', address })),
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
  },
});

const read = (nodes: readonly Node[], configured: readonly Cidr[] = []) => {
  const problems: Problem[] = [];
  const found = readNodes(nodes, { own: 'node-1', configured, problems });
  return {
    nodes: found,
    names: found.map(({ name }) => name),
    messages: problems.map(({ name, message }) => `${name}: ${message}`),
  };
};

describe('a Node', () => {
  test('has its address, Pod CIDRs, zone and role', () => {
    const { nodes, messages } = read([node({ zone: 'a', annotations: { 'multicluster.antrea.io/gateway': 'true' } })]);
    expect(
      nodes.map((one) => ({ ...one, address: addressText(one.address), podCIDRs: one.podCIDRs.map(cidrText) })),
    ).toEqual([
      { name: 'node-1', address: '172.30.1.1', podCIDRs: ['10.1.1.0/24'], isGateway: true, isReady: true, zone: 'a' },
    ]);
    expect(messages).toEqual([]);
    const given = (text: string) => node({ annotations: { 'multicluster.antrea.io/gateway-ip': text } });
    const texts = ['172.30.1.99', '172.30.1.1', 'fd00::99', 'none'];
    expect(
      texts.map((text) =>
        read([given(text)]).nodes.map((one) => one.gatewayAddress && addressText(one.gatewayAddress)),
      ),
    ).toEqual([['172.30.1.99'], [undefined], [undefined], [undefined]]);
    expect(read([node({ isReady: false })]).nodes[0]).toMatchObject({ isGateway: false, isReady: false });
  });

  test.each([
    ['its first IPv4 address', ['fd00::1', '172.30.1.1', '172.30.1.2'], '172.30.1.1'],
    ['an IPv6 address, if it has no other', ['fd00::1'], 'fd00::1'],
    ['the first valid one', ['nowhere', '172.30.1.2'], '172.30.1.2'],
  ])('is reached at %s', (_, addresses, expected) => {
    expect(read([node({ addresses })]).nodes.map(({ address }) => addressText(address))).toEqual([expected]);
  });

  test('without an address is not used, and that is reported', () => {
    const { names, messages } = read([node(), node({ name: 'node-2', addresses: [] })]);
    expect(names).toEqual(['node-1']);
    expect(messages).toEqual(['node-2: The Node has no valid address of type InternalIP, so no tunnel leads to it.']);
  });

  test('with a Pod CIDR that is not valid keeps the others', () => {
    const { nodes, messages } = read([node({ podCIDRs: ['10.1.1.0', '10.1.2.0/24'] })]);
    expect(nodes[0]?.podCIDRs.map(cidrText)).toEqual(['10.1.2.0/24']);
    expect(messages).toEqual(['node-1: Pod CIDR "10.1.1.0" of the Node is not valid and is not used.']);
  });

  const calico = { 'projectcalico.org/IPv4VXLANTunnelAddr': '10.9.0.1' };
  test('has no Pod CIDRs where Calico gives addresses from pools in the flags of the agent', () => {
    const { nodes, messages } = read([node({ annotations: calico })], [cidr('10.9.0.0/16')]);
    expect(nodes[0]?.podCIDRs).toEqual([]);
    expect(messages).toEqual([expect.stringContaining('No Pod CIDR of this Node is known')]);
  });

  test.each([
    ['keeps its Pod CIDRs where Calico has other addresses that no flag of the agent names', calico, 1],
    [
      'keeps its Pod CIDRs where Calico takes addresses from them',
      { 'projectcalico.org/IPv4IPIPTunnelAddr': '10.1.1.9' },
      0,
    ],
  ])('%s', (_, annotations, problems) => {
    const { nodes, messages } = read([node({ annotations })]);
    expect([nodes[0]?.podCIDRs.map(cidrText), messages.length]).toEqual([['10.1.1.0/24'], problems]);
  });
});

describe('Nodes', () => {
  test.each<[string, readonly Given[], readonly string[]]>([
    ['the own one', [{ isReady: false }, { name: 'node-2', at: 9 }], ['node-1']],
    ['one that is ready', [{ name: 'node-2', at: 9, isReady: false }, { name: 'node-3' }], ['node-3']],
    ['the youngest', [{ name: 'node-2', at: 9 }, { name: 'node-3' }], ['node-2']],
  ])('with one address are one Node: %s', (_, given, expected) => {
    const { names, messages } = read(given.map(node));
    expect(names).toEqual(expected);
    expect(messages).toEqual([
      expect.stringMatching(/^node-\d: The Node is not used: Node node-\d has the address 172\.30\.1\.1 as well\./),
    ]);
  });

  test('that are the same at the end of a tunnel are one Node, and need other addresses', () => {
    const { names, messages } = read([
      node({ addresses: ['fd00::9add:a4e9:3454'] }),
      node({ name: 'node-2', addresses: ['fd00::7246:54e:8d06'] }),
    ]);
    expect(names).toEqual(['node-1']);
    expect(messages[0]).toContain(
      'in tunnels its address fd00::7246:54e:8d06 is the same as fd00::9add:a4e9:3454 of Node node-1',
    );
  });

  test.each<[string, readonly string[], readonly Cidr[], number]>([
    ['of any of them', [], [], 2],
    ['of the own Node alone', ['10.1.2.0/24'], [], 1],
    ['of any of them, with configured ones', [], [cidr('10.1.0.0/16')], 1],
  ])('report where no Pod CIDR is known %s', (_, podCIDRs, configured, count) => {
    const { messages } = read(
      [node({ podCIDRs: [] }), node({ name: 'node-2', addresses: ['172.30.1.2'], podCIDRs })],
      configured,
    );
    expect(messages).toHaveLength(count);
    expect(messages[0]).toContain('No Pod CIDR of this Node is known');
  });

  test('are sorted by name, and by presence where they share an address', () => {
    expect(read(['c', 'a', 'b'].map((name, index) => node({ name, addresses: [`172.30.1.${index}`] }))).names).toEqual([
      'a',
      'b',
      'c',
    ]);
    const sorted = [node({ name: 'ready' }), node({ name: 'gone', isReady: false, at: 5 })].toSorted(byPresence);
    expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['gone', 'ready']);
  });
});
