import { Annotation } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';
import { canonicalJson } from '@isthmus/machinery';
import { recordOf } from '../untrusted.ts';
import type { ExportedMetadata } from './merge/fields/exported-metadata.ts';
import type { StringMap } from './merge/fields/exported-metadata.ts';

/** The annotation with the exported labels and annotations; absent if there are none. */
export function exportedMetadataAnnotation({
  exportedLabels: labels,
  exportedAnnotations: annotations,
}: ExportedMetadata): Readonly<Record<string, string>> {
  if (labels === undefined && annotations === undefined) return {};
  return { [Annotation.exportedMetadata]: canonicalJson({ labels, annotations }) };
}

/**
 * The content of the annotation. Another cluster wrote it: the values may be anything, whatever
 * their types.
 */
export function exportedMetadataOf({ metadata }: Pick<KubernetesObject, 'metadata'>): ExportedMetadata {
  const text = metadata.annotations?.[Annotation.exportedMetadata];
  if (text === undefined) return {};
  try {
    const content = recordOf(JSON.parse(text)) ?? {};
    return { exportedLabels: content['labels'] as StringMap, exportedAnnotations: content['annotations'] as StringMap };
  } catch {
    return { exportedLabels: text as unknown as StringMap };
  }
}

/** The annotation of another object, unchanged. */
export function exportedMetadataKept({
  metadata,
}: Pick<KubernetesObject, 'metadata'>): Readonly<Record<string, string>> {
  const text = metadata.annotations?.[Annotation.exportedMetadata];
  return text === undefined ? {} : { [Annotation.exportedMetadata]: text };
}
