import type { StatusDefinition } from '@isthmus/api';
import type { LeaderExchange } from '@isthmus/wire';
import type { MemberExchange } from './member-exchange.ts';

/**
 * How clusters of a ClusterSet exchange one kind of payload. A member exports it, the leader
 * checks, merges and publishes it, and a member imports, applies and withdraws it. Leader, member,
 * leave, clean-up, RBAC and the reference pages are generic over these definitions. A new
 * replicated kind is one folder and one line in `exchanges/index.ts`.
 */
export interface Exchange {
  /**
   * The kind of the exchanged objects, as users know it. It is unique, and the name of its indexes.
   */
  readonly name: string;
  /** The exchanged objects, in a sentence for the reference pages. */
  readonly docs: string;
  /**
   * The setting of MultiClusterConfig that turns it on. If it is off, a leader does not merge, and
   * a member withdraws. Default: it is always on.
   */
  readonly setting?: 'enableStretchedNetworkPolicy' | undefined;
  /**
   * The statuses that it reports on objects, with their reasons: its part of the troubleshooting
   * page.
   */
  readonly statuses: readonly StatusDefinition[];
  readonly leader: LeaderExchange;
  readonly member: MemberExchange;
}

/** Returns its argument. It lets the compiler report what is missing. */
export function defineExchange(exchange: Exchange): Exchange {
  return exchange;
}
