import type { ClusterInfo, ResourceExport, ResourceImport, VirtualPodCIDR } from '@isthmus/api';
import {
  Annotation,
  Label,
  SourceKind,
  clusterIDErrors,
  clusterInfoName,
  directProbesText,
  managedByIsthmus,
  marked,
  parseDirectProbes,
  parseVirtualPodCIDRs,
  virtualPodCIDRsText,
} from '@isthmus/api';
import type { Cidr } from '@isthmus/machinery';
import { cidrText, contains, equal, firstNames, parseCidr } from '@isthmus/machinery';
import type {
  AllotmentLedger,
  ExportCondition,
  ExportDecision,
  ExportGroup,
  Grant,
  GrantField,
  JudgedByGrant,
  LeaderExchange,
  NetworkConflict,
  RangesByField,
} from '@isthmus/wire';
import {
  allotmentProblemIn,
  allottedTo,
  announcedPodCIDRs,
  carriesOurLabel,
  collides,
  dataPlaneOf,
  defaultLeaderConfig,
  encodeReason,
  grantFields,
  isAllotted,
  isClaimed,
  isLabelValue,
  isNamedIn,
  isWithdrawn,
  judgedRangesText,
  marksWithdrawals,
  parseAllotmentLedger,
  shown,
  substituteAnnotations,
  usableGateways,
  withinGrant,
  withoutGrant,
} from '@isthmus/wire';
import { overLimits } from '../../../common-area/limits.ts';
import { answer, failed, succeeded } from '../../../common-area/export-answer.ts';
import { isHeld } from '../../../common-area/release-export.ts';
import type { NotAllotted, RangeFinding } from './judge-ranges.ts';
import { contend, judgeRanges, stakeOf } from './judge-ranges.ts';
import { isCutShort, withOwnPodCIDRs, withoutVirtual } from '../../../known-clusters/published-network.ts';
import { networkConflict } from './network-conflict-of.ts';
import { rangeRules } from './range-rules.ts';

/**
 * The leader's part for the network of each member: it publishes the usable parts. One key: the
 * name of the export and of its import.
 */
export const clusterInfoMerge: LeaderExchange = {
  controller: 'cluster-info-merge',
  exportKeys: ({ metadata, spec }) => (spec?.kind === SourceKind.clusterInfo ? [metadata.name] : []),
  importKeys: ({ metadata, spec }) => (spec?.kind === SourceKind.clusterInfo ? [metadata.name] : []),
  importNames: (name) => [name],
  traced: {
    sourceOf: ({ spec }) => (spec?.kind === SourceKind.clusterInfo ? spec.clusterinfo?.clusterID : undefined),
    substitutes: (object) => [substituteOf(object)],
  },
  contention: {
    stakeOf: (object, published) =>
      networkProblem(object) === undefined ? stakeOf(object.spec?.clusterInfo ?? {}, inUse(published)) : undefined,
    contend,
  },
  // By name, because Antrea members before 2.7 set no labels on it.
  sources: ({ metadata }) => ({ by: 'name', name: metadata.name }),
  ofClusterSet: ({ metadata }) => metadata.annotations?.[Annotation.allottedPodCIDRs],
  grants: { part: (spec) => spec, arePartOfEach: true },
  decide: decideClusterInfo,
};

/**
 * What the leader publishes for one export of cluster information, and its answer. It publishes the
 * payload without ranges that may not be used. If another client created an import of that name, it
 * stays unchanged, and the exporter gets a report. Antrea's leader writes no status on these
 * exports; ours answers as it does for exports of Services.
 */
export function decideClusterInfo(group: ExportGroup): ExportDecision {
  const { exports, imports, now, refused } = group;
  const [present] = imports;
  const [live] = exports.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const foreign = present !== undefined && !isOurImport(present) && !isImportOf(present, exports[0]);
  const problem =
    live === undefined
      ? undefined
      : (networkProblem(live) ?? refusal(live, group) ?? (foreign ? foreignImport(present) : undefined));
  const judged = live === undefined || problem !== undefined ? undefined : judgeNetwork(live, group);
  const isWanted = live !== undefined && judged?.network !== undefined;
  const rejected = isWanted ? refused.get(live.metadata.name) : undefined;
  const why = { problem, conflict: judged?.conflict, leftOut: judged?.leftOut, isPublished: isWanted, rejected };
  return {
    wanted: isWanted ? [importOf(live, judged, group)] : [],
    unwanted: present === undefined || isWanted || foreign ? [] : [present],
    statuses: live === undefined ? [] : [{ object: live, conditions: answerTo(live, why, now) }],
    released: exports.filter(isHeld),
    incomplete: [],
    wait: undefined,
  };
}

