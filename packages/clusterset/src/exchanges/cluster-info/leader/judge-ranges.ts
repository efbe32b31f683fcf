import type { ClusterInfo, ReasonOn, resourceExportStatus } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { cidrText, contains, overlaps, parseCidr } from '@isthmus/machinery';
import { specialUse } from '../../../exchange/special-ranges.ts';
import { shown } from '../../../exchange/untrusted.ts';
import type { RangeRules } from './range-rules.ts';

/** The network that one cluster announces. */
export interface AnnouncedNetwork {
  readonly clusterID: string;
  readonly announced: ClusterInfo;
  /** What the leader has published of it. */
  readonly published: ClusterInfo | undefined;
  /** When its export was created, RFC 3339. */
  readonly since: string;
}

/** What is wrong with one range. */
export interface RangeFinding {
  readonly reason: ReasonOn<typeof resourceExportStatus, 'NetworkConflict=True'>;
  /** Whose range is not used. */
  readonly clusterID: string;
  /** Whose range it overlaps with. */
  readonly other: string | undefined;
  readonly message: string;
}

export interface JudgedRanges {
  /** Of one cluster: the network as it may be used, with ranges in canonical form; undefined where its Service CIDR is not. */
  usableOf(clusterID: string): ClusterInfo | undefined;
  /** What concerns one cluster, whichever of two has the range that is not used. */
  findingsOf(clusterID: string): readonly RangeFinding[];
}

type Field = 'serviceCIDR' | 'podCIDRs';

interface Claim {
  readonly network: AnnouncedNetwork;
  readonly field: Field;
  readonly text: string;
  readonly cidr: Cidr | undefined;
}

/** A member can announce any number; each is compared with those of all other clusters. */
const mostPodCIDRs = 64;

/**
 * Which of the ranges that clusters announce may be used (docs/spec/wire.md §8.4). Announced ranges are hostile input: one that overlaps with a range of
 * another cluster would attract its traffic. The range that is published already is the earlier one, then that of the older export, then that of
 * the cluster that comes first by ID. A range that is not used keeps no other from being used.
 */
export function judgeRanges(networks: readonly AnnouncedNetwork[], rules: RangeRules): JudgedRanges {
  const accepted: Claim[] = [];
  const findings: RangeFinding[] = [];
  for (const claim of networks.flatMap(claimsOf).toSorted(earlierFirst)) {
    const finding = ownFinding(claim, rules) ?? overlapFinding(claim, accepted, rules);
    if (finding === undefined) accepted.push(claim);
    else findings.push(finding);
  }
  for (const { clusterID, announced } of networks) {
    const count = podCIDRsOf(announced).length;
    if (count <= mostPodCIDRs) continue;
    const message = `Cluster ${clusterID} announces ${count} Pod CIDRs; only the first ${mostPodCIDRs} are used.`;
    findings.push({ reason: 'RangeNotAllowed', clusterID, other: undefined, message });
  }
  return {
    usableOf(clusterID) {
      const network = networks.find((one) => one.clusterID === clusterID);
      if (network === undefined) return undefined;
      const { serviceCIDR: _service, podCIDRs: _pods, ...others } = network.announced;
      const ranges = (field: Field) =>
        claimsOf(network)
          .filter((claim) => claim.field === field && accepted.some((one) => isSame(one, claim)))
          .flatMap(({ cidr }) => (cidr === undefined ? [] : [cidrText(cidr)]));
      const [serviceCIDR] = ranges('serviceCIDR');
      if (serviceCIDR === undefined && serviceCIDROf(network.announced) !== undefined) return undefined;
      const podCIDRs = ranges('podCIDRs');
      return {
        ...others,
        ...(serviceCIDR !== undefined && { serviceCIDR }),
        ...(podCIDRs.length > 0 && { podCIDRs }),
      };
    },
    findingsOf: (clusterID) => findings.filter((one) => one.clusterID === clusterID || one.other === clusterID),
  };
}

/** Whether what two clusters announce has to be judged together. */
export function contend(a: ClusterInfo, b: ClusterInfo): boolean {
  const [ofA, ofB] = [a, b].map((announced) =>
    claimsOf({ clusterID: '', announced, published: undefined, since: '' }).flatMap(({ cidr }) =>
      cidr === undefined || specialUse(cidr) !== undefined ? [] : [cidr],
    ),
  );
  return ofA?.some((one) => ofB?.some((other) => overlaps(one, other))) ?? false;
}

