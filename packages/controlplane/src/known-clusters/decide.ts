import type { ClusterInfo, KnownCluster, Verdict } from '@isthmus/api';
import { clusterInfoName, knownClusterStatus, mostGrantedRanges } from '@isthmus/api';
import {
  addressText,
  cidrText,
  firstNames,
  hostCidr,
  overlaps,
  parseAddress,
  parseCidr,
  specialUse,
} from '@isthmus/machinery';
import type { RangesByField, Verdicts } from '@isthmus/wire';
import {
  grantFields,
  invalidRanges,
  readGrant,
  setVerdicts,
  shown,
  unusual,
  withinGrant,
  withoutGrant,
} from '@isthmus/wire';

export interface KnownClusterInput {
  readonly clusterID: string;
  /** The Namespace of the controller. */
  readonly namespace: string;
  readonly known: KnownCluster | undefined;
  /** The network that the cluster announces; undefined: none, or one that is not valid. */
  readonly announced: ClusterInfo | undefined;
  /** The network that is in use, without ranges that the leader allotted. */
  readonly published: ClusterInfo | undefined;
  /**
   * Whether a Pod CIDR that overlaps with one of another cluster comes into use by a virtual range.
   */
  readonly mayTranslate: (range: string) => boolean;
  /** Whether a cluster that is not known waits for an administrator. */
  readonly holdsUnknown: boolean;
  /** At a leader, the ranges of the grant that are granted to other clusters, too. */
  readonly grantedTwice?: readonly GrantedTwice[] | undefined;
  /** Why the KnownCluster has no effect in a member. Default: it has one. */
  readonly without?: NoEffect | undefined;
  /** The kind of the object that shows why a range is not used. Default: that of a leader. */
  readonly describes?: 'resourceexport' | 'clusterinfoimport' | undefined;
  /** RFC 3339. */
  readonly now: string;
}

/** A range in the grant of a cluster, and one that overlaps with it in the grant of another. */
export interface GrantedTwice {
  readonly range: string;
  readonly otherClusterID: string;
  readonly otherRange: string;
}

/** Why a KnownCluster restricts nothing: a reason of its condition, and a message. */
export type NoEffect = Verdict<typeof knownClusterStatus, 'WithinGrant'>;

export interface KnownClusterDecision {
  /** The object to create; undefined: it exists, or there is nothing to record. */
  readonly create: KnownCluster | undefined;
  /** Its spec with the ranges that have come into use since it was written. */
  readonly pin: KnownCluster['spec'] | undefined;
  /** The status of the existing object. */
  readonly status: KnownCluster['status'];
}

/** What a controller records of a cluster, and what it reports about its grant. */
export function decideKnownCluster(input: KnownClusterInput): KnownClusterDecision {
  const { known, announced, published, without } = input;
  const nothing = { create: undefined, pin: undefined, status: undefined };
  if (known !== undefined) {
    const pin = without === undefined ? pinned(known, input) : undefined;
    return { ...nothing, pin, status: statusOf(known, input) };
  }
  if (published === undefined && (announced === undefined || !waits(announced, input))) return nothing;
  return { ...nothing, create: observed(input) };
}

/** Whether nothing of a network can be published until an administrator accepts it. */
function waits(announced: ClusterInfo, { holdsUnknown }: KnownClusterInput): boolean {
  const service = parseCidr(announced.serviceCIDR ?? '');
  return holdsUnknown || (service !== undefined && unusual(service) !== undefined);
}

/** Exactly what is in use. A cluster of which nothing is in use is held. */
function observed(input: KnownClusterInput): KnownCluster {
  const { clusterID, namespace, published } = input;
  const state = published === undefined ? 'Held' : 'Accepted';
  const spec = { clusterID, origin: 'Observed', state } as const;
  return { metadata: { name: clusterID, namespace }, spec: { ...spec, ...inUseOf(spec, input) } };
}

/** The record of a cluster of which `inUse` is used, before it is written. */
export function recordOf(clusterID: string, inUse: ClusterInfo): Pick<KnownCluster, 'spec'> {
  return observed({
    clusterID,
    namespace: '',
    known: undefined,
    announced: inUse,
    published: inUse,
    mayTranslate: () => false,
    holdsUnknown: false,
    now: '',
  });
}

/**
 * The spec of an Observed object with a list that it lacked. Without the list any range would be
 * accepted, so this never widens it.
 */
function pinned({ spec }: KnownCluster, input: KnownClusterInput): KnownCluster['spec'] | undefined {
  const added = spec.origin === 'Observed' && spec.state === 'Accepted' ? inUseOf(spec, input) : {};
  return Object.keys(added).length === 0 ? undefined : { ...spec, ...added };
}