/** Checks a member's export, which may not describe another cluster. */
export function networkProblem(object: ResourceExport): string | undefined {
  const { metadata, spec } = object;
  const ignored = overLimits(object);
  if (ignored !== undefined) return `Not merged: ${ignored}.`;
  const { clusterID = '', clusterInfo } = spec ?? {};
  const wrong = clusterIDErrors(clusterID);
  if (wrong.length > 0) return `Not merged: spec.clusterID ${shown(clusterID)} ${wrong.join('; ')}`;
  if (metadata.name !== clusterInfoName(clusterID)) {
    return `Not merged: the name must be ${clusterInfoName(clusterID)} to match spec. The exporting member must correct it.`;
  }
  if (clusterInfo === undefined)
    return 'Not merged: spec.clusterInfo is missing. The exporting member must correct it.';
  if (clusterInfo.clusterID !== clusterID) {
    return `Not merged: spec.clusterInfo.clusterID ${shown(clusterInfo.clusterID ?? '')} is not ${clusterID}. The exporting member must correct it.`;
  }
  const { gatewayInfos, leftOut = '' } = usableGateways(clusterInfo);
  if (gatewayInfos?.length === 0 && leftOut !== '')
    return `Not merged: it has no gateway with a usable address: ${leftOut}. The exporting member must correct it.`;
  return undefined;
}

/** Why the network of a cluster is not published, if an administrator of the leader rejects it. */
function refusal({ metadata, spec }: ResourceExport, { grantOf }: ExportGroup): string | undefined {
  const clusterID = spec?.clusterID ?? '';
  if (grantOf?.(clusterID).state !== 'Refused') return undefined;
  return `Not merged: an administrator of the leader rejects the network of cluster ${clusterID}. On the leader, the command that accepts it is in: kubectl -n ${metadata.namespace} describe knowncluster ${clusterID}`;
}

interface JudgedNetwork {
  /** The usable part of the network; undefined: there is none. */
  readonly network: ClusterInfo | undefined;
  /** Its virtual ranges, even if its agents do not know them yet. */
  readonly allotted: readonly VirtualPodCIDR[];
  readonly conflict: NetworkConflict | undefined;
  /** Gateways that cannot be used. */
  readonly leftOut: string | undefined;
}

/** Judges the ranges of a network together with all networks that overlap with it. */
function judgeNetwork(live: ResourceExport, group: ExportGroup): JudgedNetwork {
  const { imports, rivals = [], config = defaultLeaderConfig, endpointIPTypeOf = () => undefined } = group;
  const rules = rangeRules(config, endpointIPTypeOf);
  const valid = rivals.filter(
    ({ object }) => networkProblem(object) === undefined && refusal(object, group) === undefined,
  );
  const ledger = parseAllotmentLedger(group.clusterSet?.metadata.annotations?.[Annotation.allottedPodCIDRs]);
  const own = granted(live, imports[0], group);
  const networks = [{ object: live, published: imports[0] }, ...valid].map(({ object, published }) => ({
    clusterID: object.spec?.clusterID ?? '',
    announced: (object === live ? own : granted(object, published, group)).network,
    announcesMore: announcedPodCIDRs(object.spec?.clusterInfo ?? {}).isMore,
    published: published && ownPublished(published),
    isNamed: (field: GrantField, range: Cidr) => isNamedIn(grantFor(object, group), field, range),
    since: object.metadata.creationTimestamp ?? '',
    virtual: inEffect(object, allotmentsOf(object, { ledger, published })),
    notAllotted: (own: Cidr) => whyNotAllotted(object, own, { ledger, isOff: rules.pool.length === 0 }),
  }));
  const { usableOf, findingsOf } = judgeRanges(networks, rules);
  const clusterID = live.spec?.clusterID ?? '';
  const network = isCutShort(live.spec?.clusterInfo ?? {}, own.network) ? undefined : usableOf(clusterID);
  const { leftOut } = usableGateways(live.spec?.clusterInfo ?? {});
  return {
    network,
    allotted: allotmentsOf(live, { ledger, published: imports[0] }),
    conflict: networkConflict([...outsideGrant(live, own.asked, network), ...findingsOf(clusterID)]),
    leftOut,
  };
}

/** The part of an announced network that is granted to its cluster. */
export function granted(
  { spec }: ResourceExport,
  published: ResourceImport | undefined,
  { grantOf }: Pick<ExportGroup, 'grantOf'>,
): JudgedByGrant {
  return withinGrant(spec?.clusterInfo ?? {}, grantFor({ spec }, { grantOf }), inUse(published));
}

function grantFor({ spec }: Pick<ResourceExport, 'spec'>, { grantOf }: Pick<ExportGroup, 'grantOf'>): Grant {
  return grantOf?.(spec?.clusterID ?? '') ?? withoutGrant;
}

