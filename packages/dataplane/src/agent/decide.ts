import type { Address } from '@isthmus/machinery';
import { addressText, equal } from '@isthmus/machinery';
import type { ClusterNetwork } from '../desired/cluster-network.ts';
import { createNetworkPlanner } from '../desired/desired-network.ts';
import { ownNode } from '../desired/own-node.ts';
import type { Underlay } from '../surroundings/underlay.ts';
import { withoutLocalGateways } from '../objects/local-gateways.ts';
import { withOwnGatewayAddress } from '../objects/own-gateway-address.ts';
import type { Problem } from '../objects/problem.ts';
import type { ReadObjects } from '../objects/read-objects.ts';
import type { ReadPolicies } from '../policies/policy-reader.ts';
import { createRemembered } from '../remembered/remembered.ts';
import type { AgentNote } from '../status/agent-status.ts';
import type { MemberObjects } from '../status/missing-ways.ts';
import { missingWays } from '../status/missing-ways.ts';
import type { GatewayOffer } from './gateway-lease.ts';
import type { AgentOptions } from './options.ts';
import type { AgentState, Wanted } from './state.ts';

/** The input that an agent reads before it decides its network. */
export interface Gathered {
  readonly read: ReadObjects;
  /** Whether the Node of the agent exists. */
  readonly hasNode: boolean;
  /** Undefined: no device has the address of the Node. */
  readonly underlay?: Underlay | undefined;
  /** The addresses that the kernel considers its own. */
  readonly local: readonly string[];
}

/** The network that results from the objects and the Node, or why there is none. */
export type Place =
  | { readonly kind: 'known'; readonly cluster: ClusterNetwork; readonly problems: readonly Problem[] }
  | {
      readonly kind: 'unknown';
      readonly why: string;
      /** Changes of the state of the agent. */
      readonly changes: Partial<AgentState>;
      /** When the Node is checked again. Undefined: only when an object changes. */
      readonly lookAgainMs?: number | undefined;
    };

/** The input of a decision about the network, beside objects. */
export interface Observed {
  /** Includes whether direct paths are looked for. */
  readonly cluster: ClusterNetwork;
  readonly problems: readonly Problem[];
  readonly silent: ReadonlySet<string>;
  readonly direct: ReadonlySet<string>;
  readonly judged: ReadPolicies | undefined;
  readonly member: MemberObjects;
}

export interface Decision extends Wanted {
  readonly problems: readonly Problem[];
  readonly ways: readonly AgentNote[];
  readonly isGateway: boolean;
}

export interface Decider {
  place(state: Pick<AgentState, 'tunnels' | 'offer'>, gathered: Gathered): Place;
  decide(observed: Observed): Decision;
}

/** How often the agent checks whether the Node has its address. */
const lookAgainMs = 5_000;

/**
 * The decisions of the agent of one Node. Pure: the same input gives an equal decision. Parts whose
 * objects have not changed since the last time are the same objects again.
 */
export function createDecider({
  node,
  namespace,
  settings,
}: Pick<AgentOptions, 'node' | 'namespace' | 'settings'>): Decider {
  const rememberedUsable = createRemembered<ReturnType<typeof withoutLocalGateways>>();
  const rememberedNodes = createRemembered<ClusterNetwork['nodes']>();
  const plan = createNetworkPlanner();
  return {
    place({ tunnels, offer }, { read, hasNode, underlay, local }) {
      const { network } = read;
      if (network === undefined) {
        const why = hasNode
          ? `Node ${node} has no valid address of type InternalIP; its kubelet sets one, by --node-ip`
          : `Node ${node} does not exist in this cluster; start the agent with the name of its Node, in --node or the environment variable NODE_NAME`;
        return { kind: 'unknown', why, changes: { problems: read.problems, offer: hasNode ? offer : undefined } };
      }
      const self = ownNode(network);
      const { underlayMTU = underlay?.mtu } = settings;
      if (underlayMTU === undefined) {
        const why = `no device of this machine has the address ${addressText(self.address)} of Node ${node}; check that the agent runs on that Node, in its network`;
        return { kind: 'unknown', why, changes: {}, lookAgainMs };
      }
      const now = {
        ...tunnels,
        underlayMTU,
        underlayDevice: underlay?.device,
        nodeDevices: self.podCIDRs.length === 0 ? (underlay?.devices ?? []) : undefined,
      };
      const { remotes, problems } = rememberedUsable.get('', [network.remotes, local], () =>
        withoutLocalGateways(network.remotes, local, namespace),
      );
      const nodes = rememberedNodes.get('', [network.nodes, local], () =>
        withOwnGatewayAddress(network.nodes, node, local),
      );
      return {
        kind: 'known',
        cluster: { ...network, nodes, remotes, settings: equal(tunnels, now) ? tunnels : now },
        problems: [...read.problems, ...problems],
      };
    },
    decide({ cluster: found, problems, silent, direct, judged, member }) {
      const cluster = { ...found, direct };
      return {
        cluster,
        network: plan({ ...cluster, silent, identities: judged?.identities, egress: judged?.egress }),
        judged,
        problems: [...problems, ...(judged?.problems ?? [])],
        ways: missingWays(cluster, member),
        isGateway: ownNode(cluster).isGateway,
      };
    },
  };
}

/**
 * The capabilities of a Node as a gateway, if its network is written; undefined: the Node is not a
 * gateway.
 */
export function offerOf(
  { isGateway }: Pick<Decision, 'isGateway'>,
  offered: {
    readonly publicKey: string | undefined;
    readonly bypassedBy: string | undefined;
    readonly directProbes: readonly Address[];
  },
): GatewayOffer | undefined {
  return isGateway ? offered : undefined;
}

/** The items that are not in `before`, compared by their texts. */
export function newOnes<T>(before: readonly T[], now: readonly T[], textOf: (one: T) => string): readonly T[] {
  const known = new Set(before.map(textOf));
  return now.filter((one) => !known.has(textOf(one)));
}
