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
  /** Its Pod CIDRs, as its Pods have them. */
  readonly podCIDRs: readonly Cidr[];
  /** No virtual range covers one of them, as long as there is another. */
  readonly gateways: readonly Cidr[];
  /** Its Service CIDR. */
  readonly serviceCIDR: Cidr | undefined;
  /** Whether its agents can translate. */
  readonly asks: boolean;
  /** What the leader has published for it. */
  readonly published: readonly VirtualPodCIDR[];
  /** What it knows as its own, for a leader that has lost both the ledger and the import. */
  readonly known: readonly VirtualPodCIDR[];
  /** When its export was created, RFC 3339. */
  readonly since: string;
}

export interface AllotInput {
  readonly ledger: AllotmentLedger;
  readonly networks: readonly AllottingNetwork[];
  readonly pool: readonly Cidr[];
  readonly nowMs: number;
  /** For how long a range that nobody uses is kept for its cluster. */
  readonly coolDownMs: number;
}

export interface AllotDecision {
  readonly ledger: AllotmentLedger;
  /** When a range becomes free, epoch milliseconds; undefined: none does. */
  readonly nextMs: number | undefined;
}

/**
 * Which cluster has which virtual range. A cluster whose Pod CIDR overlaps with a Pod or Service CIDR of another one gets a range of the same length out of the pool, the first that nothing overlaps with; both get one, because
 * neither reaches the addresses of the other. What a cluster has stays, whatever becomes of the overlap or the pool, until the cluster is gone for the
 * cool-down. Of what a leader has lost the published imports come first, and then what the clusters know, the oldest export first.
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
  // What was published once is in use, whoever announced a part of it since, and whatever became of the pool.
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
    // A member can announce a gateway in each range: that is reported, and keeps nobody from having one.
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

/** The Pod CIDRs that overlap with a Pod or Service CIDR of another cluster, in clusters that can translate and that have none for them. */
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

/** What a cluster has and uses. */
function usedBy(held: readonly Allotted[], { clusterID }: Need): readonly Allotted[] {
  return held.filter((one) => one.freeFromMs === undefined && one.clusterID === clusterID);
}

/** A Pod has one virtual address. */
function isFree(next: Allotted, held: readonly Allotted[]): boolean {
  return held.length < mostAllotments && !held.some((one) => collides(one, next));
}

/** When all that is possible is given away. */
function problemOf(need: Need, held: readonly Allotted[], pool: readonly Cidr[]): AllotmentProblem {
  if (usedBy(held, need).some(({ own }) => overlaps(own, need.own))) return 'part';
  if (heldFor(held, need).length >= mostVirtualPodCIDRs) return 'limit';
  return hasRoom(held, need, pool) ? 'exhausted' : 'share';
}

/** What a cluster has, and has had until lately. */
function heldFor(held: readonly Allotted[], { clusterID }: Need): readonly Allotted[] {
  return held.filter((one) => one.clusterID === clusterID);
}

/** The part of the pool that one cluster may have, as one in so many. */
export const shareOfPool = 4n;

/** Whether a cluster keeps to its share of the pool with one more, however many Pod CIDRs it announces. What it has had until lately counts as well. */
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
