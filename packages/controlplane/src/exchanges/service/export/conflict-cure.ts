import type { Service } from '@isthmus/api';
import { reasonsOn, resourceExportStatus } from '@isthmus/api';

/** Reasons about fields of the ServiceExport rather than of the Service. */
const ofServiceExport: ReadonlySet<string> = new Set(['LabelsConflict', 'AnnotationsConflict']);

/** How to resolve a conflict for these reasons, joined by commas, with the command; empty where none of them is known here. */
export function conflictCure(reasons: string, { metadata: { namespace = '', name } }: Service): string {
  const known = reasonsOn(resourceExportStatus, 'Conflict=True').filter((reason) =>
    reasons.split(',').includes(reason),
  );
  const edited = known.filter((reason) => reason !== 'TypeConflict');
  const kinds = [
    ...(edited.some((reason) => !ofServiceExport.has(reason)) ? ['service'] : []),
    ...(edited.some((reason) => ofServiceExport.has(reason)) ? ['serviceexport'] : []),
  ];
  const commands = kinds.map((kind) => `kubectl -n ${namespace} edit ${kind} ${name}`);
  return [
    ...(commands.length > 0
      ? [`To resolve it, make them the same in every exporting cluster: ${commands.join('; ')}`]
      : []),
    // An API server rejects a ClusterIP that changes to None, and keeps one that is None.
    ...(known.includes('TypeConflict')
      ? [
          `To resolve the type, make the Service headless in every exporting cluster or in none. Its ClusterIP cannot be edited: delete the Service where it differs, and create it again: kubectl -n ${namespace} delete service ${name}`,
        ]
      : []),
  ].join('. ');
}
