import type { ClusterInfo, KnownCluster } from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
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
export const nothingNew: Grant = { ...withoutGrant, state: 'Held' };

/** The fields of a grant that hold ranges. */
export const grantFields = ['pods', 'services', 'gateways'] as const;
export type GrantField = (typeof grantFields)[number];

/** Reads a grant. A range that is not valid grants nothing; {@link invalidRanges} names it. */
export function readGrant({ spec }: KnownCluster): Grant {
  const ranges = (field: GrantField) => spec[field]?.flatMap((text) => parseCidr(text) ?? []);
  return {
    state: spec.state ?? 'Accepted',
    isByPerson: spec.origin !== 'Observed',
    pods: ranges('pods'),
    services: ranges('services'),
    gateways: ranges('gateways'),
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
 * Compares an announced network with the grant of its cluster. Of a range that is wider than the
 * grant, the granted parts are used. If nothing that a cluster announces of one kind is granted,
 * what is published stays, so that a wrong setting does not cut the cluster off.
 *
 * Texts that are not ranges, and ranges with a special use, stay in the network: what reads it
 * reports them.
 */
export function withinGrant(announced: ClusterInfo, grant: Grant, published: ClusterInfo | undefined): JudgedByGrant {
  const pods = judge(announced.podCIDRs ?? [], {
    granted: grant.pods,
    published: published?.podCIDRs ?? [],
    state: grant.state,
  });
  const services = judge(listOf(announced.serviceCIDR), {
    granted: grant.services,
    published: listOf(published?.serviceCIDR),
    state: grant.state,
  });
  const gateways = judgeGateways(announced, grant, published);
  const { serviceCIDR: _service, podCIDRs: _pods, gatewayInfos: _gateways, ...others } = announced;
  const [serviceCIDR] = services.used;
  return {
    network: {
      ...others,
      ...(serviceCIDR !== undefined && { serviceCIDR }),
      ...(announced.podCIDRs !== undefined && { podCIDRs: pods.used }),
      ...(announced.gatewayInfos !== undefined && { gatewayInfos: gateways.used }),
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
  const shortest = range.family === 'IPv4' ? 8 : 32;
  if (range.length < shortest) return `is wider than /${shortest}`;
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

function judge(texts: readonly string[], { granted, published, state }: Rule): JudgedTexts {
  const before = published.flatMap((text) => parseCidr(text) ?? []);
  const allowedFor = (range: Cidr): readonly Cidr[] => {
    if (state === 'Refused') return [];
    if (state === 'Held') return before;
    if (granted !== undefined) return granted;
    return unusual(range) === undefined ? [range] : before;
  };
  const claims = texts.map((text) => ({ text, range: grantable(text) }));
  const parts = claims.flatMap(({ text, range }) => (range === undefined ? [text] : partsOf(range, allowedFor(range))));
  const asked = claims.flatMap(({ range }) =>
    range === undefined || allowedFor(range).some((one) => contains(one, range)) ? [] : [cidrText(range)],
  );
  const kept = before.filter((range) => allowedFor(range).some((one) => contains(one, range)));
  return { used: parts.length === 0 && asked.length > 0 ? kept.map(cidrText) : [...new Set(parts)], asked };
}

/** The range; undefined for a text or a range that no grant can allow. */
function grantable(text: string): Cidr | undefined {
  const range = parseCidr(text);
  return range === undefined || specialUse(range) !== undefined ? undefined : range;
}

/** The parts of a range that are in others. */
function partsOf(range: Cidr, others: readonly Cidr[]): readonly string[] {
  if (others.some((one) => contains(one, range))) return [cidrText(range)];
  return others.filter((one) => contains(range, one)).map(cidrText);
}

function judgeGateways({ gatewayInfos = [] }: ClusterInfo, grant: Grant, published: ClusterInfo | undefined) {
  const before = published?.gatewayInfos ?? [];
  const isGranted = ({ gatewayIP = '' }: { readonly gatewayIP?: string | undefined }): boolean => {
    if (grant.state === 'Refused') return false;
    if (grant.state === 'Held') return before.some((one) => one.gatewayIP === gatewayIP);
    const address = parseAddress(gatewayIP);
    // What is not an address is reported by what reads the network.
    if (grant.gateways === undefined || address === undefined) return true;
    return grant.gateways.some((range) => contains(range, address));
  };
  const used = gatewayInfos.filter(isGranted);
  const asked = gatewayInfos
    .filter((one) => !isGranted(one))
    .flatMap(({ gatewayIP = '' }) => {
      const address = parseAddress(gatewayIP);
      return address === undefined ? [] : [addressText(address)];
    });
  return { used: used.length === 0 && asked.length > 0 ? before.filter(isGranted) : used, asked };
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : [text];
}
