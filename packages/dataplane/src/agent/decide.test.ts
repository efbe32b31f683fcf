import { describe, expect, test } from 'vitest';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import { tunnelAddresses } from '../desired/tunnel-addresses.ts';
import { address, cidr } from '../testing/addresses.ts';
import type { Gathered, Observed } from './decide.ts';
import { createDecider, newOnes, offerOf } from './decide.ts';
import type { AgentOptions } from './options.ts';
import type { AgentState } from './state.ts';
import { firstState } from './state.ts';

const namespace = 'kube-system';
const cluster = (more: Partial<ClusterNetwork> = {}): ClusterNetwork => ({
  node: 'node-1',
  nodes: [{ name: 'node-1', address: address('172.30.1.1'), podCIDRs: [cidr('10.1.1.0/24')], isGateway: true }],
  podCIDRs: [cidr('10.1.0.0/16')],
  remotes: [
    {
      clusterID: 'west',
      podCIDRs: [cidr('10.2.0.0/16')],
      gatewayIPs: ['172.30.2.1', '172.30.2.2'].map(address),
    },
  ],
  services: [],
  settings: { port: 8479, underlayMTU: 0 },
  ...more,
});
const withoutPodCIDRs = cluster().nodes.map((one) => ({ ...one, podCIDRs: [] }));
const problem = { kind: 'Node', name: 'node-2', message: 'It has no address.' } as const;
const underlay = { mtu: 1500, device: 'eth0', devices: ['eth0', 'vxlan.calico'] };
const offer = { publicKey: 'key' };

const deciderWith = (settings: AgentOptions['settings'] = { port: 8479 }) => {
  const options = { node: 'node-1', namespace, settings };
  return { ...createDecider(options), state: { ...firstState(options), offer } };
};
const gathered = (more: Partial<Gathered> = {}): Gathered => ({
  read: { network: cluster(), problems: [] },
  hasNode: true,
  underlay,
  local: [],
  ...more,
});

describe('the place of an agent in its cluster', () => {
  test('has an address for other clusters only if the kernel of the Node has that address', () => {
    const nodes = cluster().nodes.map((one) => ({ ...one, gatewayAddress: address('172.30.1.99') }));
    const read = { network: cluster({ nodes }), problems: [] };
    const { place, state } = deciderWith();
    const found = (local: readonly string[]) => {
      const known = place(state, gathered({ read, local }));
      return known.kind === 'known' ? known.cluster.nodes[0]?.gatewayAddress : 'unknown';
    };
    expect(found(['172.30.1.1', '172.30.1.99'])).toEqual(address('172.30.1.99'));
    expect(found(['172.30.1.1'])).toBeUndefined();
  });

  const nowhere = { network: undefined, problems: [problem] };
  test.each([
    [
      'a Node that does not exist is not a gateway any more',
      { read: nowhere, hasNode: false },
      {
        why: 'Node node-1 does not exist in this cluster; start the agent with the name of its Node, in --node or the environment variable NODE_NAME',
        changes: { problems: [problem], offer: undefined },
      },
    ],
    [
      'a gateway that loses its address stays one',
      { read: nowhere },
      {
        why: 'Node node-1 has no valid address of type InternalIP; its kubelet sets one, by --node-ip',
        changes: { problems: [problem], offer },
      },
    ],
    [
      'an agent on another machine than its Node looks again',
      { underlay: undefined },
      {
        why: 'no device of this machine has the address 172.30.1.1 of Node node-1; check that the agent runs on that Node, in its network',
        changes: {},
        lookAgainMs: 5_000,
      },
    ],
  ] satisfies readonly (readonly [string, Partial<Gathered>, object])[])('is unknown: %s', (_, found, expected) => {
    const { place, state } = deciderWith();
    expect(place(state, gathered(found))).toEqual({ kind: 'unknown', ...expected });
  });

  const settingsIn = (options: AgentOptions['settings'], found: Partial<Gathered>) => {
    const { place, state } = deciderWith(options);
    const known = place(state, gathered(found));
    return known.kind === 'known' ? known.cluster.settings : known.why;
  };
  test.each([
    ['of the device with its address', {}, {}, { underlayMTU: 1500, underlayDevice: 'eth0' }],
    ['that was given', { underlayMTU: 1400 }, {}, { underlayMTU: 1400, underlayDevice: 'eth0' }],
    ['that was given, without a device', { underlayMTU: 1400 }, { underlay: undefined }, { underlayMTU: 1400 }],
  ])('has the MTU %s', (_, options, found, expected) => {
    expect(settingsIn({ port: 8479, ...options }, found)).toEqual({ port: 8479, ...expected });
  });

  test('has the devices to other Nodes only where Pod CIDRs do not show which Pods are its own', () => {
    const read = { network: cluster({ nodes: withoutPodCIDRs }), problems: [] };
    expect(settingsIn({ port: 8479 }, {})).not.toHaveProperty('nodeDevices', expect.anything());
    expect(settingsIn({ port: 8479 }, { read })).toHaveProperty('nodeDevices', ['eth0', 'vxlan.calico']);
    expect(settingsIn({ port: 8479, underlayMTU: 1400 }, { read, underlay: undefined })).toHaveProperty(
      'nodeDevices',
      [],
    );
  });

  test('has the same settings and clusters as long as nothing changes, so that nothing is planned again', () => {
    const { place, state } = deciderWith();
    const found = gathered({ local: ['169.254.1.1'] });
    const first = place(state, found);
    if (first.kind === 'unknown') throw new Error(first.why);
    const remembered: AgentState = { ...state, tunnels: first.cluster.settings };
    const second = place(remembered, gathered({ local: found.local, read: found.read }));
    if (second.kind === 'unknown') throw new Error(second.why);
    expect(second.cluster.settings).toBe(first.cluster.settings);
    expect(second.cluster.remotes).toBe(first.cluster.remotes);
    const moved = place(remembered, { ...found, underlay: { ...underlay, mtu: 9000 } });
    expect(moved.kind === 'known' && moved.cluster.settings).toMatchObject({ underlayMTU: 9000 });
  });

  test('has no gateways of other clusters whose addresses are those of the Node, and reports them', () => {
    const { place, state } = deciderWith();
    const local = [tunnelAddresses(address('172.30.2.2')).hop.IPv4];
    const read = { network: cluster(), problems: [problem] };
    const known = place(state, gathered({ local, read }));
    if (known.kind === 'unknown') throw new Error(known.why);
    expect(known.cluster.remotes).toEqual(remotesAt('172.30.2.1'));
    expect(known.problems.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'Node node-2',
      'ClusterInfoImport west-clusterinfo',
    ]);
    expect(place(state, gathered({ local, read }))).toMatchObject({ cluster: { remotes: known.cluster.remotes } });
  });
});

