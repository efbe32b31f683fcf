import type { ControllerConfig } from '@isthmus/controlplane';
import type { memoryLog } from '@isthmus/kube';
import type { Sandbox } from '@isthmus/sandbox';
import type { VirtualClock } from '../clock/virtual-clock.ts';
import type { Link } from './links.ts';

/** A sandbox, and what was asked of it. */
export interface LoggedSandbox extends Sandbox {
  /** One line for each request in the order of their answers: who, method, path, query, code, body. Equal runs have equal logs. */
  requestLog(): readonly string[];
}

/** What a story may change of a member's configuration. */
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
  /** What its controllers logged. */
  readonly log: ReturnType<typeof memoryLog>;
  /** Starts the controllers of these roles, or all of the cluster's. What `changed` names is their configuration from then on. */
  start(role?: 'leader' | 'member', changed?: Partial<MemberSettings>): void;
  /** Ends them as `kill -9` does: from this moment on no request of theirs reaches a server. */
  kill(role?: 'leader' | 'member'): void;
  running(role: 'leader' | 'member'): boolean;
}

/** A fleet in one process, in virtual time: real controllers, sandboxes, RBAC as generated. */
export interface VirtualFleet extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly leader: VirtualCluster;
  cluster(name: string): VirtualCluster;
  readonly clusters: readonly VirtualCluster[];
  /** The way of `<cluster>-leader` or `<cluster>-member` to a cluster's API server. */
  link(controller: string, server: string): Link;
  /** Creates the ClusterSet of the leader, and of each member with its token. */
  join(): void;
  /** From now on the leader answers 401 to every request with this token; streams that are open go on. */
  revoke(token: string): void;
  /** Advances virtual time until `predicate` holds; fails after `limitMs` (default one minute) with what each cluster looks like. */
  until(what: string, predicate: () => boolean, limitMs?: number): Promise<void>;
  /** Every request of every server, in the order of their arrival at each. */
  requestLog(): readonly string[];
}
