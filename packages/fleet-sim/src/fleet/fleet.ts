import type { ControllerConfig } from '@isthmus/controlplane';
import type { memoryLog } from '@isthmus/kube';
import type { Sandbox } from '@isthmus/sandbox';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { Link } from './links.ts';

/** A sandbox and its requests. */
export interface LoggedSandbox extends Sandbox {
  /**
   * One line for each request in the order of the answers: user, method, path, query, code, body.
   * Equal runs have equal logs.
   */
  requestLog(): readonly string[];
}

/** The part of a member's configuration that a caller can change. */
export type MemberSettings = Pick<
  ControllerConfig,
  | 'enableStretchedNetworkPolicy'
  | 'endpointIPType'
  | 'gatewayIPPrecedence'
  | 'importExcludedNamespaces'
  | 'podCIDRs'
  | 'serviceCIDR'
>;

export interface VirtualCluster {
  readonly name: string;
  readonly server: LoggedSandbox;
  /** The log of its controllers. */
  readonly log: ReturnType<typeof memoryLog>;
  /**
   * Starts the controllers of a role, or of all roles of the cluster. `changed` overrides their
   * configuration from then on.
   */
  start(role?: 'leader' | 'member', changed?: Partial<MemberSettings>): void;
  /** Ends them as `kill -9` does: from this moment on, none of their requests reaches a server. */
  kill(role?: 'leader' | 'member'): void;
  running(role: 'leader' | 'member'): boolean;
}

/** A fleet in one process and in virtual time: real controllers, sandboxes, generated RBAC. */
export interface VirtualFleet extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly leader: VirtualCluster;
  cluster(name: string): VirtualCluster;
  readonly clusters: readonly VirtualCluster[];
  /**
   * The link of the controller `<cluster>-leader` or `<cluster>-member` to the API server of a
   * cluster.
   */
  link(controller: string, server: string): Link;
  /** Creates the ClusterSet of the leader, and of each member with its token. */
  join(): void;
  /**
   * From now on, the leader answers 401 to every request with this token. Open streams continue.
   */
  revoke(token: string): void;
  /**
   * Advances virtual time until `predicate` holds. Errors: rejects after `limitMs` (default: one
   * minute), with the state and the last log lines of each cluster.
   */
  until(what: string, predicate: () => boolean, limitMs?: number): Promise<void>;
  /** Every request of every server, in the order of their arrival at each. */
  requestLog(): readonly string[];
}
