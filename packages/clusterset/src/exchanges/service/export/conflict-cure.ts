import type { Service } from '@isthmus/api';
import { reasonsOn, resourceExportStatus } from '@isthmus/api';

/** Reasons about fields of the ServiceExport rather than of the Service. */
const ofServiceExport: ReadonlySet<string> = new Set(['LabelsConflict', 'AnnotationsConflict']);

/** How to resolve a conflict for these reasons, joined by commas, with the command; empty where none of them is known here. */
export function conflictCure(reasons: string, { metadata: { namespace = '', name } }: Service): string {
  const known = reasonsOn(resourceExportStatus, 'Conflict=True').filter((reason) =>
    reasons.split(',').includes(reason),
  );
  const kinds = [
    ...(known.some((reason) => !ofServiceExport.has(reason)) ? ['service'] : []),
    ...(known.some((reason) => ofServiceExport.has(reason)) ? ['serviceexport'] : []),
  ];
  if (kinds.length === 0) return '';
  const commands = kinds.map((kind) => `kubectl -n ${namespace} edit ${kind} ${name}`);
  return `To resolve it, make them the same in every exporting cluster: ${commands.join('; ')}`;
}
