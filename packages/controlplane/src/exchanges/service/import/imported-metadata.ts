import type { ServiceImport } from '@isthmus/api';
import { Annotation } from '@isthmus/api';
import { canonicalJson } from '@isthmus/machinery';
import type { ExportedMetadata, StringMap } from '@isthmus/wire';
import { isReservedKey, recordOf } from '@isthmus/wire';

type Metadata = ServiceImport['metadata'];

/**
 * The metadata of a ServiceImport with the labels and annotations that are exported now, and
 * without those that were exported before. All other labels and annotations stay, since other
 * clients set them. Undefined `exported`: unchanged.
 */
export function importedMetadata(current: Metadata, exported: ExportedMetadata | undefined): Metadata {
  if (exported === undefined) return current;
  const { [Annotation.importedKeys]: text, ...annotations } = current.annotations ?? {};
  const before = keysOf(text);
  const { exportedLabels, exportedAnnotations } = exported;
  return {
    ...current,
    labels: { ...without(current.labels, before.labels), ...exportedLabels },
    annotations: {
      ...without(annotations, before.annotations),
      ...exportedAnnotations,
      ...keysAnnotation(exported),
    },
  };
}

function keysAnnotation({ exportedLabels, exportedAnnotations }: ExportedMetadata): StringMap {
  if (exportedLabels === undefined && exportedAnnotations === undefined) return {};
  const labels = exportedLabels && Object.keys(exportedLabels).toSorted();
  const annotations = exportedAnnotations && Object.keys(exportedAnnotations).toSorted();
  return { [Annotation.importedKeys]: canonicalJson({ labels, annotations }) };
}

/**
 * The keys exported before. Empty if another client made the annotation unreadable; then all labels
 * and annotations stay.
 */
function keysOf(text = '{}'): { readonly labels: unknown; readonly annotations: unknown } {
  try {
    const said = recordOf(JSON.parse(text));
    return { labels: said?.['labels'], annotations: said?.['annotations'] };
  } catch {
    return { labels: undefined, annotations: undefined };
  }
}

/** Reserved keys are never exported. If the list has one, another client wrote it. */
function without(map: StringMap | undefined, keys: unknown): StringMap {
  const gone: ReadonlySet<unknown> = new Set(Array.isArray(keys) ? keys : []);
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !gone.has(key) || isReservedKey(key)));
}