/** The lists of ranges in use that a spec does not have. Gateways change too often. */
function inUseOf(spec: KnownCluster['spec'], input: KnownClusterInput): Partial<KnownCluster['spec']> {
  const { published, announced, mayTranslate } = input;
  if (published === undefined) return {};
  const { pods, services } = rangesOf(published);
  const toTranslate = announced === undefined ? [] : passable(announced, published).filter(mayTranslate);
  const all = [...new Set([...pods, ...toTranslate])].slice(0, mostGrantedRanges);
  return {
    ...(spec.pods === undefined && all.length > 0 && { pods: all }),
    ...(spec.services === undefined && services.length > 0 && { services }),
  };
}

/** The announced Pod CIDRs that a cluster without a grant may have. */
function passable(announced: ClusterInfo, published: ClusterInfo): readonly string[] {
  const { pods } = rangesOf(withinGrant(announced, withoutGrant, published).network);
  return pods.filter((text) => {
    const range = parseCidr(text);
    return range !== undefined && specialUse(range) === undefined;
  });
}

function rangesOf(network: ClusterInfo | undefined): RangesByField {
  const canonical = (texts: readonly string[]) =>
    texts.flatMap((text) => {
      const range = parseCidr(text);
      return range === undefined ? [] : [cidrText(range)];
    });
  return {
    pods: canonical(network?.podCIDRs ?? []),
    services: canonical(network?.serviceCIDR === undefined ? [] : [network.serviceCIDR]),
    gateways: (network?.gatewayInfos ?? []).flatMap(({ gatewayIP = '' }) => {
      const address = parseAddress(gatewayIP);
      return address === undefined ? [] : [addressText(address)];
    }),
  };
}

function statusOf(known: KnownCluster, input: KnownClusterInput): KnownCluster['status'] {
  const { announced, published, now, without } = input;
  const isJudged = announced !== undefined && without === undefined;
  const { asked } = !isJudged ? { asked: none } : withinGrant(announced, readGrant(known), published);
  const verdicts: Verdicts<typeof knownClusterStatus> = {
    WithinGrant: without ?? whetherGranted(known, asked, input),
    ObservedUnusual: without === undefined ? whetherUnusual(known, input) : 'absent',
    GrantsOverlap: whetherGrantedTwice(input),
  };
  const observedGeneration = known.metadata.generation;
  return {
    asked: filled(asked),
    used: filled(rangesOf(published)),
    conditions: setVerdicts(knownClusterStatus, known.status?.conditions ?? [], verdicts, { now, observedGeneration }),
    ...(observedGeneration !== undefined && { observedGeneration }),
  };
}

const none: RangesByField = { pods: [], services: [], gateways: [] };

/** Only the lists that have something in them. */
function filled(ranges: RangesByField): Partial<RangesByField> {
  return Object.fromEntries(
    grantFields
      .filter((field) => ranges[field].length > 0)
      .map((field) => [field, ranges[field].slice(0, mostGrantedRanges)]),
  );
}

type Granted = Verdicts<typeof knownClusterStatus>['WithinGrant'];

function whetherGranted(known: KnownCluster, asked: RangesByField, input: KnownClusterInput): Granted {
  const { clusterID, announced } = input;
  const invalid = invalidRanges(known);
  const what = texts(asked);
  if (known.spec.state === 'Refused') {
    const message = `The network and the Services of cluster ${clusterID} are refused. To use them, run: ${patchCommand(input, { state: 'Accepted' })}`;
    return { status: 'False', reason: 'ClusterRefused', message };
  }
  if (invalid.length > 0) {
    const message = `Not ranges, so they grant nothing: ${firstNames(invalid.map(shown), mostListed)}. Correct them with: kubectl -n ${input.namespace} edit knowncluster ${clusterID}`;
    return { status: 'False', reason: 'InvalidRanges', message };
  }
  if (what.length > 0) {
    const isHeld = known.spec.state === 'Held';
    const why = isHeld ? 'waits for you' : 'is not granted to it';
    const rest = input.published === undefined ? 'Nothing of its network is used' : 'The rest of its network is used';
    const message = `Cluster ${clusterID} announces ${firstNames(what, mostListed)}, which ${why}. ${rest}. ${howToAccept(known, asked, input)}`;
    return { status: 'False', reason: isHeld ? 'ClusterHeld' : 'OutsideGrant', message };
  }
  if (announced === undefined)
    return {
      status: 'Unknown',
      reason: 'NotAnnounced',
      message: `Cluster ${clusterID} announces no network that is valid.`,
    };
  const unused = unusedOf(announced, input);
  const rest =
    unused.length === 0
      ? ''
      : ` Not used, because another cluster has it or it is not allowed: ${firstNames(unused, mostListed)}. To see why: kubectl -n ${input.namespace} describe ${input.describes ?? 'resourceexport'} ${clusterInfoName(clusterID)}`;
  return {
    status: 'True',
    reason: 'AllGranted',
    message: `Every valid range that cluster ${clusterID} announces is granted.${rest}`,
  };
}

