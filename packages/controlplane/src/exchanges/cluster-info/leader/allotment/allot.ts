import type { VirtualPodCIDR } from '@isthmus/api';
import { mostVirtualPodCIDRs } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { cidrText, contains, overlaps } from '@isthmus/machinery';
import type { Allotment, AllotmentLedger, AllotmentProblem, Allotted } from '@isthmus/wire';
import { collides, isAllotted, mostAllotments } from '@isthmus/wire';
import { createRangeIndex } from '../range-index.ts';
import { freeRange } from './free-range.ts';

/** The network of one cluster, as far as virtual ranges depend on it. */
export interface AllottingNetwork {
  readonly clusterID: string;
  /** Its Pod CIDRs before translation. */
  readonly podCIDRs: readonly Cidr[];
  /** Its gateways. A virtual range covers none of them as long as another range is free. */
  readonly gateways: readonly Cidr[];
  /** Its Service CIDR. */
  readonly serviceCIDR: Cidr | undefined;
  /** Whether its agents can translate. */
  readonly asks: boolean;
  /** The virtual ranges that the leader has published for it. */
  readonly published: readonly VirtualPodCIDR[];
  /**
   * The virtual ranges that it considers its own, for a leader that has lost both the ledger and
   * the import.
   */
  readonly known: readonly VirtualPodCIDR[];
  /** When its export was created, RFC 3339. */
  readonly since: string;
}

export interface AllotInput {
  readonly ledger: AllotmentLedger;
  readonly networks: readonly AllottingNetwork[];
  readonly pool: readonly Cidr[];
  readonly nowMs: number;
  /** How long an unused range is kept for its cluster. */
  readonly coolDownMs: number;
}

export interface AllotDecision {
  readonly ledger: AllotmentLedger;
  /** When the next range becomes free, in epoch milliseconds. Undefined: never. */
  readonly nextMs: number | undefined;
}

/**
 * Decides which cluster has which virtual range.
 *
 * A cluster needs one if its Pod CIDR overlaps with a Pod or Service CIDR of another cluster. It
 * gets the first range of the pool that has the same length and overlaps with nothing. Both
 * clusters get one, because neither reaches the addresses of the other. A cluster keeps its ranges
 * until it is gone for the cool-down, even if the overlap or the pool disappears.
 *
 * If a leader has lost ranges, the published imports have priority. The ranges that clusters know
 * come next, in order of the age of their exports.
 */
export function allot({ ledger, networks, pool, nowMs, coolDownMs }: AllotInput): AllotDecision {
  const inOrder = networks.toSorted(oldestFirst);
  const held: Allotted[] = [];
  for (const one of ledger.filter(isAllotted)) {
    const { clusterID, own, virtual } = one;
    const isUsed =
      inOrder.some((network) => network.clusterID === clusterID && has(network.podCIDRs, own)) &&
      !held.some((other) => collides(other, { clusterID, own, virtual }));
    const freeFromMs = isUsed ? undefined : (one.freeFromMs ?? nowMs + coolDownMs);
    if (freeFromMs !== undefined && freeFromMs <= nowMs) continue;
    held.push({ clusterID, own, virtual, ...(freeFromMs !== undefined && { freeFromMs }) });
  }
  const announced = inOrder.flatMap(({ podCIDRs, serviceCIDR }) =>
    serviceCIDR === undefined ? podCIDRs : [...podCIDRs, serviceCIDR],
  );
  const gateways = inOrder.flatMap((network) => network.gateways);
  const learn = (from: 'published' | 'known', mayHave: (found: Allotted) => boolean) => {
    for (const network of inOrder)
      for (const pair of network[from]) {
        const found = { clusterID: network.clusterID, ...pair };
        if (has(network.podCIDRs, pair.own) && isFree(found, held) && mayHave(found)) held.push(found);
      }
  };
  // A range that was published once is in use, even if another cluster has announced a part of it
  // since, or the pool has changed.
  learn('published', () => true);
  learn(
    'known',
    (found) =>
      !announced.some((range) => overlaps(range, found.virtual)) &&
      pool.some((range) => contains(range, found.virtual)) &&
      hasRoom(held, found, pool),
  );
  const left: Need[] = [];
  for (const need of needs(inOrder)) {
    const used = usedBy(held, need);
    if (used.some(({ own }) => contains(own, need.own))) continue;
    const taken = [...held.map((one) => one.virtual), ...announced];
    // A member can announce a gateway in each range. That is reported, and does not stop other
    // clusters from getting one.
    const virtual = freeRange(need.own, pool, [...taken, ...gateways]) ?? freeRange(need.own, pool, taken);
    const found = virtual && { ...need, virtual };
    if (found !== undefined && isFree(found, held) && hasRoom(held, found, pool)) held.push(found);
    else left.push(need);
  }
  const refused = left.map((need) => ({ ...need, problem: problemOf(need, held, pool) }));
  const times = held.flatMap(({ freeFromMs }) => freeFromMs ?? []);
  return {
    ledger: [...held, ...refused.slice(0, Math.max(0, mostAllotments - held.length))].toSorted(byCluster),
    nextMs: times.length === 0 ? undefined : Math.min(...times),
  };
}

