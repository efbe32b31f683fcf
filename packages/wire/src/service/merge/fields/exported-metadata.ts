import { canonicalJson } from '@isthmus/machinery';
import type { Problems } from '../problems.ts';
import { isReservedKey } from './reserved-keys.ts';
import { isAbsent, isLabelValue, isQualifiedName, recordOf, shown } from '../../../untrusted.ts';

export type StringMap = Readonly<Record<string, string>>;

/**
 * Labels and annotations that are exported with a Service, for its imports. Absent if there are
 * none.
 */
export interface ExportedMetadata {
  readonly exportedLabels?: StringMap | undefined;
  readonly exportedAnnotations?: StringMap | undefined;
}

/**
 * A map with more keys is not exported: every importing cluster stores the keys, and every watch
 * transfers them.
 */
const maxKeys = 100;
/**
 * Bytes of the JSON text of one of the two maps. Both are in one annotation, and all annotations of
 * an object may have 256 KiB.
 */
const maxBytes = 32 * 1024;

/**
 * The exported labels and annotations that are allowed on a ServiceImport. Left out and reported:
 * keys and values that the API server would reject, and reserved keys. A map that is too large is
 * left out as a whole.
 */
export function readExportedMetadata(
  exported: { readonly exportedLabels?: unknown; readonly exportedAnnotations?: unknown },
  problems: Problems,
): ExportedMetadata {
  return {
    exportedLabels: readMap(
      exported.exportedLabels,
      'exportedLabels',
      { key: isQualifiedName, value: isLabelValue },
      problems,
    ),
    exportedAnnotations: readMap(
      exported.exportedAnnotations,
      'exportedAnnotations',
      { key: (key) => isQualifiedName(key.toLowerCase()), value: (text) => typeof text === 'string' },
      problems,
    ),
  };
}

function readMap(
  value: unknown,
  what: string,
  accepts: { readonly key: (key: string) => boolean; readonly value: (text: unknown) => boolean },
  problems: Problems,
): StringMap | undefined {
  if (isAbsent(value)) return undefined;
  const record = recordOf(value);
  if (record === undefined) {
    problems.add(`${what}: expected an object, got ${shown(value)}; ignored`);
    return undefined;
  }
  const kept: [string, string][] = [];
  for (const [key, text] of Object.entries(record)) {
    if (!accepts.key(key)) problems.add(`${what}: ${shown(key)} is not a valid key; left out`);
    else if (isReservedKey(key)) problems.add(`${what}: ${shown(key)} is reserved; left out`);
    else if (typeof text !== 'string' || !accepts.value(text))
      problems.add(`${what}: the value of ${shown(key)} is not valid; left out`);
    else kept.push([key, text]);
  }
  // fromEntries defines properties; an assignment would call setters of the prototype.
  const map = Object.fromEntries(kept);
  const bytes = new TextEncoder().encode(canonicalJson(map)).length;
  if (kept.length > maxKeys) problems.add(`${what}: ${kept.length} keys exceed the limit of ${maxKeys}; ignored`);
  else if (bytes > maxBytes) problems.add(`${what}: ${bytes} bytes of JSON exceed the limit of ${maxBytes}; ignored`);
  else if (kept.length > 0) return map;
  return undefined;
}
