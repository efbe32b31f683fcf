import type { ReasonOn, ResourceExport, ResourceImport, resourceExportStatus } from '@isthmus/api';
import {
  Annotation,
  Label,
  SourceKind,
  clusterIDErrors,
  labelIdentityExportName,
  managedByIsthmus,
} from '@isthmus/api';
import { byAge, isLive, parseRfc3339 } from '@isthmus/machinery';
import type { ExportDecision, ExportGroup, HoldersOf, LeaderExchange } from '@isthmus/wire';
import {
  carriesOurLabel,
  echoedNumber,
  identityNumbers,
  isClaimed,
  isWithdrawn,
  labelExportKeys,
  labelImportKeys,
  labelNumberOf,
  labelProblem,
  shown,
} from '@isthmus/wire';
import { failed, succeeded } from '../../../common-area/export-answer.ts';
import { overLimits } from '../../../common-area/limits.ts';
import { isHeld } from '../../../common-area/release-export.ts';

/**
 * How long the number of unused labels is kept: packets with it may be on their way, and the labels
 * may come back.
 */
export const coolDownMs = 5 * 60_000;
/**
 * How long labels without an export stay unchanged: members export again at once if another client
 * deletes an export.
 */
const graceMs = 5_000;
/**
 * The same while a member announces that it lost exports. It waits for a minute if it lost all,
 * since a user may be cleaning up.
 */
const restoringMs = 75_000;
/** How often to look again at a range of numbers that is full. */
const exhaustedMs = 60_000;

/**
 * The leader's part for the label sets of all members: it gives each set one number. One key: the
 * hash of the set.
 */
export const labelIdentityMerge: LeaderExchange = {
  controller: 'label-identity-merge',
  exportKeys: labelExportKeys,
  importKeys: labelImportKeys,
  importNames: (hash) => [hash],
  sources: ({ metadata }) => ({
    by: 'labels',
    labels: { [Label.sourceKind]: SourceKind.labelIdentity, hash: metadata.name },
  }),
  numbers: (object) => {
    const number = labelNumberOf(object);
    return number === undefined ? [] : [number];
  },
  namedNumbers: (object) => {
    const number = echoedNumber(object);
    return number === undefined ? [] : [number];
  },
  allocates: { ...identityNumbers, needs: needsNumber },
  decide: decideLabelIdentity,
};

/**
 * What the leader publishes for one set of labels.
 *
 * The number of a set stays while any member has the set, and for a while after that. The import is
 * then marked as withdrawn and deleted later, so that a restarted leader knows the number. If two
 * imports have the same number, the older one keeps it. If the import was lost, the exporters that
 * had it name its number.
 */
export function decideLabelIdentity(group: ExportGroup, holdersOf: HoldersOf): ExportDecision {
  const { exports, imports, now, free } = group;
  const look = lookAt(group, holdersOf);
  const { present, label, obstacle, keeps } = look;
  const live = exports.filter(isLive).toSorted(byAge);
  const nothing = { wanted: [], unwanted: [], released: exports.filter(isHeld), incomplete: [], wait: undefined };
  const number = keeps ?? (typeof free === 'number' ? free : undefined);
  const isExhausted = label !== undefined && number === undefined && free === 'exhausted';
  const over =
    label !== undefined && keeps === undefined && look.payer === undefined ? look.source?.spec?.clusterID : undefined;
  const statuses = live.flatMap((object) => {
    const problem = problemOf(object, look, group);
    if (problem !== undefined) return [{ object, conditions: failed(object, problem, now) }];
    if (over !== undefined) return [{ object, conditions: failed(object, overQuotaMessage(group), now, manyNumbers) }];
    if (isExhausted) return [{ object, conditions: failed(object, exhausted, now, noNumber) }];
    // These exports are not looked at one by one. Only a problem is reported, and cleared again.
    return (object.status?.conditions ?? []).length === 0
      ? []
      : [{ object, conditions: succeeded(object, undefined, now) }];
  });
  if (obstacle !== undefined) return { ...nothing, statuses };
  if (label === undefined) {
    const own = imports.filter(isOwnImport);
    // An ignored export leaves its publication unchanged.
    if (own.length === 0 || live.some((one) => overLimits(one) !== undefined)) return { ...nothing, statuses };
    const waitMs = own.every(isWithdrawn) ? 0 : graceLeftMs(group);
    if (waitMs > 0)
      return { ...nothing, statuses, wait: { forMs: waitMs, why: 'members may export the labels again' } };
    return { ...nothing, statuses, ...withdrawalOf(own, now) };
  }
  if (over !== undefined)
    return { ...nothing, statuses, overQuota: over, wait: { forMs: exhaustedMs, why: overQuotaMessage(group) } };
  if (number === undefined) {
    const why = isExhausted ? exhausted : 'waiting for the ClusterSet, which holds the next numbers';
    return { ...nothing, statuses, wait: { forMs: exhaustedMs, why } };
  }
  const hash = present?.metadata.name ?? labelExportKeys(look.source as ResourceExport)[0] ?? '';
  return {
    ...nothing,
    statuses,
    // Antrea's controller ignores a change of the number, so the object is deleted and created
    // again.
    unwanted:
      present !== undefined && (keeps === undefined || present.spec?.labelIdentity?.label !== label) ? [present] : [],
    wanted: [importOf(hash, label, number, newPayer(group, look))],
  };
}

