import type { ClusterInfo, ReasonOn, VirtualPodCIDR, resourceExportStatus } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { mostVirtualPodCIDRs } from '@isthmus/api';
import { cidrText, contains, hostCidr, overlaps, parseAddress, parseCidr, specialUse } from '@isthmus/machinery';
import { announcedPodCIDRs, gatewayThings, judgeGateways, mostPodCIDRs, shown, usableGateways } from '@isthmus/wire';
import type { AllotmentProblem, GrantField, TakenGateway } from '@isthmus/wire';
import type { RangeIndex } from './range-index.ts';
import { createRangeIndex } from './range-index.ts';
import type { RangeRules } from './range-rules.ts';

/** The network that one cluster announces. */
export interface AnnouncedNetwork {
  readonly clusterID: string;
  readonly announced: ClusterInfo;
  /** Whether it announces more Pod CIDRs than are read. Default: by `announced`. */
  readonly announcesMore?: boolean | undefined;
  /** Its network as the leader has published it. */
  readonly published: ClusterInfo | undefined;
  /** When its export was created, RFC 3339. */
  readonly since: string;
  /**
   * The virtual ranges that the leader has allotted to it: other clusters use them instead of its
   * Pod CIDRs. Default: none.
   */
  readonly virtual?: readonly VirtualPodCIDR[] | undefined;
  /** Whether an administrator granted the range to the cluster by name. Default: none is. */
  readonly isNamed?: ((field: GrantField, range: Cidr) => boolean) | undefined;
  /** Why an overlapping Pod CIDR has no virtual range. Default: not known. */
  readonly notAllotted?: ((own: Cidr) => NotAllotted | undefined) | undefined;
}

/**
 * `off`: this leader has no pool. `unable`: the agents of the cluster do not translate. `pending`:
 * the allotment is under way.
 */
export type NotAllotted = AllotmentProblem | 'off' | 'unable' | 'pending';

/** A problem with one range, or with a gateway. */
export interface RangeFinding {
  readonly reason: ReasonOn<typeof resourceExportStatus, 'NetworkConflict=True'>;
  /** The cluster whose range is not used. */
  readonly clusterID: string;
  /** The cluster whose range it overlaps with. */
  readonly other: string | undefined;
  readonly message: string;
  /** How to fix it, as a sentence that does not need to name the ranges. */
  readonly cure: string;
}

export interface JudgedRanges {
  /**
   * The usable network of one cluster, with ranges in canonical form. Undefined if its Service CIDR
   * cannot be used.
   */
  usableOf(clusterID: string): ClusterInfo | undefined;
  /**
   * The findings that concern one cluster, no matter which of the two has the range that is not
   * used.
   */
  findingsOf(clusterID: string): readonly RangeFinding[];
}

const fields = ['serviceCIDR', 'podCIDRs'] as const;
type Field = (typeof fields)[number];

/**
 * The claimed ranges of a network. A gateway is a range with one address, and no other cluster may
 * route it to itself.
 */
type Claimed = Field | 'gateway';

interface Claim {
  readonly network: AnnouncedNetwork;
  readonly field: Claimed;
  readonly text: string;
  readonly cidr: Cidr | undefined;
  readonly standing: Standing;
  /** An administrator granted it to the cluster by name. */
  readonly isNamed: boolean;
  /** The leader chose the range. */
  readonly isAllotted?: boolean | undefined;
}

/**
 * A lower number has priority: a published range, any gateway, a new range. Gateways change at each
 * takeover, and are published in any case.
 */
type Standing = 0 | 1 | 2;

/**
 * Which of the announced ranges may be used (docs/spec/wire.md §8.4). Announced ranges are hostile
 * input: a range that overlaps with that of another cluster would attract its traffic.
 *
 * If two ranges overlap, the one that an administrator granted by name wins, then the published
 * one, then the one with the older export, then the cluster whose ID sorts first. A range that is
 * not used does not block another one.
 *
 * A range that contains a gateway of another cluster is not used either: agents would send the
 * traffic for that cluster into it. If the range is published already, the gateway in it is
 * reported and the range stays. So a cluster cannot take a range by a gateway in it.
 *
 * A gateway or a key that another cluster has is not used ({@link judgeGateways}).
 */
