import type { LocalRange } from '@isthmus/api';
import type { ClusterNetwork, TunnelSettings } from '../desired/cluster-network.ts';
import type { Network } from '../network/network.ts';
import type { Problem } from '../objects/problem.ts';
import type { ReadPolicies } from '../policies/policy-reader.ts';
import type { AgentNote } from '../status/agent-status.ts';
import type { GatewayOffer } from './gateway-lease.ts';
import type { AgentOptions } from './options.ts';

/** The state that an agent keeps from one round to the next. All of it is lost with the process. */
export interface AgentState {
  /** The same object as long as the settings are the same. */
  readonly tunnels: TunnelSettings;
  /** The parts of objects that are not used. */
  readonly problems: readonly Problem[];
  /** Why nothing is sent to some clusters, or only to some of their endpoints. */
  readonly ways: readonly AgentNote[];
  /** The result of the last decision; undefined: there was none yet. */
  readonly wanted: Wanted | undefined;
  /** Whether this process has written a network. */
  readonly isWritten: boolean;
  /** Why the network is not as it should be; undefined: it is. */
  readonly notWritten: string | undefined;
  /**
   * The Services whose flows were compared with their endpoints. Empty: all flows have to be
   * checked.
   */
  readonly flowsOf: ClusterNetwork['services'];
  /** Why UDP flows could not be forgotten the last time. */
  readonly notForgotten: string | undefined;
  /** What the Node reached by itself when that was last read. */
  readonly localRanges: readonly LocalRange[];
  /** What the Lease of the Node announces; undefined: the Node is not a gateway. */
  readonly offer: GatewayOffer | undefined;
  /** Why the Lease could not be written the last time. */
  readonly leaseError: unknown;
}

export interface Wanted {
  readonly cluster: ClusterNetwork;
  readonly network: Network;
  /** Undefined: policies are off. */
  readonly judged: ReadPolicies | undefined;
}

export function firstState({
  settings,
  enableStretchedNetworkPolicy,
}: Pick<AgentOptions, 'settings' | 'enableStretchedNetworkPolicy'>): AgentState {
  return {
    tunnels: {
      ...settings,
      underlayMTU: settings.underlayMTU ?? 0,
      carriesLabels: enableStretchedNetworkPolicy,
    },
    problems: [],
    ways: [],
    wanted: undefined,
    isWritten: false,
    notWritten: 'the network of the Node is not written yet',
    flowsOf: [],
    notForgotten: undefined,
    localRanges: [],
    offer: undefined,
    leaseError: undefined,
  };
}

/** The state of a running agent. Controllers change it; its status reads it. */
export interface AgentMemory {
  readonly state: AgentState;
  remember(changes: Partial<AgentState>): void;
}

export function createMemory(first: AgentState): AgentMemory {
  let state = first;
  return {
    get state() {
      return state;
    },
    remember(changes) {
      state = { ...state, ...changes };
    },
  };
}