function claimsOf(network: AnnouncedNetwork): readonly Claim[] {
  const { announced } = network;
  const claim = (field: Field, text: string): Claim => ({ network, field, text, cidr: parseCidr(text) });
  const serviceCIDR = serviceCIDROf(announced);
  return [
    ...(serviceCIDR === undefined ? [] : [claim('serviceCIDR', serviceCIDR)]),
    ...podCIDRsOf(announced)
      .slice(0, mostPodCIDRs)
      .map((text) => claim('podCIDRs', text)),
  ];
}

function serviceCIDROf({ serviceCIDR = '' }: ClusterInfo): string | undefined {
  return serviceCIDR === '' ? undefined : serviceCIDR;
}

/** Antrea ignores empty ones too. */
function podCIDRsOf({ podCIDRs = [] }: ClusterInfo): readonly string[] {
  return [...new Set(podCIDRs.filter((text) => text !== ''))];
}

function isSame(a: Claim, b: Claim): boolean {
  return a.network === b.network && a.field === b.field && a.text === b.text;
}

function earlierFirst(a: Claim, b: Claim): number {
  const published = Number(isPublished(b)) - Number(isPublished(a));
  if (published !== 0) return published;
  const [one, other] = [a.network, b.network];
  if (one.since !== other.since) return one.since < other.since ? -1 : 1;
  return one.clusterID < other.clusterID ? -1 : Number(one.clusterID > other.clusterID);
}

function isPublished({ network: { published }, field, cidr }: Claim): boolean {
  if (published === undefined || cidr === undefined) return false;
  const texts = field === 'serviceCIDR' ? [published.serviceCIDR ?? ''] : (published.podCIDRs ?? []);
  const wanted = cidrText(cidr);
  return texts.some((text) => {
    const found = parseCidr(text);
    return found !== undefined && cidrText(found) === wanted;
  });
}

function ownFinding(claim: Claim, { allowed }: RangeRules): RangeFinding | undefined {
  const { cidr } = claim;
  if (cidr === undefined) return notAllowed(claim, 'is not an address and a prefix length, such as 10.96.0.0/12');
  const special = specialUse(cidr);
  if (special !== undefined) return notAllowed(claim, `contains ${special.use} addresses (${special.range})`);
  if (allowed.length > 0 && !allowed.some((range) => contains(range, cidr)))
    return notAllowed(claim, 'allowedCIDRs in the configuration of the leader does not contain');
  return undefined;
}

function notAllowed(claim: Claim, why: string): RangeFinding {
  const { clusterID } = claim.network;
  const message = `Cluster ${clusterID} announces ${named(claim)}, which ${why}. ${notUsed(claim)}`;
  return { reason: 'RangeNotAllowed', clusterID, other: undefined, message };
}

function overlapFinding(claim: Claim, accepted: readonly Claim[], rules: RangeRules): RangeFinding | undefined {
  const { cidr } = claim;
  const { clusterID } = claim.network;
  const earlier = accepted.find(
    (one) =>
      one.network !== claim.network &&
      one.cidr !== undefined &&
      cidr !== undefined &&
      overlaps(one.cidr, cidr) &&
      !isWithoutEffect(claim, one, rules),
  );
  if (earlier === undefined) return undefined;
  const other = earlier.network.clusterID;
  const message = `Cluster ${clusterID} announces ${named(claim)}, which overlaps with ${named(earlier)} of cluster ${other}, announced earlier. ${notUsed(claim)}`;
  return { reason: 'RangeOverlaps', clusterID, other, message };
}

/** With Pod IPs as endpoints nobody sends anything to the ClusterIPs of another cluster. */
function isWithoutEffect(a: Claim, b: Claim, { endpointIPTypeOf }: RangeRules): boolean {
  return [a, b].every(
    ({ field, network }) => field === 'serviceCIDR' && endpointIPTypeOf(network.clusterID) === 'PodIP',
  );
}

function named({ field, text, cidr }: Claim): string {
  return `${field === 'serviceCIDR' ? 'Service CIDR' : 'Pod CIDR'} ${cidr === undefined ? shown(text) : cidrText(cidr)}`;
}

/** Without its Service CIDR agents of Antrea cannot use a network, and stop to configure the others. */
function notUsed({ field, network }: Claim): string {
  return field === 'serviceCIDR'
    ? `So the network of ${network.clusterID} is not published.`
    : `The range of ${network.clusterID} is not used.`;
}
