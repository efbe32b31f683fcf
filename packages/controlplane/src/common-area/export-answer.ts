import type { ReasonOn, ResourceExport, Verdict } from '@isthmus/api';
import { resourceExportStatus } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import { keepsImport, setVerdicts } from '@isthmus/wire';
import type { ExportCondition, ReportedProblem, Verdicts } from '@isthmus/wire';

type ExportVerdicts = Verdicts<typeof resourceExportStatus>;

/**
 * The export is merged. `message` names the parts that were left out. Antrea's members read only
 * the first condition, which is this one.
 */
export function succeeded(
  object: ResourceExport,
  message: string | undefined,
  now: string,
): readonly ExportCondition[] {
  return answer(object, 'Succeeded', { Succeeded: { status: 'True', message } }, now);
}

/**
 * The export is not published. `message` has the reason: an error in the export or, for
 * `ImportRejected`, the answer of the leader's API server.
 */
export function failed(
  object: ResourceExport,
  message: string,
  now: string,
  reason: ReasonOn<typeof resourceExportStatus, 'Failure=False'> = 'ConvergeFailure',
): readonly ExportCondition[] {
  return answer(object, 'Failure', { Failure: { status: 'False', reason, message } }, now);
}

/** No leader of this version merges the kind. */
export function unmerged(object: ResourceExport, message: string, now: string): readonly ExportCondition[] {
  return answer(object, 'Failure', { Failure: { status: 'False', reason: 'KindNotSupported', message } }, now);
}

/** The condition of one type alone. The time of its last transition is kept. */
export function answer(
  { status }: ResourceExport,
  type: keyof ExportVerdicts,
  verdicts: ExportVerdicts,
  now: string,
): readonly ExportCondition[] {
  const found = conditionOf(status?.conditions, type);
  return setVerdicts(resourceExportStatus, found === undefined ? [] : [found], verdicts, { now });
}

/** How many clusters fit into a message, each with its report. */
const maxImportersShown = 5;

/**
 * The condition ImportFailed of an export that clusters report as not imported. Undefined if there
 * is no report.
 */
export function importFailed(
  clusters: readonly ReportedProblem[],
): Verdict<typeof resourceExportStatus, 'ImportFailed'> | undefined {
  if (clusters.length === 0) return undefined;
  const shown = clusters.slice(0, maxImportersShown).map(
    // "This cluster" is the importing one. The reader of this condition looks at another cluster.
    ({ clusterID, reason, message }) =>
      `${outcomeOf(reason)} in ${clusterID} (${reason}): ${ended(message.replaceAll('this cluster', 'that cluster'))}`,
  );
  const others = clusters.slice(maxImportersShown).map(({ reason }) => outcomeOf(reason));
  const more = [...new Set(others)].map(
    (outcome) => `${outcome} in ${others.filter((other) => other === outcome).length} more clusters.`,
  );
  const message = [...shown, ...more].join(' ');
  return { status: 'True', reason: 'NotImported', message };
}

function outcomeOf(reason: string): string {
  if (reason === 'OutsideGrant') return 'Imported in part';
  return keepsImport(reason) ? 'Kept as imported before' : 'Not imported';
}

/** Adds a full stop, unless the text was cut. */
function ended(message: string): string {
  return /[.…]$/.test(message) ? message : `${message}.`;
}