const remotesAt = (...gateways: readonly string[]) =>
  cluster().remotes.map((one) => ({ ...one, gatewayIPs: gateways.map(address) }));

describe('the decision of an agent', () => {
  const observed = (more: Partial<Observed> = {}): Observed => ({
    cluster: cluster({ settings: { port: 8479, underlayMTU: 1500 } }),
    problems: [],
    silent: new Set(),
    direct: new Set(),
    judged: undefined,
    member: { namespace, clusterSets: 1, clusterInfoImports: 1 },
    ...more,
  });
  const decide = (more: Partial<Observed> = {}) => deciderWith().decide(observed(more));
  const routesOf = ({ network }: ReturnType<typeof decide>) => [...network.routes.values()].map(({ to }) => to);
  const groupsOf = ({ network }: ReturnType<typeof decide>) =>
    [...network.nextHops.values()].flatMap((hop) => ('group' in hop ? [hop.group.length] : []));

  test('uses the gateways that answer probes, and all of them where none does', () => {
    expect(groupsOf(decide())).toEqual([2]);
    expect(groupsOf(decide({ silent: new Set(['isthmus-gw 172.30.2.1']) }))).toEqual([1]);
    const all = new Set(['isthmus-gw 172.30.2.1', 'isthmus-gw 172.30.2.2']);
    expect(groupsOf(decide({ silent: all }))).toEqual([2]);
  });

  test('has no route to Pods that are reached without a tunnel', () => {
    expect(routesOf(decide())).toContain('10.2.0.0/16');
    const direct = decide({ direct: new Set(['west IPv4']) });
    expect(routesOf(direct)).not.toContain('10.2.0.0/16');
    expect(direct.cluster.direct).toEqual(new Set(['west IPv4']));
  });

  test('has the problems of objects and of policies, and what policies deny', () => {
    const judged = {
      enforcedBy: 'agent',
      rules: [],
      identities: [{ address: address('10.1.1.5'), id: 7 }],
      egress: [{ name: 'node', addresses: 'node', denied: { 'shop/cart': 'drop' } }],
      problems: [{ kind: 'NetworkPolicy', name: 'a', message: 'It is not enforced.' }],
    } as const;
    const decided = decide({ problems: [problem], judged });
    expect(decided.problems).toEqual([problem, ...judged.problems]);
    expect(decided.network.sets.get('identity4')?.elements.size).toBe(1);
    expect(decided.network.chains.has('new-local')).toBe(true);
    expect(decide().network.chains.has('new-local')).toBe(false);
  });

  test.each([
    ['no other cluster announces its network', { member: { namespace, clusterSets: 1, clusterInfoImports: 0 } }],
    [
      'contains neither a ClusterSet nor a ClusterInfoImport',
      { member: { namespace, clusterSets: 0, clusterInfoImports: 0 } },
    ],
    ['it announces no gateway that can be used', { cluster: cluster({ remotes: remotesAt() }) }],
  ])('reports why nothing is sent: %s', (why, more) => {
    expect(
      decide(more)
        .ways.map(({ message }) => message)
        .join(),
    ).toContain(why);
    expect(decide().ways).toEqual([]);
  });

  test('has the same network as before where nothing changed', () => {
    const { decide: again } = deciderWith();
    const input = observed();
    const { routes, chains } = again(input).network;
    const { network } = again({ ...input, cluster: { ...input.cluster } });
    expect([network.routes === routes, network.chains === chains]).toEqual([true, true]);
  });

  test('offers a gateway to other clusters only where the Node is one', () => {
    const offered = { publicKey: 'key', bypassedBy: undefined, directProbes: [] };
    expect(offerOf(decide(), offered)).toEqual(offered);
    const nodes = cluster().nodes.map((one) => ({ ...one, isGateway: false }));
    expect(offerOf(decide({ cluster: cluster({ nodes }) }), offered)).toBeUndefined();
  });
});

test('only notes that were not there before are new', () => {
  const note = (text: string) => ({ text });
  const textOf = ({ text }: { readonly text: string }) => text;
  expect(newOnes([note('a'), note('b')], [note('b'), note('c')], textOf)).toEqual([note('c')]);
  expect(newOnes([], [], textOf)).toEqual([]);
});