/**
 * The cluster whose quota the number of the labels counts against from now on. Undefined:
 * unchanged. If a cluster no longer exports the labels, their number no longer counts against it.
 */
function newPayer({ exports }: ExportGroup, { present, keeps, payer, source, label }: Look): string | undefined {
  const next = payer ?? source?.spec?.clusterID;
  if (present === undefined || keeps === undefined) return next;
  const before = present.metadata.annotations?.[Annotation.numberedFor];
  const isExporter = exports.some((one) => isLive(one) && one.spec?.clusterID === before && labelOf(one) === label);
  // An import that is older than the annotation counts against no cluster.
  return before === undefined || isExporter ? undefined : next;
}

/** How many milliseconds labels without an export still stay. */
function graceLeftMs({ unexportedForMs, isRestoring = () => false }: ExportGroup): number {
  if (unexportedForMs === undefined || unexportedForMs >= restoringMs) return 0;
  if (unexportedForMs < graceMs) return graceMs - unexportedForMs;
  return isRestoring() ? graceMs : 0;
}

/** Whether a set of labels is exported that does not have its own number yet. */
function needsNumber(group: ExportGroup, holdersOf: HoldersOf): boolean {
  const { label, keeps, obstacle, payer } = lookAt(group, holdersOf);
  return label !== undefined && keeps === undefined && obstacle === undefined && payer !== undefined;
}

interface Look {
  /** The existing import. */
  readonly present: ResourceImport | undefined;
  /** An object with the name of the import that is not ours. */
  readonly obstacle: ResourceImport | undefined;
  /** The published labels; undefined if no valid export is left. */
  readonly label: string | undefined;
  /** An export of the labels. */
  readonly source: ResourceExport | undefined;
  /** The number that the labels keep, or get back. */
  readonly keeps: number | undefined;
  /**
   * The first cluster that exports the labels and may have another number. Undefined: there is no
   * such cluster.
   */
  readonly payer: string | undefined;
}

function lookAt({ exports, imports, quota, lastNumbers = [] }: ExportGroup, holdersOf: HoldersOf): Look {
  const valid = exports.filter((one) => isLive(one) && malformation(one) === undefined).toSorted(byAge);
  const present = imports.find(isOwnImport);
  const obstacle = imports.find((one) => !isOwnImport(one));
  // Two sets of labels with the same hash can be made on purpose. The published set stays.
  const published = present?.spec?.labelIdentity?.label;
  const source = valid.find((one) => labelOf(one) === published) ?? valid[0];
  const number = present === undefined ? undefined : labelNumberOf(present);
  const isShared =
    present === undefined || number === undefined || holdersOf(number).some((other) => byAge(other, present) < 0);
  const label = source === undefined ? undefined : labelOf(source);
  const isSame = published === label;
  const known = present === undefined ? knownNumber(valid, label, { holdersOf, lastNumbers }) : undefined;
  const payer = valid
    .filter((one) => labelOf(one) === label)
    .map(({ spec }) => spec?.clusterID ?? '')
    .find((clusterID) => quota?.isUsedUp(clusterID) !== true);
  return { present, obstacle, label, source, keeps: isShared || !isSame ? known : number, payer };
}

/**
 * The number of labels whose import was lost. It is the number of the lost import, or their number
 * in the exporting clusters, unless another set has it by now.
 */
