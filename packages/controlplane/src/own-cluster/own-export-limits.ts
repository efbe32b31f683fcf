import type { ResourceExport } from '@isthmus/api';
import {
  SourceKind,
  clusterInfoName,
  labelIdentityExportName,
  labelIdentityHash,
  resourceExportName,
} from '@isthmus/api';
import type { CacheLimits } from '@isthmus/kube';
import { exportLimits } from '../common-area/limits.ts';

/**
 * How much a member holds of what carries its label in the Common Area: of its own exports as much as a leader accepts, and as much again of what
 * others put there under its label. Without a limit one member's token could fill the memory of another member.
 */
export function ownExportLimits(
  clusterID: string,
  limits: CacheLimits<ResourceExport> = exportLimits,
): CacheLimits<ResourceExport> {
  return { ...limits, ownerOf: (object) => (isOfThisCluster(object, clusterID) ? limits.ownerOf(object) : '') };
}

/** By what it says and by its name, under which this cluster finds it again, and removes what it has not exported. */
function isOfThisCluster({ metadata, spec }: ResourceExport, clusterID: string): boolean {
  return spec?.clusterID === clusterID && metadata.name === exportName(spec, clusterID);
}

function exportName(spec: NonNullable<ResourceExport['spec']>, clusterID: string): string | undefined {
  const { kind, namespace = '', name = '' } = spec;
  if (kind === SourceKind.clusterInfo) return clusterInfoName(clusterID);
  if (kind === SourceKind.labelIdentity)
    return labelIdentityExportName(clusterID, labelIdentityHash(spec.labelIdentity?.normalizedLabel ?? ''));
  const isOfService = kind === SourceKind.service || kind === SourceKind.endpoints;
  return isOfService ? resourceExportName(clusterID, namespace, name, kind) : undefined;
}