export function judgeRanges(all: readonly AnnouncedNetwork[], rules: RangeRules): JudgedRanges {
  const { usableOf, taken } = judgeGateways(
    all.map((network) => ({
      ...network,
      isNamed: (address) => network.isNamed?.('gateways', hostCidr(address)) === true,
    })),
  );
  const networks = all.map((network) => ({ ...network, announced: usableOf(network.clusterID) ?? network.announced }));
  const cutOff = new Set(
    networks.filter(({ announced }) => announced.gatewayInfos?.length === 0).map(({ clusterID }) => clusterID),
  );
  const findings: RangeFinding[] = taken.map((one) => takenFinding(one, cutOff.has(one.clusterID)));
  const claims = new Map(networks.map((network) => [network.clusterID, claimsOf(network)]));
  const inOrder = [...claims.values()].flat().toSorted(earlierFirst);
  const accepted = createRangeIndex<Claim>(inOrder.flatMap(({ cidr }) => cidr ?? []));
  const used = new Set<Claim>();
  for (const claim of inOrder) {
    const finding = ownFinding(claim, rules) ?? overlapFinding(claim, accepted, rules);
    if (finding === 'bridged') continue;
    if (finding !== undefined) findings.push(finding);
    if (claim.cidr === undefined || (finding !== undefined && claim.field !== 'gateway')) continue;
    accepted.add(claim.cidr, claim);
    used.add(claim);
  }
  for (const { clusterID, announced, announcesMore = announcedPodCIDRs(announced).isMore } of networks) {
    if (!announcesMore) continue;
    const message = `Cluster ${clusterID} announces more than ${mostPodCIDRs} Pod CIDRs; only the first ${mostPodCIDRs} are used.`;
    const cure = `Shorten podCIDRs in the configuration of ${clusterID}.`;
    findings.push({ reason: 'RangeNotAllowed', clusterID, other: undefined, message, cure });
  }
  return {
    usableOf(clusterID) {
      const network = networks.find((one) => one.clusterID === clusterID);
      if (network === undefined || cutOff.has(clusterID)) return undefined;
      const { serviceCIDR: _service, podCIDRs: _pods, ...others } = network.announced;
      const ranges = (field: Field) =>
        (claims.get(clusterID) ?? [])
          .filter((claim) => claim.field === field && used.has(claim))
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

/** The ranges and gateways that another cluster can conflict with. */
export interface Stake {
  readonly ranges: readonly Cidr[];
  /** The subset of ranges that are Pod CIDRs. */
  readonly podCIDRs: readonly Cidr[];
  readonly gateways: readonly Cidr[];
  /** What only one cluster may have of its gateways. */
  readonly things: ReadonlySet<string>;
}

/**
 * The stake of a network, computed once: it is compared with that of every other network. It has
 * everything that may be used of the network: what is published can stay in use although the
 * cluster announces something else.
 */
export function stakeOf(announced: ClusterInfo, published: ClusterInfo = {}): Stake {
  const claims = [announced, published].flatMap((info) =>
    claimsOf({ clusterID: '', announced: info, published: undefined, since: '' }),
  );
  const of = (isMeant: (field: Claimed) => boolean) => [
    ...new Map(
      claims.flatMap(({ field, cidr }) =>
        cidr === undefined || !isMeant(field) || specialUse(cidr) !== undefined ? [] : [[cidrText(cidr), cidr]],
      ),
    ).values(),
  ];
  return {
    ranges: of((field) => field !== 'gateway'),
    podCIDRs: of((field) => field === 'podCIDRs'),
    gateways: of((field) => field === 'gateway'),
    things: new Set([announced, published].flatMap(gatewayThings)),
  };
}

/** Whether the announcements of two clusters have to be judged together. */
export function contend(a: Stake, b: Stake): boolean {
  const meet = (some: readonly Cidr[], others: readonly Cidr[]) =>
    some.some((one) => others.some((other) => overlaps(one, other)));
  return (
    meet(a.ranges, b.ranges) ||
    meet(a.ranges, b.gateways) ||
    meet(a.gateways, b.ranges) ||
    [...a.things].some((thing) => b.things.has(thing))
  );
}

function claimsOf(network: AnnouncedNetwork): readonly Claim[] {
  const { announced, published = {} } = network;
  const ranges = fields.flatMap((field) => {
    const before = new Set(textsOf(published, field).map(canonical));
    return textsOf(announced, field).map((text): Claim => {
      const cidr = parseCidr(text);
      const isPublished = cidr !== undefined && before.has(cidrText(cidr));
      return { network, field, text, cidr, standing: isPublished ? 0 : 2, isNamed: isNamed(network, field, cidr) };
    });
  });
  const allotted = (network.virtual ?? []).map(({ virtual: cidr }): Claim => {
    return { network, field: 'podCIDRs', text: cidrText(cidr), cidr, standing: 0, isNamed: false, isAllotted: true };
  });
  const { gatewayInfos = [] } = usableGateways(announced);
  const gateways = [...new Set(gatewayInfos.map(({ gatewayIP = '' }) => gatewayIP))];
  return [
    ...ranges,
    ...allotted,
    ...gateways.map((text): Claim => {
      const address = parseAddress(text);
      const cidr = address && hostCidr(address);
      // A gateway takes no range away, although a person may have granted its address.
      return { network, field: 'gateway', text, cidr, standing: 1, isNamed: false };
    }),
  ];
}

const grantFieldOf = { serviceCIDR: 'services', podCIDRs: 'pods' } as const;

function isNamed(network: AnnouncedNetwork, field: Field, cidr: Cidr | undefined): boolean {
  return cidr !== undefined && network.isNamed?.(grantFieldOf[field], cidr) === true;
}

function canonical(text: string): string | undefined {
  const cidr = parseCidr(text);
  return cidr && cidrText(cidr);
}

function textsOf(info: ClusterInfo, field: Field): readonly string[] {
  if (field === 'podCIDRs') return announcedPodCIDRs(info).texts;
  const serviceCIDR = serviceCIDROf(info);
  return serviceCIDR === undefined ? [] : [serviceCIDR];
}

function serviceCIDROf({ serviceCIDR = '' }: ClusterInfo): string | undefined {
  return serviceCIDR === '' ? undefined : serviceCIDR;
}

function earlierFirst(a: Claim, b: Claim): number {
  if (a.isNamed !== b.isNamed) return a.isNamed ? -1 : 1;
  if (a.standing !== b.standing) return a.standing - b.standing;
  const [one, other] = [a.network, b.network];
  if (one.since !== other.since) return one.since < other.since ? -1 : 1;
  return one.clusterID < other.clusterID ? -1 : Number(one.clusterID > other.clusterID);
}

const takenThings = {
  address: 'the address',
  'tunnel address': 'in tunnels the address',
  key: 'the public key',
} as const;

function takenFinding(
  { clusterID, gatewayIP, other, otherGatewayIP, what }: TakenGateway,
  isLast: boolean,
): RangeFinding {
  const consequence =
    what === 'key'
      ? `The key is not published for ${clusterID}, so nothing is sent to this gateway where packets are encrypted.`
      : isLast
        ? `So the network of ${clusterID} is not published.`
        : `This gateway of ${clusterID} is not published.`;
  return {
    reason: 'GatewayTaken',
    clusterID,
    other,
    message: `Cluster ${clusterID} announces gateway ${gatewayIP} with ${takenThings[what]} of gateway ${otherGatewayIP} of cluster ${other}. ${consequence}`,
    cure:
      what === 'key'
        ? `Let each gateway have a key of its own, or give its Node to one cluster.`
        : `Give that gateway another address; if it belongs to ${clusterID}, grant it on the leader, in spec.gateways of KnownCluster ${clusterID}: kubectl explain knowncluster.spec.gateways`,
  };
}

function ownFinding(claim: Claim, { allowed, pool }: RangeRules): RangeFinding | undefined {
  const { cidr } = claim;
  if (claim.isAllotted === true) return undefined;
  const reserved = cidr && pool.find((range) => overlaps(range, cidr));
  // Other problems of a gateway are decided elsewhere.
  if (claim.field === 'gateway') return reserved && gatewayInPool(claim, reserved);
  if (cidr === undefined) return notAllowed(claim, 'is not an address and a prefix length, such as 10.96.0.0/12');
  const special = specialUse(cidr);
  if (special !== undefined) return notAllowed(claim, `contains ${special.use} addresses (${special.range})`);
  if (reserved !== undefined && claim.standing !== 0)
    return notAllowed(
      claim,
      `overlaps with ${cidrText(reserved)}, of which only the leader gives ranges away (virtualPodCIDRs in its configuration)`,
      { orElse: ', or virtualPodCIDRs in the configuration of the leader' },
    );
  if (allowed.length > 0 && !allowed.some((range) => contains(range, cidr)))
    return notAllowed(claim, 'allowedCIDRs in the configuration of the leader does not contain', {
      orElse: ', or add the range to allowedCIDRs of the leader',
    });
  return undefined;
}

function gatewayInPool(claim: Claim, range: Cidr): RangeFinding {
  const { clusterID } = claim.network;
  const message = `Cluster ${clusterID} announces ${named(claim)}, which is in ${cidrText(range)}, out of which the leader gives ranges to clusters (virtualPodCIDRs in its configuration). Agents may send packets for this gateway to another cluster.`;
  const cure = `Give that gateway of ${clusterID} another address, or correct virtualPodCIDRs in the configuration of the leader.`;
  return { reason: 'RangeNotAllowed', clusterID, other: undefined, message, cure };
}

function notAllowed(claim: Claim, why: string, { orElse = '' } = {}): RangeFinding {
  const { clusterID } = claim.network;
  const message = `Cluster ${clusterID} announces ${named(claim)}, which ${why}. ${notUsed(claim)}`;
  return { reason: 'RangeNotAllowed', clusterID, other: undefined, message, cure: `${correct(claim)}${orElse}.` };
}

/**
 * The finding about an overlap. `bridged`: the range is not used and not missed, because other
 * clusters reach both by virtual ranges.
 */
function overlapFinding(
  claim: Claim,
  accepted: RangeIndex<Claim>,
  rules: RangeRules,
): RangeFinding | 'bridged' | undefined {
  const { cidr, network } = claim;
  if (cidr === undefined) return undefined;
  const earlier = accepted.firstOverlap(cidr, (one) => one.network !== network && !isWithoutEffect(claim, one, rules));
  if (earlier === undefined) return undefined;
  const { clusterID } = network;
  const other = earlier.network.clusterID;
  const message = `Cluster ${clusterID} announces ${named(claim)}, which ${relation(claim, earlier)}`;
  const unbridged = [claim, earlier].filter((one) => one.field === 'podCIDRs' && virtualOf(one) === undefined);
  if (claim.field === 'podCIDRs' && unbridged.length === 0 && earlier.field !== 'gateway') return 'bridged';
  const why = areOfPods(claim, earlier) ? unbridged.flatMap(whyNotBridged) : [];
  const orElse = why.map(({ cure }) => ` ${cure}`).join('');
  return {
    reason: 'RangeOverlaps',
    clusterID,
    other,
    message: [message, ...why.flatMap(({ message: text }) => text ?? [])].join(' '),
    cure: `${cureOfOverlap(claim, earlier)}.${orElse}`,
  };
}

const areOfPods = (...claims: readonly Claim[]) => claims.every(({ field }) => field === 'podCIDRs');

/** The virtual range of a Pod CIDR. */
function virtualOf({ network, cidr }: Claim): Cidr | undefined {
  return network.virtual?.find(({ own }) => cidr !== undefined && contains(own, cidr))?.virtual;
}

/** Why a Pod CIDR has no virtual range, and how to fix it. */
function whyNotBridged({
  network: { clusterID, notAllotted },
  cidr,
}: Claim): readonly { readonly message?: string | undefined; readonly cure: string }[] {
  switch (cidr && notAllotted?.(cidr)) {
    case undefined:
      return [];
    case 'off':
      return [
        {
          cure: `If agents of Isthmus carry the packets of both clusters, the leader can translate: set virtualPodCIDRs in its configuration.`,
        },
      ];
    case 'unable':
      return [
        {
          message: `The leader gives ${clusterID} no virtual range, because no agents of Isthmus that translate run there.`,
          cure: `Or run agents of this version in ${clusterID}.`,
        },
      ];
    case 'pending':
      return [{ message: `${clusterID} gets a virtual range.`, cure: '' }];
    case 'exhausted':
      return [
        {
          message: `No virtual range is left for ${clusterID}.`,
          cure: `Or add ranges to virtualPodCIDRs in the configuration of the leader.`,
        },
      ];
    case 'share':
      return [
        {
          message: `${clusterID} would have more than its share of virtualPodCIDRs.`,
          cure: `Or add ranges to virtualPodCIDRs in the configuration of the leader: one cluster gets at most a quarter.`,
        },
      ];
    case 'limit':
      return [
        {
          message: `${clusterID} has ${mostVirtualPodCIDRs} virtual ranges, those of the last day included, and one cluster gets no more.`,
          cure: `Or announce fewer and larger podCIDRs in the configuration of ${clusterID}.`,
        },
      ];
    case 'part':
      return [
        {
          message: `${clusterID} has a virtual range for a part of it, because it also announces this part by itself.`,
          cure: `Or announce each Pod CIDR of ${clusterID} once.`,
        },
      ];
  }
}

function relation(claim: Claim, earlier: Claim): string {
  const by = `${named(earlier)} of cluster ${earlier.network.clusterID}`;
  const why = earlier.isNamed && !claim.isNamed ? 'which an administrator granted to it' : 'announced earlier';
  if (earlier.field === 'gateway') return `contains ${by}. ${notUsed(claim)}`;
  return claim.field === 'gateway'
    ? `is in ${by}, ${why}. Agents send packets for this gateway to ${earlier.network.clusterID}.`
    : `overlaps with ${by}, ${why}. ${notUsed(claim)}`;
}

/**
 * Whether an overlap has no effect. With Pod IPs as endpoints, no cluster sends traffic to
 * ClusterIPs of another.
 */
function isWithoutEffect(a: Claim, b: Claim, { endpointIPTypeOf }: RangeRules): boolean {
  return [a, b].every(
    ({ field, network }) =>
      field === 'gateway' || (field === 'serviceCIDR' && endpointIPTypeOf(network.clusterID) === 'PodIP'),
  );
}

function cureOfOverlap(claim: Claim, earlier: Claim): string {
  const clusters = `${claim.network.clusterID} and ${earlier.network.clusterID}`;
  if (claim.field === 'gateway')
    return `Give that gateway of ${claim.network.clusterID} another address, or correct ${earlier.field} in the configuration of ${earlier.network.clusterID}`;
  // If the ranges are really the same, only Pod IPs reach the other cluster.
  return [claim, earlier].every(({ field }) => field === 'serviceCIDR')
    ? `${correct(claim)}. If it is the real range of both clusters, set endpointIPType: PodIP in ${clusters}`
    : correct(claim);
}

function correct({ field, network }: Claim): string {
  return `Correct ${field} in the configuration of ${network.clusterID}`;
}

function named({ field, text, cidr }: Claim): string {
  if (field === 'gateway') return `gateway ${text}`;
  return `${field === 'serviceCIDR' ? 'Service CIDR' : 'Pod CIDR'} ${cidr === undefined ? shown(text) : cidrText(cidr)}`;
}

/**
 * Agents of Antrea cannot use a network without its Service CIDR, and then stop configuring the
 * others.
 */
function notUsed({ field, network }: Claim): string {
  return field === 'serviceCIDR'
    ? `So the network of ${network.clusterID} is not published.`
    : `The range of ${network.clusterID} is not used.`;
}