function knownNumber(
  valid: readonly ResourceExport[],
  label: string | undefined,
  { holdersOf, lastNumbers }: { readonly holdersOf: HoldersOf; readonly lastNumbers: readonly number[] },
): number | undefined {
  const echoed = valid.filter((one) => labelOf(one) === label).flatMap((one) => echoedNumber(one) ?? []);
  return [...lastNumbers, ...echoed].find((number) => holdersOf(number).length === 0);
}

function labelOf({ spec }: ResourceExport): string | undefined {
  return spec?.labelIdentity?.normalizedLabel;
}

/** The problem of an export by itself. */
function malformation(object: ResourceExport): string | undefined {
  const { metadata, spec } = object;
  const ignored = overLimits(object);
  if (ignored !== undefined) return `Not merged: ${ignored}.`;
  const { clusterID = '' } = spec ?? {};
  const [wrong] = clusterIDErrors(clusterID);
  if (wrong !== undefined) return `Not merged: spec.clusterID ${shown(clusterID)} ${wrong}`;
  const [hash = ''] = labelExportKeys(object);
  if (metadata.name !== labelIdentityExportName(clusterID, hash))
    return `Not merged: the name must be ${shown(clusterID)}, a dash and the hash of the labels. The exporting member must correct it.`;
  const malformed = labelProblem(labelOf(object), hash);
  return malformed === undefined ? undefined : `Not merged: ${malformed}. The exporting member must correct it.`;
}

function problemOf(object: ResourceExport, { label, obstacle }: Look, { refused }: ExportGroup): string | undefined {
  const malformed = malformation(object);
  if (malformed !== undefined) return malformed;
  if (obstacle !== undefined)
    return `ResourceImport ${obstacle.metadata.name} exists and was not created by this leader. Delete it.`;
  if (labelOf(object) !== label) return 'Not merged: other labels have the same hash, and were exported first.';
  const [hash = ''] = labelExportKeys(object);
  return refused.get(hash);
}

const manyNumbers: ReasonOn<typeof resourceExportStatus, 'Failure=False'> = 'TooManyNumbers';
const overQuotaMessage = ({ quota }: ExportGroup) =>
  `A leader keeps ${quota?.limit ?? 0} numbers of label identities for one cluster, those of labels that it has withdrawn within five minutes included, and this cluster has as many. Labels get a number when others have been withdrawn for five minutes. Reduce how often Pods get new labels in this cluster.`;
const noNumber: ReasonOn<typeof resourceExportStatus, 'Failure=False'> = 'NumbersExhausted';
const exhausted = `All ${identityNumbers.last} numbers of label identities are in use. Reduce the number of different Pod labels in the ClusterSet.`;

function withdrawalOf(
  own: readonly ResourceImport[],
  now: string,
): Pick<ExportDecision, 'unwanted' | 'retired' | 'wait'> {
  const nowMs = parseRfc3339(now) ?? 0;
  const ages = own.map(({ metadata }) => {
    const sinceMs = parseRfc3339(metadata.annotations?.[Annotation.withdrawn]);
    // If a clock was set back, the number must not be kept for longer.
    return sinceMs === undefined ? undefined : Math.abs(nowMs - sinceMs);
  });
  const isCool = (index: number) => (ages[index] ?? 0) >= coolDownMs;
  const leftMs = Math.max(0, ...ages.map((age = 0) => coolDownMs - age));
  return {
    unwanted: own.filter((_, index) => isCool(index)),
    retired: own.filter((_, index) => !isCool(index)),
    wait: leftMs === 0 ? undefined : { forMs: leftMs, why: 'the number of the labels is kept for a while' },
  };
}

function importOf(hash: string, label: string, id: number, clusterID: string | undefined): ResourceImport {
  return {
    metadata: {
      name: hash,
      labels: { [Label.sourceKind]: SourceKind.labelIdentity, [Label.managedBy]: managedByIsthmus },
      ...(clusterID !== undefined && { annotations: { [Annotation.numberedFor]: clusterID } }),
    },
    spec: { kind: SourceKind.labelIdentity, labelIdentity: { label, id } },
  };
}

/**
 * Ours, or in the form of Antrea's leader, which sets no label but derives the name from the
 * labels.
 */
function isOwnImport(object: ResourceImport): boolean {
  if (labelImportKeys(object).length === 0) return false;
  const { name } = object.metadata;
  return (
    carriesOurLabel(object) ||
    (!isClaimed(object) && labelProblem(object.spec?.labelIdentity?.label, name) === undefined)
  );
}