interface Need {
  readonly clusterID: string;
  readonly own: Cidr;
}

/**
 * The Pod CIDRs that overlap with a Pod or Service CIDR of another cluster. Only those without a
 * virtual range, in clusters that can translate.
 */
function needs(networks: readonly AllottingNetwork[]): readonly Need[] {
  const ranges = networks.flatMap((network) =>
    [...network.podCIDRs, ...(network.serviceCIDR === undefined ? [] : [network.serviceCIDR])].map((cidr) => ({
      cidr,
      network,
    })),
  );
  const index = createRangeIndex<AllottingNetwork>(ranges.map(({ cidr }) => cidr));
  for (const { cidr, network } of ranges) index.add(cidr, network);
  return networks
    .filter(({ asks }) => asks)
    .flatMap((network) =>
      network.podCIDRs
        .filter((own) => index.firstOverlap(own, (other) => other !== network) !== undefined)
        .map((own) => ({ clusterID: network.clusterID, own })),
    );
}

/** The ranges that a cluster has and uses. */
function usedBy(held: readonly Allotted[], { clusterID }: Need): readonly Allotted[] {
  return held.filter((one) => one.freeFromMs === undefined && one.clusterID === clusterID);
}

/** A Pod has one virtual address. */
function isFree(next: Allotted, held: readonly Allotted[]): boolean {
  return held.length < mostAllotments && !held.some((one) => collides(one, next));
}

/** The problem if all possible ranges are allotted. */
function problemOf(need: Need, held: readonly Allotted[], pool: readonly Cidr[]): AllotmentProblem {
  if (usedBy(held, need).some(({ own }) => overlaps(own, need.own))) return 'part';
  if (heldFor(held, need).length >= mostVirtualPodCIDRs) return 'limit';
  return hasRoom(held, need, pool) ? 'exhausted' : 'share';
}

/** The ranges that a cluster has, and recently had. */
function heldFor(held: readonly Allotted[], { clusterID }: Need): readonly Allotted[] {
  return held.filter((one) => one.clusterID === clusterID);
}

/** One cluster may have one part in this many of the pool. */
export const shareOfPool = 4n;

/**
 * Whether a cluster stays within its share of the pool with one more range, independent of the
 * number of Pod CIDRs that it announces. Ranges that it recently had count as well.
 */
function hasRoom(held: readonly Allotted[], next: Need, pool: readonly Cidr[]): boolean {
  const own = [...heldFor(held, next).map((one) => one.virtual), next.own];
  const { family } = next.own;
  const total = sizeOf(pool.filter((range) => range.family === family));
  const used = sizeOf(own.filter((one) => one.family === family));
  return own.length <= mostVirtualPodCIDRs && used * shareOfPool <= total;
}

function sizeOf(ranges: readonly Cidr[]): bigint {
  return ranges.reduce((sum, { family, length }) => sum + (1n << BigInt((family === 'IPv4' ? 32 : 128) - length)), 0n);
}

function has(ranges: readonly Cidr[], cidr: Cidr): boolean {
  return ranges.some((one) => cidrText(one) === cidrText(cidr));
}

function oldestFirst(a: AllottingNetwork, b: AllottingNetwork): number {
  if (a.since !== b.since) return a.since < b.since ? -1 : 1;
  return a.clusterID < b.clusterID ? -1 : Number(a.clusterID > b.clusterID);
}

function byCluster(a: Allotment, b: Allotment): number {
  if (a.clusterID !== b.clusterID) return a.clusterID < b.clusterID ? -1 : 1;
  const [one, other] = [cidrText(a.own), cidrText(b.own)];
  return one < other ? -1 : Number(one > other);
}