/** What is granted and announced, and in no form published: a grant does not decide alone. */
function unusedOf(announced: ClusterInfo, { published, mayTranslate }: KnownClusterInput): readonly string[] {
  const [all, used] = [rangesOf(announced), rangesOf(published)];
  const isUsed = (field: 'pods' | 'services') => (text: string) =>
    used[field].some((one) => meets(one, text)) || (field === 'pods' && mayTranslate(text));
  return (['pods', 'services'] as const).flatMap((field) =>
    all[field].filter((text) => !isUsed(field)(text)).map((text) => `${words[field]} ${text}`),
  );
}

function meets(a: string, b: string): boolean {
  const [one, other] = [parseCidr(a), parseCidr(b)];
  return one !== undefined && other !== undefined && overlaps(one, other);
}

function whetherGrantedTwice({
  namespace,
  grantedTwice = [],
}: KnownClusterInput): Verdicts<typeof knownClusterStatus>['GrantsOverlap'] {
  const [first] = grantedTwice;
  if (first === undefined) return 'absent';
  const found = grantedTwice.map(
    ({ range, otherClusterID, otherRange }) =>
      `${range} with ${range === otherRange ? 'that' : otherRange} of cluster ${otherClusterID}`,
  );
  const message = `Granted to two clusters: ${firstNames(found, mostListed)}. The cluster that is published first has the range. To correct the other grant, run: kubectl -n ${namespace} edit knowncluster ${first.otherClusterID}`;
  return { status: 'True', reason: 'GrantedTwice', message };
}

function whetherUnusual(
  known: KnownCluster,
  input: KnownClusterInput,
): Verdicts<typeof knownClusterStatus>['ObservedUnusual'] {
  const { origin, pods, services } = known.spec;
  const found = [...(pods ?? []), ...(services ?? [])].flatMap((text) => {
    const range = parseCidr(text);
    const why = range && unusual(range);
    return why === undefined ? [] : [`${text} ${why}`];
  });
  if (origin !== 'Observed' || found.length === 0) return 'absent';
  const message = `In use, and granted by nobody: ${firstNames(found, mostListed)}. If this is right, run: ${patchCommand(input, { origin: 'Granted', ...acceptedLists(known, none, input.published) })}`;
  return { status: 'True', reason: 'NeverGranted', message };
}

/** What to do to grant what the cluster asks for. A list may not have more than 64 ranges. */
function howToAccept(known: KnownCluster, asked: RangesByField, input: KnownClusterInput): string {
  const { clusterID, namespace } = input;
  const lists = acceptedLists(known, asked, input.published);
  if (Object.values(lists).some((list) => list.length > mostGrantedRanges))
    return `These are more than ${mostGrantedRanges} ranges with those that it has. To accept them, grant wider ranges: kubectl -n ${namespace} edit knowncluster ${clusterID}`;
  return `To accept all of it, run: ${patchCommand(input, { origin: 'Granted', state: 'Accepted', ...lists })}`;
}

/**
 * The lists of a grant that has what the cluster uses and asks for, and nothing else that no person
 * has granted: a list that is absent would allow any private range.
 */
function acceptedLists(
  { spec }: KnownCluster,
  asked: RangesByField,
  published: ClusterInfo | undefined,
): Partial<RangesByField> {
  const used = rangesOf(published);
  const lists = (['pods', 'services'] as const).flatMap((field) => {
    // What a person left open stays so, unless the cluster asks for what needs a name.
    if (spec.origin !== 'Observed' && spec[field] === undefined && asked[field].length === 0) return [];
    const before = spec.origin === 'Observed' ? used[field] : (spec[field] ?? used[field]);
    return [[field, [...new Set([...before, ...asked[field]])]]];
  });
  // Without the field, gateways are not restricted.
  const gateways = spec.gateways && [...new Set([...spec.gateways, ...asked.gateways.map(hostRange)])];
  return { ...Object.fromEntries(lists), ...(gateways !== undefined && { gateways }) };
}

function hostRange(text: string): string {
  const address = parseAddress(text);
  return address === undefined ? text : cidrText(hostCidr(address));
}

function patchCommand({ namespace, clusterID }: KnownClusterInput, spec: object): string {
  return `kubectl -n ${namespace} patch knowncluster ${clusterID} --type merge -p '${JSON.stringify({ spec })}'`;
}

const words = { pods: 'Pod CIDR', services: 'Service CIDR', gateways: 'gateway' } as const;

function texts(asked: RangesByField): readonly string[] {
  return grantFields.flatMap((field) => asked[field].map((text) => `${words[field]} ${text}`));
}

const mostListed = 5;
