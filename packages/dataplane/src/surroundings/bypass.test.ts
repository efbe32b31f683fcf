import { describe, expect, test } from 'vitest';
import { readBypass } from './bypass.ts';
import type { RunProgram } from '../kernel/write-network.ts';

/** A Node with these chains of nft. */
function nodeWith(chains: readonly string[] = []) {
  const asked: string[] = [];
  const run: RunProgram = (program, args) => {
    asked.push([program, ...args].join(' '));
    const isThere = chains.includes(args.slice(3).join(' '));
    return Promise.resolve({ code: isThere ? 0 : 1, stdout: '', stderr: isThere ? '' : 'No such file or directory' });
  };
  return { run, asked };
}

describe('a CNI that bypasses nft', () => {
  test.each([
    ['none', ['eth0', 'cni0', 'isthmus-node'], [], undefined],
    ['Calico in its eBPF mode', ['eth0', 'bpfin.cali', 'bpfout.cali'], ['ip nat KUBE-SERVICES'], 'Calico'],
    ['Calico without eBPF', ['eth0', 'cali12345678901', 'vxlan.calico'], [], undefined],
    ['Cilium in place of kube-proxy', ['eth0', 'cilium_host', 'cilium_net', 'lxc123'], [], 'Cilium'],
    ['Cilium beside kube-proxy with iptables', ['eth0', 'cilium_host'], ['ip nat KUBE-SERVICES'], undefined],
    ['Cilium beside kube-proxy with iptables, for IPv6', ['eth0', 'cilium_host'], ['ip6 nat KUBE-SERVICES'], undefined],
    ['Cilium beside kube-proxy with nftables', ['eth0', 'cilium_host'], ['ip kube-proxy services'], undefined],
    ['Cilium beside kube-proxy with IPVS', ['eth0', 'cilium_host', 'kube-ipvs0'], [], undefined],
  ] as const)('is recognized by what is on the Node: %s', async (_, devices, chains, by) => {
    expect((await readBypass(nodeWith(chains).run, devices))?.by).toBe(by);
  });

  test('is reported with what was found and what it means', async () => {
    expect((await readBypass(nodeWith().run, ['cilium_host']))?.message).toMatch(
      /^Cilium seems to replace kube-proxy on this Node \(device cilium_host, .*docs\/guides\/agent\.md/,
    );
  });

  test('costs no run of nft where Cilium is not', async () => {
    const { run, asked } = nodeWith();
    await readBypass(run, ['eth0', 'cni0']);
    expect(asked).toEqual([]);
  });
});
