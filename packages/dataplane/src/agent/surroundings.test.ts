import { memoryLog } from '@isthmus/kube';
import { describe, expect, test } from 'vitest';
import { cidr } from '../testing/addresses.ts';
import type { OpenPolicies } from './policies.ts';
import { createSurroundings } from './surroundings.ts';

/** A Node, and what its programs print of it. */
function start(policies?: Pick<OpenPolicies, 'lookForAntrea' | 'isAntrea'>) {
  const node = {
    devices: ['eth0'],
    forwards: true,
    firewalls: [] as string[],
    /** Since it was started; undefined: `conntrack` cannot be run. */
    refused: 100 as number | undefined,
    hasLaterNft: false,
  };
  const answer = (stdout: string, code = 0) => Promise.resolve({ code, stdout, stderr: '' });
  const run = (program: string, args: readonly string[]) => {
    if (program === 'conntrack')
      return node.refused === undefined
        ? Promise.reject(new Error('cannot run conntrack'))
        : answer(`cpu=0 found=1 drop=${node.refused}\n`);
    if (program === 'ip') {
      const settings = { family: 'inet', interface: 'all', forwarding: node.forwards };
      return answer(`${JSON.stringify(node.devices.map((ifname) => ({ ifname })))}\n${JSON.stringify([settings])}\n`);
    }
    if (!args.includes('chains')) return answer('', 1);
    const chains = node.firewalls.map((table) => ({
      chain: { family: 'inet', table, name: 'forward', hook: 'forward', policy: 'drop' },
    }));
    return answer(JSON.stringify({ nftables: chains }));
  };
  const log = memoryLog();
  const programs = { run, watch: () => Promise.resolve('stopped'), isUsed: () => node.hasLaterNft };
  const surroundings = createSurroundings({ programs, policies: policies as OpenPolicies | undefined, log });
  const look = (...cidrs: readonly string[]) =>
    surroundings.look((cidrs.length === 0 ? ['10.10.0.0/16'] : cidrs).map((one) => cidr(one)));
  /** What was logged since the last call. */
  let seen = 0;
  const logged = () => {
    const entries = log.entries.slice(seen);
    seen = log.entries.length;
    return entries.map(({ message }) => message);
  };
  const notes = () => surroundings.notes().map(({ message }) => message);
  return { node, surroundings, look, logged, notes };
}

describe('what is on a Node', () => {
  test('is nothing worth a note at first', async () => {
    const { look, logged, notes, surroundings } = start();
    expect(notes()).toEqual([]);
    await look();
    expect([logged(), notes(), surroundings.bypassedBy()]).toEqual([[], [], undefined]);
  });

  test('such as firewalls, is logged when each is found, and noted as long as it is there', async () => {
    const { node, look, logged, notes } = start();
    node.firewalls = ['first'];
    await look();
    expect(logged()).toEqual(['a firewall may drop packets']);
    node.firewalls = ['first', 'second'];
    await look();
    expect(logged()).toEqual(['a firewall may drop packets']);
    expect(notes()).toEqual([expect.stringContaining('inet first'), expect.stringContaining('inet second')]);
    await look();
    expect(logged()).toEqual([]);
    node.firewalls = [];
    await look();
    expect([logged(), notes()]).toEqual([[], []]);
    node.firewalls = ['first'];
    await look();
    expect(logged()).toEqual(['a firewall may drop packets']);
  });

  test('such as a kernel that does not forward, counts for the families that the cluster has', async () => {
    const { node, look, logged, notes } = start();
    node.forwards = false;
    await look('fd00::/64');
    expect([logged(), notes()]).toEqual([[], []]);
    await look('10.10.0.0/16', '10.11.0.0/16');
    expect(logged()).toEqual(['this Node forwards no packets of a family']);
    expect(notes()).toEqual([expect.stringContaining('forwards no packets of IPv4')]);
    await look();
    expect(logged()).toEqual([]);
    node.forwards = true;
    await look();
    expect(notes()).toEqual([]);
  });

  test('such as refused connections, counts since the last look', async () => {
    const { node, look, logged, notes } = start();
    await look();
    node.refused = 107;
    await look();
    expect(logged()).toEqual(['the connection tracking table of this Node was full']);
    expect(notes()).toEqual([expect.stringContaining('refused 7 new connections')]);
    await look();
    expect([logged(), notes()]).toEqual([[], []]);
    // It was started again.
    node.refused = 3;
    await look();
    expect([logged(), notes()]).toEqual([[], []]);
    node.refused = 4;
    await look();
    expect(notes()).toEqual([expect.stringContaining('refused 1 new connections')]);
  });

  test('such as connections that cannot be counted, is logged once, and counted again afterwards', async () => {
    const { node, look, logged, notes } = start();
    await look();
    node.refused = undefined;
    await look();
    await look();
    expect(logged()).toEqual(['it is not known whether this Node drops new connections']);
    expect(notes()).toEqual([expect.stringContaining('cannot run conntrack')]);
    node.refused = 500;
    await look();
    expect([logged(), notes()]).toEqual([[], []]);
    node.refused = undefined;
    await look();
    expect(logged()).toEqual(['it is not known whether this Node drops new connections']);
  });

  test('such as a CNI that bypasses nft, is logged when it is found, and when it is another', async () => {
    const { node, look, logged, notes, surroundings } = start();
    const found = 'the CNI of this Node bypasses nft';
    node.devices = ['eth0', 'bpfin.cali'];
    await look();
    await look();
    expect([logged(), surroundings.bypassedBy()]).toEqual([[found], 'Calico']);
    expect(notes()).toEqual([expect.stringContaining('Calico runs in its eBPF mode')]);
    node.devices = ['eth0', 'cilium_host'];
    await look();
    expect([logged(), surroundings.bypassedBy()]).toEqual([[found], 'Cilium']);
    node.devices = ['eth0'];
    await look();
    expect([logged(), surroundings.bypassedBy(), notes()]).toEqual([[], undefined, []]);
  });

  test('such as a later nft, is noted as long as it is used', () => {
    const { node, notes } = start();
    node.hasLaterNft = true;
    expect(notes()).toEqual([expect.stringContaining('nft crashed')]);
  });

  test('such as the agent that enforces policies, is logged when that changes', async () => {
    const seen: (readonly string[])[] = [];
    const policies = {
      isAntrea: true,
      lookForAntrea(devices: readonly string[]) {
        seen.push(devices);
        return seen.length === 1;
      },
    };
    const { look, logged } = start(policies);
    await look();
    await look();
    expect(logged()).toEqual(['the agent that enforces policies on this Node has changed']);
    expect(seen).toEqual([['eth0'], ['eth0']]);
  });
});
