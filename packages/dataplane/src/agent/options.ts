import type { Client, World } from '@isthmus/kube';
import type { Cidr } from '@isthmus/machinery';
import type { TunnelSettings, VirtualCIDR } from '../desired/cluster-network.ts';
import type { HoldProgram } from '../kernel/held-nft.ts';
import type { WatchProgram } from '../kernel/kernel-monitor.ts';
import type { RunProgram } from '../kernel/write-network.ts';
import type { DirectSocket } from '../probes/direct-probe.ts';
import type { Probe } from '../probes/probe.ts';
import type { NodeNames } from '../surroundings/local-ranges.ts';
import type { AgentMetrics } from './metrics.ts';

export interface AgentOptions {
  /** The client of the API server of this cluster. */
  readonly client: Client;
  /** The Namespace of the member's controller, which has the ClusterInfoImports. */
  readonly namespace: string;
  /** The name of the Node that the agent runs on. */
  readonly node: string;
  /** The Pod CIDRs of the cluster, if its Nodes do not have them. Default: none. */
  readonly podCIDRs?: readonly Cidr[] | undefined;
  /**
   * The ranges by which other clusters know Pod CIDRs of this one. Default: those that the leader
   * has allotted, or otherwise the Pod CIDRs themselves.
   */
  readonly virtualCIDRs?: readonly VirtualCIDR[] | undefined;
  readonly settings: Omit<TunnelSettings, 'underlayMTU' | 'underlayDevice' | 'nodeDevices' | 'carriesLabels'> & {
    /** Default: the MTU of the device that has the address of the Node. */
    readonly underlayMTU?: number | undefined;
  };
  /** Runs `nft`, `ip` and `bridge` on the Node, with the right to change its network. */
  readonly run: RunProgram;
  /** Keeps `nft` open on the Node. Default: it is started for each change. */
  readonly hold?: HoldProgram | undefined;
  /** Runs the monitors of `nft` and `ip` on the Node. */
  readonly watch: WatchProgram;
  /** How the Node looks up names. Default: it has no nameservers, and knows no hosts. */
  readonly names?: NodeNames | undefined;
  /**
   * Whether packets carry the numbers of labels, and the agent enforces policies. Default: false.
   */
  readonly enableStretchedNetworkPolicy?: boolean | undefined;
  /** How often the whole network is compared with the kernel. Default: 600,000 ms. */
  readonly auditEveryMs?: number | undefined;
  /** Sends probes from the network of the Node. */
  readonly probe: Probe;
  /**
   * How direct paths outside of the tunnels are looked for. With `off`: why they are not. Default:
   * no flag asks for them.
   */
  readonly direct?: DirectAccess | undefined;
  /** Default: nothing is counted. */
  readonly metrics?: AgentMetrics | undefined;
  readonly world: World;
}

export type DirectAccess =
  | {
      readonly socket: DirectSocket;
      /** Hexadecimal digits that are hard to guess. */
      readonly nonce: () => string;
    }
  | { readonly off: string };