/** The network of a cluster as others use it, with its own Pod CIDRs in place of virtual ones. */
export function inUse(published: ResourceImport | undefined): ClusterInfo | undefined {
  if (published === undefined || isWithdrawn(published)) return undefined;
  // Antrea's leader sets no label. Members cannot write imports.
  const isOurs = isOurImport(published) || (!isClaimed(published) && published.spec?.kind === SourceKind.clusterInfo);
  return isOurs ? substituteOf(published).spec?.clusterInfo : undefined;
}

/** The limit on ranges that a message names. */
const mostAsked = 5;

function outsideGrant(
  { metadata, spec }: ResourceExport,
  asked: RangesByField,
  network: ClusterInfo | undefined,
): readonly RangeFinding[] {
  const texts = grantFields.flatMap((field) => asked[field]);
  if (texts.length === 0) return [];
  const clusterID = spec?.clusterID ?? '';
  return [
    {
      reason: 'OutsideGrant',
      clusterID,
      other: undefined,
      message: `Cluster ${clusterID} announces ${firstNames(texts, mostAsked)}, which the leader has not granted to it. ${network === undefined ? `So the network of ${clusterID} is not published.` : 'The rest of its network is used.'}`,
      cure: `On the leader, the command that accepts it is in: kubectl -n ${metadata.namespace} describe knowncluster ${clusterID}`,
    },
  ];
}

/** The virtual ranges of a cluster that its agents know. Only these may be used by others. */
function inEffect({ metadata }: ResourceExport, allotted: readonly VirtualPodCIDR[]): readonly VirtualPodCIDR[] {
  const known = parseVirtualPodCIDRs(metadata.annotations?.[Annotation.virtualPodCIDRs]);
  return allotted.filter((pair) => known.some((one) => equal(one, pair)));
}

/**
 * The ranges of a cluster in the ledger, and its published ranges if a client removed them from the
 * ledger. If fewer ranges were published until they are in the ledger again, connections would
 * break.
 */
function allotmentsOf(
  { spec }: ResourceExport,
  { ledger, published }: { readonly ledger: AllotmentLedger; readonly published: ResourceImport | undefined },
): readonly VirtualPodCIDR[] {
  const clusterID = spec?.clusterID ?? '';
  const own = new Set(stakeOf(spec?.clusterInfo ?? {}).podCIDRs.map(cidrText));
  const lost = publishedPairs(published).filter(
    (pair) =>
      own.has(cidrText(pair.own)) && !ledger.some((one) => isAllotted(one) && collides(one, { clusterID, ...pair })),
  );
  return [...allottedTo(ledger, clusterID), ...lost];
}

/** The published virtual ranges of a cluster. */
export function publishedPairs(published: ResourceImport | undefined): readonly VirtualPodCIDR[] {
  const isOurs = published !== undefined && carriesOurLabel(published) && !isWithdrawn(published);
  return isOurs ? parseVirtualPodCIDRs(published.metadata.annotations?.[Annotation.virtualPodCIDRs]) : [];
}

/**
 * The published network of a cluster without its virtual ranges: a cluster may not announce ranges
 * that it has from the leader.
 */
export function ownPublished(published: ResourceImport): ClusterInfo | undefined {
  const { spec, metadata } = published;
  const pairs = parseVirtualPodCIDRs(metadata.annotations?.[Annotation.virtualPodCIDRs]);
  return spec?.clusterinfo && withoutVirtual(spec.clusterinfo, pairs);
}

function whyNotAllotted(
  { metadata, spec }: ResourceExport,
  own: Cidr,
  { ledger, isOff }: { readonly ledger: AllotmentLedger; readonly isOff: boolean },
): NotAllotted | undefined {
  const isAble = metadata.annotations?.[Annotation.virtualPodCIDRs] !== undefined;
  if (isOff) return isAble ? 'off' : undefined;
  if (!isAble) return 'unable';
  return allotmentProblemIn(ledger, spec?.clusterID ?? '', own) ?? 'pending';
}

