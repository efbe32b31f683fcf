import type { ResourceImport } from '@isthmus/api';
import { Label, SourceKind, clusterIDErrors, joinedName, perClusterImportName } from '@isthmus/api';

/**
 * The one cluster that exports what this import publishes; undefined if several clusters, or none,
 * may have a part in it.
 */
export function sourceClusterOf(object: ResourceImport): string | undefined {
  return soleSource(object) ?? partSource(object) ?? object.metadata.labels?.[Label.sourceClusterID];
}

/**
 * The cluster whose endpoints this import has, beside imports of other clusters. The name decides,
 * because no client can change a name, but any can change the label. Undefined for other kinds, and
 * if the name does not follow from the content of the import.
 */
export function partSource({ metadata, spec }: ResourceImport): string | undefined {
  const { kind, namespace = '', name = '' } = spec ?? {};
  const prefix = perClusterImportName(namespace, name, '');
  const joined = joinedName(metadata.name, namespace);
  if (kind !== SourceKind.endpointSlices || !joined.startsWith(prefix)) return undefined;
  const clusterID = joined.slice(prefix.length);
  return clusterIDErrors(clusterID).length === 0 ? clusterID : undefined;
}

/**
 * The only exporter of a Service, according to its merged endpoints (docs/spec/wire.md §9), which
 * contain its slices. A leader of Antrea or of 0.1.0 that writes the object again drops the slices,
 * and its endpoints may be of several clusters.
 */
export function soleSource({ spec }: ResourceImport): string | undefined {
  if (spec?.kind !== SourceKind.endpoints || spec.endpointSlices === undefined) return undefined;
  const [clusterID = '', ...others] = spec.clusterID ?? [];
  return others.length === 0 && clusterIDErrors(clusterID).length === 0 ? clusterID : undefined;
}
