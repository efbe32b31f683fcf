import type { ClusterInfo, KnownCluster } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { usableGateways } from './usable-gateways.ts';
import type { NamespaceLists } from './namespace-lists.ts';
import type { GrantedQuotas } from './import-quotas.ts';
import {
  addressText,
  cidrText,
  contains,
  isPublicRange,
  parseAddress,
  parseCidr,
  specialUse,
} from '@isthmus/machinery';

/** What a cluster may announce about its network. A list that is undefined restricts nothing. */
export interface Grant {
  /**
   * `Accepted`: what is within the ranges. `Held`: only what is published. `Refused`: nothing.
   */
  readonly state: 'Accepted' | 'Held' | 'Refused';
  /** Whether an administrator decided it. */
  readonly isByPerson: boolean;
  readonly pods: readonly Cidr[] | undefined;
  readonly services: readonly Cidr[] | undefined;
  readonly gateways: readonly Cidr[] | undefined;
  readonly namespaces?: NamespaceLists | undefined;
  readonly quotas?: GrantedQuotas | undefined;
  /**
   * Whether new Services are used although it is Held, because no administrator has decided that.
   * Default false.
   */
  readonly areServicesFree?: boolean | undefined;
}

/** A cluster without a grant: it may announce what is not unusual. */
export const withoutGrant: Grant = {
  state: 'Accepted',
  isByPerson: false,
  pods: undefined,
  services: undefined,
  gateways: undefined,
};

/** A cluster of which nothing new is published. */
export const nothingNew: Grant = { ...withoutGrant, state: 'Held', areServicesFree: true };

/** The fields of a grant that hold ranges. */
export const grantFields = ['pods', 'services', 'gateways'] as const;
export type GrantField = (typeof grantFields)[number];

/** Reads a grant. A range that is not valid grants nothing; {@link invalidRanges} names it. */
export function readGrant({ spec }: Pick<KnownCluster, 'spec'>): Grant {
  const ranges = (field: GrantField) => spec[field]?.flatMap((text) => parseCidr(text) ?? []);
  return {
    state: spec.state ?? 'Accepted',
    isByPerson: spec.origin !== 'Observed',
    pods: ranges('pods'),
    services: ranges('services'),
    gateways: ranges('gateways'),
    ...(spec.namespaces !== undefined && { namespaces: spec.namespaces }),
    ...(spec.quotas !== undefined && { quotas: spec.quotas }),
  };
}

/** The texts in a grant that are not ranges. */
export function invalidRanges({ spec }: KnownCluster): readonly string[] {
  return grantFields.flatMap((field) => (spec[field] ?? []).filter((text) => parseCidr(text) === undefined));
}

/** Ranges by field, as texts in canonical form. */
export type RangesByField = Readonly<Record<GrantField, readonly string[]>>;

export interface JudgedByGrant {
  /** The announced network without the parts that are not granted. */
  readonly network: ClusterInfo;
  /** What is announced and not granted; never a text that is not a range or an address. */
  readonly asked: RangesByField;
}

/**
 * The most Pod CIDRs of a cluster. A limit, because a member can announce any number that an API
 * server stores, and each is compared with those of all other clusters.
 */
export const mostPodCIDRs = 64;

/**
 * The first Pod CIDRs that a cluster announces, each once, and whether there are more. Empty ones
 * are ignored, as Antrea does. Nothing reads further ones.
 */
export function announcedPodCIDRs(announced: ClusterInfo): {
  readonly texts: readonly string[];
  readonly isMore: boolean;
} {
  const { claims, isMore } = podClaims(announced);
  return { texts: claims.map(({ text }) => text), isMore };
}

/** A text in an announcement. It is parsed once: each announcement has many. */
interface Claim {
  readonly text: string;
  /** Undefined: it is not valid. */
  readonly range: Cidr | undefined;
  /** The text in canonical form. */
  readonly canonical: string;
}

function podClaims({ podCIDRs = [] }: ClusterInfo): { readonly claims: readonly Claim[]; readonly isMore: boolean } {
  const found = new Map<string, Claim>();
  for (const text of podCIDRs) {
    if (text === '') continue;
    const claim = claimOf(text);
    if (found.has(claim.canonical)) continue;
    if (found.size === mostPodCIDRs) return { claims: [...found.values()], isMore: true };
    found.set(claim.canonical, claim);
  }
  return { claims: [...found.values()], isMore: false };
}

function claimOf(text: string): Claim {
  const range = parseCidr(text);
  return { text, range, canonical: range === undefined ? text : cidrText(range) };
}

/**
 * Compares an announced network with the grant of its cluster. Of a range that is wider than the
 * grant, the granted parts are used. If nothing that a cluster announces of one kind and family is
 * granted, what is published stays, so that a wrong setting does not cut the cluster off.
 *
 * Texts that are not ranges, and ranges with a special use, stay in the network: what reads it
 * reports them. Gateways that cannot be used do not.
 */
