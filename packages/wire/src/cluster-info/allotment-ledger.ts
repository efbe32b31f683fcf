import type { VirtualPodCIDR } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { cidrText, overlaps, parseCidr, parseRfc3339, rfc3339 } from '@isthmus/machinery';

/**
 * Why a cluster that needs a virtual range has none. More ranges in the pool help if it is
 * `exhausted`, or if the cluster would have more than its `share`. They do not help if the cluster
 * has as many as one cluster may have (`limit`), or has one for a part of this Pod CIDR (`part`).
 */
export type AllotmentProblem = (typeof problems)[number];

const problems = ['exhausted', 'share', 'limit', 'part'] as const;

/** The result for one Pod CIDR of one cluster. */
export type Allotment = Allotted | Refused;

export interface Allotted extends VirtualPodCIDR {
  readonly clusterID: string;
  /**
   * No cluster uses the range. Another cluster may get it from this time on: epoch milliseconds.
   */
  readonly freeFromMs?: number | undefined;
}

export interface Refused {
  readonly clusterID: string;
  readonly own: Cidr;
  readonly problem: AllotmentProblem;
}

/** All virtual ranges of a ClusterSet, each address once. */
export type AllotmentLedger = readonly Allotment[];

/** All annotations of an object together have at most 256 KiB. */
export const mostAllotments = 1_000;

/**
 * The value of annotation `isthmus.dev/allotted-pod-cidrs`:
 * `west 10.10.0.0/16=100.64.0.0/16, east 10.10.0.0/16=exhausted`.
 */
export function allotmentLedgerText(ledger: AllotmentLedger): string {
  return ledger
    .map((one) => {
      const from = isAllotted(one) && one.freeFromMs !== undefined ? ` free from ${rfc3339(one.freeFromMs)}` : '';
      return `${one.clusterID} ${cidrText(one.own)}=${isAllotted(one) ? cidrText(one.virtual) : one.problem}${from}`;
    })
    .join(', ');
}

const entryPattern = /^([a-z0-9.-]{1,253}) (\S{1,43})=(\S{1,43})(?: free from (\S{1,30}))?$/;

/**
 * The content of the annotation. A user may have edited it: it is ignored if it is not well-formed,
 * or gives one range twice.
 */
export function parseAllotmentLedger(text: string | undefined): AllotmentLedger {
  if (text === undefined || text === '') return [];
  const taken: Allotted[] = [];
  return text.split(', ').flatMap((entry): AllotmentLedger => {
    const [, clusterID, ownText = '', value = '', free] = entryPattern.exec(entry) ?? [];
    const own = parseCidr(ownText);
    if (clusterID === undefined || own === undefined) return [];
    const problem = problems.find((one) => one === value);
    if (problem !== undefined) return [{ clusterID, own, problem }];
    const virtual = parseCidr(value);
    if (virtual?.family !== own.family || virtual.length !== own.length) return [];
    const freeFromMs = parseRfc3339(free);
    const found = { clusterID, own, virtual, ...(freeFromMs !== undefined && { freeFromMs }) };
    if (taken.some((one) => collides(one, found))) return [];
    taken.push(found);
    return [found];
  });
}

/**
 * Whether two allotments exclude each other: two clusters would have one range, or one cluster
 * would use two ranges for the same Pods.
 */
export function collides(a: Allotted, b: Allotted): boolean {
  const areUsed = a.freeFromMs === undefined && b.freeFromMs === undefined;
  return overlaps(a.virtual, b.virtual) || (areUsed && a.clusterID === b.clusterID && overlaps(a.own, b.own));
}

/** Whether a larger pool would give this Pod CIDR a virtual range. */
export function needsLargerPool(one: Allotment): one is Refused {
  return !isAllotted(one) && (one.problem === 'exhausted' || one.problem === 'share');
}

export function isAllotted(one: Allotment): one is Allotted {
  return 'virtual' in one;
}

/** The virtual ranges that a cluster has and uses. */
export function allottedTo(ledger: AllotmentLedger, clusterID: string): readonly VirtualPodCIDR[] {
  return ledger
    .filter(isAllotted)
    .filter((one) => one.clusterID === clusterID && one.freeFromMs === undefined)
    .map(({ own, virtual }) => ({ own, virtual }));
}

/** Why a Pod CIDR of a cluster has no virtual range; undefined if it has one, or needs none. */
export function allotmentProblemIn(
  ledger: AllotmentLedger,
  clusterID: string,
  own: Cidr,
): AllotmentProblem | undefined {
  const found = ledger.find((one) => one.clusterID === clusterID && cidrText(one.own) === cidrText(own));
  return found === undefined || isAllotted(found) ? undefined : found.problem;
}
