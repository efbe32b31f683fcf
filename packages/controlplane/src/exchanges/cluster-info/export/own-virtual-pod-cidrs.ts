import type { VirtualPodCIDR } from '@isthmus/api';
import { mostVirtualPodCIDRs } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { cidrText, equal, overlaps, parseCidr } from '@isthmus/machinery';

export interface OwnVirtualInput {
  /** Whether Isthmus agents carry the packets of this cluster; undefined: not known. */
  readonly hasAgents: boolean | undefined;
  /** The Pod CIDRs that this cluster announces. */
  readonly podCIDRs: readonly string[];
  /** The virtual ranges that the leader has allotted to this cluster, from its import. */
  readonly allotted: readonly VirtualPodCIDR[];
  /** The virtual ranges that this cluster has recorded on its ClusterSet. */
  readonly known: readonly VirtualPodCIDR[];
  /** For how many milliseconds the leader has not confirmed some of these. */
  readonly unconfirmedMs: number;
}

export interface OwnVirtual {
  /**
   * The pairs that the agents are to translate. Undefined: not known, so the agents change nothing.
   */
  readonly pairs: readonly VirtualPodCIDR[] | undefined;
  /** The pairs that the leader reads. Undefined: this cluster cannot translate. */
  readonly announced: readonly VirtualPodCIDR[] | undefined;
  /** Whether some of `pairs` are not confirmed. */
  readonly isUnconfirmed: boolean;
}

/**
 * How long unconfirmed ranges are kept. A restored leader confirms within seconds. An Antrea leader
 * never does, and neither does a leader that gives the range to another cluster.
 */
export const forgottenAfterMs = 60_000;

/**
 * The virtual ranges of this cluster. The ranges that the leader allots count. If the cluster has a
 * range that the leader does not know, the leader has lost it. Then the cluster announces it, and
 * gives it up if the leader does not confirm it. Only ranges recorded for the agents are announced
 * to the leader, and other clusters use no range before that.
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