function importOf(
  object: ResourceExport,
  { network, conflict, allotted }: JudgedNetwork,
  { usesGrants = false }: ExportGroup,
): ResourceImport {
  const { metadata, spec } = object;
  const marks = marksWithdrawals(object);
  const dataPlane = dataPlaneOf(object);
  const directProbes = directProbesIn(object, network);
  const { clusterID = '', namespace } = spec ?? {};
  return {
    metadata: {
      name: metadata.name,
      labels: {
        [Label.sourceKind]: SourceKind.clusterInfo,
        // A member may write any value here.
        ...(isLabelValue(namespace) && namespace !== '' ? { [Label.sourceNamespace]: namespace } : {}),
        [Label.sourceName]: clusterID,
        [Label.sourceClusterID]: clusterID,
        [Label.managedBy]: managedByIsthmus,
      },
      annotations: {
        ...(marks && { [Annotation.sourceWithdrawals]: marked }),
        ...(dataPlane !== undefined && { [Annotation.dataPlane]: dataPlane }),
        ...(directProbes !== '' && { [Annotation.directProbes]: directProbes }),
        ...(conflict !== undefined && { [Annotation.networkConflict]: encodeReason(conflict) }),
        ...(usesGrants && network !== undefined && { [Annotation.judgedRanges]: judgedRangesText(network) }),
        ...(allotted.length > 0 && { [Annotation.virtualPodCIDRs]: virtualPodCIDRsText(allotted) }),
      },
    },
    // The name and Namespace are those of the export, as in imports of Antrea's leader.
    spec: {
      kind: SourceKind.clusterInfo,
      name: metadata.name,
      namespace: metadata.namespace,
      clusterinfo: network,
    },
  };
}

/**
 * The addresses where a cluster answers probes outside a tunnel. They must be in its published Pod
 * CIDRs.
 */
function directProbesIn({ metadata }: ResourceExport, network: ClusterInfo | undefined): string {
  const ranges = (network?.podCIDRs ?? []).flatMap((text) => parseCidr(text) ?? []);
  const announced = parseDirectProbes(metadata.annotations?.[Annotation.directProbes]);
  return directProbesText(announced.filter((one) => ranges.some((range) => contains(range, one))));
}

/** The export from which this import was made. */
export function substituteOf({ metadata, spec }: ResourceImport): ResourceExport {
  const dataPlane = dataPlaneOf({ metadata });
  const { namespace, clusterinfo } = spec ?? {};
  const clusterID = clusterinfo?.clusterID;
  const { [Annotation.virtualPodCIDRs]: virtual, [Annotation.directProbes]: directProbes } = metadata.annotations ?? {};
  return {
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace,
      annotations: {
        ...substituteAnnotations(metadata),
        ...(virtual !== undefined && { [Annotation.virtualPodCIDRs]: virtual }),
        ...(dataPlane !== undefined && { [Annotation.dataPlane]: dataPlane }),
        ...(directProbes !== undefined && { [Annotation.directProbes]: directProbes }),
      },
    },
    spec: {
      kind: SourceKind.clusterInfo,
      clusterID,
      name: clusterID,
      namespace: metadata.labels?.[Label.sourceNamespace] ?? namespace,
      clusterInfo: clusterinfo && withOwnPodCIDRs(clusterinfo, parseVirtualPodCIDRs(virtual)),
    },
  };
}

function isOurImport(object: ResourceImport): boolean {
  return object.spec?.kind === SourceKind.clusterInfo && carriesOurLabel(object);
}

/** Whether this is an import without our label that Antrea's leader made for this export. */
function isImportOf(object: ResourceImport, source: ResourceExport | undefined): boolean {
  const isClusterInfo = object.spec?.kind === SourceKind.clusterInfo;
  return !isClaimed(object) && isClusterInfo && object.metadata.name === source?.metadata.name;
}

function foreignImport({ metadata }: ResourceImport): string {
  return `ResourceImport ${metadata.name} exists and was not created by this leader. Delete it.`;
}

interface Reasons {
  readonly problem: string | undefined;
  readonly conflict: NetworkConflict | undefined;
  readonly leftOut: string | undefined;
  readonly isPublished: boolean;
  readonly rejected: string | undefined;
}

function answerTo(object: ResourceExport, why: Reasons, now: string): readonly ExportCondition[] {
  if (why.problem !== undefined) return failed(object, why.problem, now);
  const { conflict } = why;
  return [...outcomeOf(object, why, now), ...conflictConditions(object, conflict, now)];
}

/** Antrea's members read only the first condition. */
function outcomeOf(object: ResourceExport, why: Reasons, now: string): readonly ExportCondition[] {
  if (why.rejected !== undefined) return failed(object, why.rejected, now, 'ImportRejected');
  return why.isPublished
    ? succeeded(object, why.leftOut === undefined ? undefined : `Left out: ${why.leftOut}`, now)
    : failed(object, why.conflict?.message ?? 'Its ranges are not used.', now);
}

function conflictConditions(
  object: ResourceExport,
  conflict: NetworkConflict | undefined,
  now: string,
): readonly ExportCondition[] {
  if (conflict === undefined) return [];
  return answer(object, 'NetworkConflict', { NetworkConflict: { status: 'True', ...conflict } }, now);
}
