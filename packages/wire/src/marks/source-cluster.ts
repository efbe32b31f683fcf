import type { ResourceImport } from '@isthmus/api';
import { Label, SourceKind, clusterIDErrors, perClusterImportName } from '@isthmus/api';

/** The one cluster that this import is of; undefined where several clusters, or nobody, may have a part in it. */
export function sourceClusterOf(object: ResourceImport): string | undefined {
  return soleSource(object) ?? partSource(object) ?? object.metadata.labels?.[Label.sourceClusterID];
}

/**
 * The cluster whose endpoints this import has, beside imports of other clusters: by its name, which nobody can change, as somebody can its label. Undefined
 * for other kinds, and where the name does not follow from what the import says.
 */
export function partSource({ metadata, spec }: ResourceImport): string | undefined {
  const { kind, namespace = '', name = '' } = spec ?? {};
  const prefix = perClusterImportName(namespace, name, '');
  if (kind !== SourceKind.endpointSlices || !metadata.name.startsWith(prefix)) return undefined;
  const clusterID = metadata.name.slice(prefix.length);
  return clusterIDErrors(clusterID).length === 0 ? clusterID : undefined;
}

/**
 * The cluster that alone exports a Service, as its merged endpoints say (docs/spec/wire.md §9): they carry its slices. Another leader that writes
 * them, Antrea's or one of 0.1.0, drops the slices, and its endpoints may be of several clusters.
 */
export function soleSource({ spec }: ResourceImport): string | undefined {
  if (spec?.kind !== SourceKind.endpoints || spec.endpointSlices === undefined) return undefined;
  const [clusterID = '', ...others] = spec.clusterID ?? [];
  return others.length === 0 && clusterIDErrors(clusterID).length === 0 ? clusterID : undefined;
}