export function withinGrant(announced: ClusterInfo, grant: Grant, published: ClusterInfo | undefined): JudgedByGrant {
  const { state } = grant;
  const pods = judge(podClaims(announced).claims, {
    granted: grant.pods,
    published: published?.podCIDRs ?? [],
    state,
  });
  const services = judge(listOf(announced.serviceCIDR).map(claimOf), {
    granted: grant.services,
    published: listOf(published?.serviceCIDR),
    state,
  });
  const gateways = judgeGateways(announced, grant, published);
  const { serviceCIDR: _service, podCIDRs: _pods, gatewayInfos: _infos, wireGuard: _key, ...others } = announced;
  const [serviceCIDR] = services.used;
  return {
    network: {
      ...others,
      ...(serviceCIDR !== undefined && { serviceCIDR }),
      ...(announced.podCIDRs !== undefined && { podCIDRs: pods.used }),
      ...(gateways.used.gatewayInfos !== undefined && { gatewayInfos: gateways.used.gatewayInfos }),
      ...(gateways.used.wireGuard !== undefined && { wireGuard: gateways.used.wireGuard }),
    },
    asked: { pods: pods.asked, services: services.asked, gateways: gateways.asked },
  };
}

/**
 * Why a person has to name a range before it is used; undefined: no person has to, or no grant can
 * allow it.
 */
export function unusual(range: Cidr): string | undefined {
  if (specialUse(range) !== undefined) return undefined;
  const [shortest, longest] = range.family === 'IPv4' ? [8, 28] : [32, 120];
  if (range.length < shortest) return `is wider than /${shortest}`;
  // No network plugin has pools that small, and hosts beside the Nodes have such addresses.
  if (range.length > longest) return `is narrower than /${longest}`;
  return isPublicRange(range) ? 'has addresses of the Internet' : undefined;
}

/** Whether an administrator granted the range to the cluster by name. */
export function isNamedIn({ isByPerson, state, ...lists }: Grant, field: GrantField, range: Cidr): boolean {
  return isByPerson && state === 'Accepted' && lists[field]?.some((one) => contains(one, range)) === true;
}

interface Rule {
  readonly granted: readonly Cidr[] | undefined;
  readonly published: readonly string[];
  readonly state: Grant['state'];
}

interface JudgedTexts {
  readonly used: readonly string[];
  readonly asked: readonly string[];
}

function judge(claims: readonly Claim[], { granted, published, state }: Rule): JudgedTexts {
  const before = published.flatMap((text) => parseCidr(text) ?? []);
  const allowedFor = (range: Cidr): readonly Cidr[] => {
    if (state === 'Refused') return [];
    if (state === 'Held') return before;
    if (granted !== undefined) return granted;
    return unusual(range) === undefined ? [range] : before;
  };
  const isAllowed = (range: Cidr) => allowedFor(range).some((one) => contains(one, range));
  const ranges: { readonly range: Cidr; readonly canonical: string; readonly isAllowed: boolean }[] = [];
  const others: string[] = [];
  for (const { text, range, canonical } of claims) {
    // No grant can allow these.
    if (range === undefined || specialUse(range) !== undefined) others.push(text);
    else ranges.push({ range, canonical, isAllowed: isAllowed(range) });
  }
  const asked = ranges.filter((one) => !one.isAllowed);
  const parts = ranges.flatMap((one) =>
    one.isAllowed
      ? [one]
      : allowedFor(one.range).flatMap((range) =>
          contains(one.range, range) ? [{ range, canonical: cidrText(range) }] : [],
        ),
  );
  const isLeftWithout = ({ family }: Cidr) =>
    asked.some(({ range }) => range.family === family) && !parts.some(({ range }) => range.family === family);
  const kept = before.filter((range) => isLeftWithout(range) && isAllowed(range)).map(cidrText);
  const texts = parts.map(({ canonical }) => canonical);
  return { used: [...new Set([...texts, ...kept, ...others])], asked: asked.map(({ canonical }) => canonical) };
}

/** A cluster that is held keeps its network, whose gateways come and go with its Nodes. */
function judgeGateways(announced: ClusterInfo, { state, gateways }: Grant, published: ClusterInfo | undefined) {
  const isGranted = (gatewayIP: string): boolean => {
    if (state === 'Refused' || (state === 'Held' && published === undefined)) return false;
    const address = parseAddress(gatewayIP);
    return address !== undefined && (gateways === undefined || gateways.some((range) => contains(range, address)));
  };
  const asked = (announced.gatewayInfos ?? []).slice(0, mostPodCIDRs).flatMap(({ gatewayIP = '' }) => {
    const address = parseAddress(gatewayIP);
    return address === undefined || isGranted(gatewayIP) ? [] : [addressText(address)];
  });
  const granted = usableGateways(announced, isGranted);
  const isLeftWithout = granted.gatewayInfos?.length === 0 && asked.length > 0 && published !== undefined;
  return { used: isLeftWithout ? usableGateways(published, isGranted) : granted, asked: [...new Set(asked)] };
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : [text];
}
