import type { RunProgram } from '../kernel/write-network.ts';

/** A CNI whose eBPF programs can forward packets before nft sees them. */
export interface Bypass {
  /** Its name, as its project writes it. */
  readonly by: string;
  /** A sentence: the evidence, and what it means. */
  readonly message: string;
}

/** The evidence on a Node. */
interface BypassSigns {
  /** The names of its devices. */
  readonly devices: readonly string[];
  /** Whether kube-proxy has rules on the Node, as far as `nft` and devices show. */
  readonly hasKubeProxy: boolean;
}

/**
 * Whether a CNI bypasses nft. The devices of Calico's eBPF mode exist only in that mode. Cilium has
 * its devices in every mode. If kube-proxy is missing, Cilium replaces it, which it must do to
 * forward packets without nft.
 */
function bypassOf({ devices, hasKubeProxy }: BypassSigns): Bypass | undefined {
  const has = (name: string) => devices.includes(name);
  if (has('bpfin.cali') || has('bpfout.cali'))
    return {
      by: 'Calico',
      message: `Calico runs in its eBPF mode on this Node (device bpfin.cali), and ${consequence}`,
    };
  if (has('cilium_host') && !hasKubeProxy)
    return {
      by: 'Cilium',
      message: `Cilium seems to replace kube-proxy on this Node (device cilium_host, and no rules of kube-proxy), and ${consequence}`,
    };
  return undefined;
}

const consequence =
  'its eBPF programs can translate and forward packets before nft sees them. Imported Services may not be reached from Pods; docs/guides/agent.md shows which settings help';

/**
 * Whether a CNI of a Node with these devices bypasses nft. The rules of kube-proxy are looked for
 * only if Cilium is there. Errors: throws if `nft` cannot be run.
 */
export async function readBypass(run: RunProgram, devices: readonly string[]): Promise<Bypass | undefined> {
  return bypassOf({ devices, hasKubeProxy: !devices.includes('cilium_host') || (await hasKubeProxy(run, devices)) });
}

async function hasKubeProxy(run: RunProgram, devices: readonly string[]): Promise<boolean> {
  if (devices.includes('kube-ipvs0')) return true;
  for (const where of kubeProxyChains) {
    const { code } = await run('nft', ['-t', 'list', 'chain', ...where], '');
    if (code === 0) return true;
  }
  return false;
}

/**
 * Chains that kube-proxy has in each of its modes and families: in iptables mode through
 * iptables-nft, and in nftables mode.
 */
const kubeProxyChains: readonly (readonly string[])[] = ['ip', 'ip6'].flatMap((family) => [
  [family, 'nat', 'KUBE-SERVICES'],
  [family, 'kube-proxy', 'services'],
]);
