import type { ReasonOn, ResourceExport } from '@isthmus/api';
import { resourceExportStatus } from '@isthmus/api';
import { conditionOf } from '@isthmus/machinery';
import type { ExportCondition, Verdicts } from '../../conditions.ts';
import { setVerdicts } from '../../conditions.ts';

type ExportVerdicts = Verdicts<typeof resourceExportStatus>;

/** The export is merged; `message` names what was left out. Antrea's members read the first condition alone: it is this one. */
export function succeeded(
  object: ResourceExport,
  message: string | undefined,
  now: string,
): readonly ExportCondition[] {
  return answer(object, 'Succeeded', { Succeeded: { status: 'True', message } }, now);
}

/** The export is not published, for the reason in `message`: what it says, or, of `ImportRejected`, the API server of the leader. */
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

/** The condition of one type alone; the time of its last transition is kept. */
export function answer(
  { status }: ResourceExport,
  type: keyof ExportVerdicts,
  verdicts: ExportVerdicts,
  now: string,
): readonly ExportCondition[] {
  const found = conditionOf(status?.conditions, type);
  return setVerdicts(resourceExportStatus, found === undefined ? [] : [found], verdicts, { now });
}
