import fc from 'fast-check';
import { systemClock } from '@isthmus/kube';
import { missingForNodes, startPacketLab } from '@isthmus/testkit';
import type { PacketLab } from '@isthmus/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { desiredNetwork } from '../desired/desired-network.ts';
import { emptyNetwork } from '../network/network.ts';
import { kernelState, wholeState } from '../testing/kernel-state.ts';
import { clusterNetworks } from '../testing/random-cluster.ts';
import { labHold } from '../testing/lab-hold.ts';
import { withHeldNft } from './held-nft.ts';
import { createNetworkWriter } from './network-writer.ts';
import { readNetwork } from './read-network.ts';
import type { RunProgram } from './write-network.ts';

describe.skipIf(missingForNodes(process.env).length > 0)('the network of a Node', () => {
  let lab: PacketLab;
  beforeAll(async () => {
    lab = await startPacketLab({ clusters: { east: { nodes: 2 } } });
  });
  afterAll(() => lab?.[Symbol.asyncDispose]());

  test('is after many changes what it is when it is written at once, and after its removal what it was', async () => {
    const [one, other] = lab.clusters['east']?.nodes ?? [];
    if (one === undefined || other === undefined) throw new Error('the lab has too few Nodes');
    const untouched = [await kernelState(one.place.run), await kernelState(other.place.run)];
    const networks = fc.sample(clusterNetworks(), { seed: 20_261_126, numRuns: 24 }).map(desiredNetwork);
    using held = new DisposableStack();
    const nft = held.adopt(
      withHeldNft({
        run: one.place.run,
        hold: labHold(one),
        clock: systemClock(),
        longestInput: Number.POSITIVE_INFINITY,
      }),
      ({ close }) => close(),
    );
    const [writer, otherWriter] = [createNetworkWriter(nft.run), createNetworkWriter(other.place.run)];
    for (const [step, next] of networks.entries()) {
      await writer.write(next);
      if (step % 8 !== 7) continue;
      await otherWriter.write(next);
      expect(await kernelState(one.place.run)).toEqual(await kernelState(other.place.run));
      await otherWriter.remove();
    }
    await writer.remove();
    expect([await kernelState(one.place.run), await kernelState(other.place.run)]).toEqual(untouched);
  });

  test('gets nothing of a transaction that the kernel rejects, from an nft that is kept open as from one that is started for it', async () => {
    const [one] = lab.clusters['east']?.nodes ?? [];
    if (one === undefined) throw new Error('the lab has no Node');
    const { run } = one.place;
    const nft = withHeldNft({ run, hold: labHold(one), clock: systemClock() });
    const input =
      'add table inet isthmus\nadd chain inet isthmus a {\naccept\n}\nadd rule inet isthmus nobody accept\n';
    const [kept, started] = [await nft.run('nft', ['-f', '-'], input), await run('nft', ['-f', '-'], input)];
    const first = ({ code, stderr }: typeof kept) => [code, stderr.split('\n')[0]?.replace(/^[^ ]+ Error/, 'Error')];
    expect(first(kept)).toEqual([1, 'Error: Could not process rule: No such file or directory']);
    expect(first(started)).toEqual(first(kept));
    expect((await run('nft', ['list', 'tables'], '')).stdout).not.toContain('isthmus');
    expect(await nft.run('nft', ['-f', '-'], 'add table inet isthmus\n')).toMatchObject({ code: 0, stderr: '' });
    expect((await run('nft', ['list', 'tables'], '')).stdout).toContain('isthmus');
    expect(await nft.run('nft', ['-f', '-'], 'delete table inet isthmus\n')).toMatchObject({ code: 0, stderr: '' });
    nft.close();
  });

  test('is written beside what others have there, and after its removal nothing of theirs has changed', async () => {
    const [one] = lab.clusters['east']?.nodes ?? [];
    if (one === undefined) throw new Error('the lab has no Node');
    const { run } = one.place;
    const others = `
      ip link add theirs type veth peer name theirs0
      for one in theirs theirs0; do ip link set $one addrgenmode none up; done
      ip address add 192.0.2.1/24 dev theirs
      ip route add 198.51.100.0/24 dev theirs table 7100
      ip route add default dev theirs table 7101 protocol 73
      ip rule add priority 501 from 192.0.2.0/24 lookup 7100
      ip nexthop add id 7 dev theirs
      nft 'table inet theirs { chain in { type filter hook input priority 0; policy accept; tcp dport 9 drop; }; }'`;
    const ended = await run('sh', ['-ec', others], '');
    expect(ended).toMatchObject({ code: 0 });
    const before = await wholeState(run);
    const networks = fc.sample(clusterNetworks(), { seed: 20_261_129, numRuns: 5 }).map(desiredNetwork);
    for (const network of networks) {
      await createNetworkWriter(run).write(network);
      expect(await wholeState(run)).not.toEqual(before);
      await createNetworkWriter(run).remove();
      expect(await wholeState(run)).toEqual(before);
    }
    const removal = 'ip rule del priority 501; ip nexthop del id 7; nft delete table inet theirs; ip link del theirs';
    expect(await run('sh', ['-ec', removal], '')).toMatchObject({ code: 0 });
  });

  test('makes way with what others have put under its names: into its table, as its device, or with its protocol', async () => {
    const [one] = lab.clusters['east']?.nodes ?? [];
    const [network] = fc
      .sample(clusterNetworks(), { seed: 20_261_130, numRuns: 200 })
      .map(desiredNetwork)
      .filter(({ links, routes, rules }) => links.size > 1 && routes.size > 0 && rules.size > 0);
    if (one === undefined || network === undefined) throw new Error('the lab has no gateway');
    const { run } = one.place;
    const writer = createNetworkWriter(run);
    await writer.write(network);
    await writer.audit();
    const asWritten = await kernelState(run);
    const added = `
      nft 'add chain inet isthmus theirs { type filter hook forward priority 0; policy drop; }'
      nft 'add set inet isthmus theirs { type ipv4_addr; }'
      ip route add 198.51.100.0/24 dev isthmus-node table 7100 protocol 73
      ip rule add priority 502 lookup 7100 protocol 73
      ip nexthop add id 9 via 192.0.2.9 dev isthmus-node onlink protocol 73`;
    expect(await run('sh', ['-ec', added], '')).toMatchObject({ code: 0, stderr: '' });
    expect((await writer.audit()).length).toBeGreaterThan(3);
    await writer.write(network);
    expect(await kernelState(run)).toEqual(asWritten);
    // A device of another kind is not removed, because it is not ours: the error names it.
    await writer.remove();
    expect(await run('sh', ['-ec', 'ip link add isthmus-node type veth peer name theirs0'], '')).toMatchObject({
      code: 0,
    });
    await expect(createNetworkWriter(run).write(network)).rejects.toThrow(/isthmus-node|File exists/);
    expect(await run('ip', ['link', 'del', 'isthmus-node'], '')).toMatchObject({ code: 0 });
    await createNetworkWriter(run).write(network);
    expect(await kernelState(run)).toEqual(asWritten);
    await createNetworkWriter(run).remove();
  });

  test('keeps its chains and sets from one run of the agent to the next, as new ones would be empty for the packets of a moment', async () => {
    const [one] = lab.clusters['east']?.nodes ?? [];
    if (one === undefined) throw new Error('the lab has no Node');
    const { run } = one.place;
    const [network, next] = fc.sample(clusterNetworks(), { seed: 20_261_201, numRuns: 2 }).map(desiredNetwork);
    if (network === undefined || next === undefined) throw new Error('there are no networks');
    await createNetworkWriter(run).write(network);
    const before = await handles(run);
    for (const again of [network, next, network]) {
      await createNetworkWriter(run).write(again);
      const after = await handles(run);
      const same = [...before].filter(([name]) => after.has(name));
      expect(same.length).toBeGreaterThan(20);
      const inNext = (name: string) => [...next.chains.keys(), ...next.sets.keys()].some((one) => one === name);
      for (const [name, handle] of same) if (inNext(name)) expect([name, after.get(name)]).toEqual([name, handle]);
    }
    const asWritten = await kernelState(run);
    await createNetworkWriter(run).remove();
    // A part that another version made in another way is made again: the first transaction fails.
    const others = `
      nft 'table inet isthmus { set own4 { type inet_service; }; chain sent { type filter hook output priority 7; }; }'`;
    expect(await run('sh', ['-ec', others], '')).toMatchObject({ code: 0, stderr: '' });
    const writer = createNetworkWriter(run);
    await expect(writer.write(network)).rejects.toThrow('nft failed');
    await writer.write(network);
    expect(await kernelState(run)).toEqual(asWritten);
    await writer.remove();
  });

  test('follows another port of tunnels, also from one run of the agent to the next, and leaves nothing of the one before', async () => {
    const [one] = lab.clusters['east']?.nodes ?? [];
    const [cluster] = fc
      .sample(clusterNetworks(), { seed: 20_261_128, numRuns: 200 })
      .filter(({ node, nodes }) => nodes.some(({ name, isGateway }) => name === node && isGateway));
    if (one === undefined || cluster === undefined) throw new Error('the lab has no gateway');
    const untouched = await kernelState(one.place.run);
    const on = (port: number) =>
      desiredNetwork({ ...cluster, settings: { ...cluster.settings, port, wireGuardPort: 51_821 } });
    // The kernel of this machine may not have WireGuard.
    const rulesOn = (port: number) => ({ ...emptyNetwork, rules: on(port).rules });
    await createNetworkWriter(one.place.run).write(rulesOn(8479));
    const before = await kernelState(one.place.run);
    expect(before['rules']?.join()).toContain('8479');
    await createNetworkWriter(one.place.run).write(rulesOn(8500));
    expect((await kernelState(one.place.run))['rules']?.join()).not.toContain('8479');
    await createNetworkWriter(one.place.run).write(rulesOn(8479));
    expect(await kernelState(one.place.run)).toEqual(before);
    await createNetworkWriter(one.place.run).remove();
    expect(await kernelState(one.place.run)).toEqual(untouched);
  });

  test('is adopted by the next run of the agent, which writes the difference alone, and can be removed by any', async () => {
    const [one] = lab.clusters['east']?.nodes ?? [];
    if (one === undefined) throw new Error('the lab has no Node');
    const untouched = await kernelState(one.place.run);
    const networks = fc.sample(clusterNetworks(), { seed: 20_261_127, numRuns: 5 }).map(desiredNetwork);
    for (const network of networks) {
      // Each write is by a new agent, which has no state.
      await createNetworkWriter(one.place.run).write(network);
      const { sets: _, chains: __, ...paths } = network;
      expect(await readNetwork(one.place.run)).toMatchObject(paths);
      const asWritten = await kernelState(one.place.run);
      const programs: string[] = [];
      const run: typeof one.place.run = (program, args, input = '') => {
        if (args.includes('-force')) programs.push(`${program}: ${input}`);
        return one.place.run(program, args, input);
      };
      await createNetworkWriter(run).write(network);
      expect(programs).toEqual([]);
      expect(await kernelState(one.place.run)).toEqual(asWritten);
    }
    await createNetworkWriter(one.place.run).remove();
    expect(await kernelState(one.place.run)).toEqual(untouched);
    await createNetworkWriter(one.place.run).remove();
    expect(await kernelState(one.place.run)).toEqual(untouched);
  });
});

/** The handles of the chains and sets of our table. One that is made again has another handle. */
async function handles(run: RunProgram): Promise<ReadonlyMap<string, number>> {
  const { stdout } = await run('nft', ['-j', '-t', 'list', 'table', 'inet', 'isthmus'], '');
  type Part = { readonly name: string; readonly handle: number };
  const { nftables } = JSON.parse(stdout) as { readonly nftables: readonly Readonly<Record<string, Part>>[] };
  const parts = nftables.flatMap(({ chain, set, map }) => chain ?? set ?? map ?? []);
  return new Map(parts.map(({ name, handle }) => [name, handle]));
}
