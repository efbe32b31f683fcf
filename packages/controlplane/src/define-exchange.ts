import type { StatusDefinition } from '@isthmus/api';
import type { LeaderExchange } from '@isthmus/wire';
import type { MemberExchange } from './member-exchange.ts';

/**
 * How one kind of payload is exchanged between the clusters of a ClusterSet: what a member exports, how the leader checks, merges and
 * publishes it, how a member imports, applies and withdraws it. Leader, member, leave, clean-up, RBAC and the reference pages are generic over
 * these definitions: a new replicated kind is a folder and a line in `exchanges/index.ts`.
 */
export interface Exchange {
  /** The kind of what is exchanged, as users know it. Unique; the name of its indexes. */
  readonly name: string;
  /** What is exchanged, in a sentence for the reference pages. */
  readonly docs: string;
  /** The setting of MultiClusterConfig without which it is off: a leader does not merge then, and a member withdraws. Default: it is always on. */
  readonly setting?: 'enableStretchedNetworkPolicy' | undefined;
  /** What it reports on objects, and why: its part of the troubleshooting page. */
  readonly statuses: readonly StatusDefinition[];
  readonly leader: LeaderExchange;
  readonly member: MemberExchange;
}

/** Returns its argument; it gives the compiler the place to say what is missing. */
export function defineExchange(exchange: Exchange): Exchange {
  return exchange;
}
