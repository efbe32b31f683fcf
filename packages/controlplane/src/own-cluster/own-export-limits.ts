import type { ResourceExport } from '@isthmus/api';
import {
  SourceKind,
  clusterInfoName,
  joinedName,
  labelIdentityExportName,
  labelIdentityHash,
  resourceExportName,
} from '@isthmus/api';
import type { CacheLimits } from '@isthmus/kube';
import { exportLimits } from '../common-area/limits.ts';

/**
 * The limits on objects with its label in the Common Area that a member keeps in memory. For its
 * own exports they are those of a leader. Objects that others create with its label have the same
 * limits again. Without limits, one member's token could fill the memory of another member.
 */
export function ownExportLimits(
  clusterID: string,
  limits: CacheLimits<ResourceExport> = exportLimits,
): CacheLimits<ResourceExport> {
  return { ...limits, ownerOf: (object) => (isOfThisCluster(object, clusterID) ? limits.ownerOf(object) : '') };
}

/**
 * Whether the export belongs to this cluster, by its spec and its name. Under that name this
 * cluster finds it again, and removes it if it has not exported it.
 */
function isOfThisCluster({ metadata, spec }: ResourceExport, clusterID: string): boolean {
  if (spec?.clusterID !== clusterID) return false;
  return joinedName(metadata.name, `${clusterID}-${spec.namespace ?? ''}`) === exportName(spec, clusterID);
}

function exportName(spec: NonNullable<ResourceExport['spec']>, clusterID: string): string | undefined {
  const { kind, namespace = '', name = '' } = spec;
  if (kind === SourceKind.clusterInfo) return clusterInfoName(clusterID);
  if (kind === SourceKind.labelIdentity)
    return labelIdentityExportName(clusterID, labelIdentityHash(spec.labelIdentity?.normalizedLabel ?? ''));
  const isOfService = kind === SourceKind.service || kind === SourceKind.endpoints;
  return isOfService ? resourceExportName(clusterID, namespace, name, kind) : undefined;
}
