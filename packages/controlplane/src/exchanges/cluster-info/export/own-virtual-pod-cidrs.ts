import type { VirtualPodCIDR } from '@isthmus/api';
import { mostVirtualPodCIDRs } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { cidrText, equal, overlaps, parseCidr } from '@isthmus/machinery';

export interface OwnVirtualInput {
  /** Whether agents of Isthmus carry the packets of this cluster; undefined: not known. */
  readonly hasAgents: boolean | undefined;
  /** What this cluster announces. */
  readonly podCIDRs: readonly string[];
  /** What the leader has allotted to this cluster, by its import. */
  readonly allotted: readonly VirtualPodCIDR[];
  /** What this cluster has noted on its ClusterSet. */
  readonly known: readonly VirtualPodCIDR[];
  /** For how many milliseconds the leader has not confirmed some of these. */
  readonly unconfirmedMs: number;
}

export interface OwnVirtual {
  /** What the agents are to translate; undefined: not known, so what they do stays. */
  readonly pairs: readonly VirtualPodCIDR[] | undefined;
  /** What the leader reads: undefined, this cluster cannot translate. */
  readonly announced: readonly VirtualPodCIDR[] | undefined;
  /** Whether some of `pairs` are not confirmed. */
  readonly isUnconfirmed: boolean;
}

/** A leader that was restored confirms within seconds; one that gives the range to another cluster, or is Antrea's, never does. */
export const forgottenAfterMs = 60_000;

/**
 * The virtual ranges of this cluster. What the leader allots counts; what it does not know although the cluster does, it has lost: the cluster tells it, and gives the range up if
 * the leader does not confirm it. The leader is told of those alone that are noted for the agents, and others use no range before.
 */
export function ownVirtualPodCIDRs(input: OwnVirtualInput): OwnVirtual {
  const { hasAgents, allotted, known, unconfirmedMs } = input;
  if (hasAgents === undefined) return { pairs: undefined, announced: undefined, isUnconfirmed: false };
  const own = input.podCIDRs.flatMap((text) => parseCidr(text) ?? []);
  if (!hasAgents || own.length === 0) return { pairs: [], announced: undefined, isUnconfirmed: false };
  const isAnnounced = (pair: VirtualPodCIDR) => own.some((one: Cidr) => cidrText(one) === cidrText(pair.own));
  const confirmed = allotted.filter(isAnnounced);
  const lost = known
    .filter(isAnnounced)
    .filter((pair) => !confirmed.some((one) => overlaps(one.own, pair.own) || overlaps(one.virtual, pair.virtual)));
  const pairs = [...confirmed, ...(unconfirmedMs < forgottenAfterMs ? lost : [])].slice(0, mostVirtualPodCIDRs);
  return {
    pairs,
    announced: pairs.filter((pair) => known.some((one) => equal(one, pair))),
    isUnconfirmed: lost.length > 0 && unconfirmedMs < forgottenAfterMs,
  };
}
