import type { Service } from '@isthmus/api';
import { reasonsOn, resourceExportStatus } from '@isthmus/api';

/** Reasons that concern fields of the ServiceExport, not of the Service. */
const ofServiceExport: ReadonlySet<string> = new Set(['LabelsConflict', 'AnnotationsConflict']);

/**
 * How to resolve a conflict, with the command. `reasons` is a comma-separated list of reasons.
 * Empty if none of them is known here.
 */
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
    // An API server rejects a change of a ClusterIP to `None`, and keeps a ClusterIP that is
    // `None`.
    ...(known.includes('TypeConflict')
      ? [
          `To resolve the type, make the Service headless in every exporting cluster or in none. Its ClusterIP cannot be edited: delete the Service where it differs, and create it again: kubectl -n ${namespace} delete service ${name}`,
        ]
      : []),
  ].join('. ');
}
