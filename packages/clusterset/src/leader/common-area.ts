import type { ClusterClaim, ClusterSet, MemberClusterAnnounce, ResourceExport, ResourceImport } from '@isthmus/api';
import type { Resource } from '@isthmus/kube';
import type { ObjectRef } from '@isthmus/machinery';
import type { Reports } from '../reports.ts';

/** What a leader works on: the objects of one Namespace, the Common Area. */
export interface CommonArea {
  readonly namespace: string;
  readonly clusterSets: Resource<ClusterSet>;
  readonly clusterClaims: Resource<ClusterClaim>;
  readonly announces: Resource<MemberClusterAnnounce>;
  /** Indexed by {@link ExportIndex}. */
  readonly exports: Resource<ResourceExport>;
  /** Indexed by {@link ImportIndex}. */
  readonly imports: Resource<ResourceImport>;
  readonly events: Reports;
  /** Asks the API server, past the cache, whether anybody exports that Service. */
  isExported(service: ObjectRef, signal: AbortSignal): Promise<boolean>;
}

/** Names of the indexes of {@link CommonArea.exports}. */
export const ExportIndex = {
  /** By the key of the merge that the export belongs to. */
  mergeKey: 'mergeKey',
  /** By `spec.clusterID`, every kind of export. */
  clusterID: 'clusterID',
} as const;

export const ImportIndex = {
  /** By the base that imports of one Service share, see importBases. */
  base: 'base',
} as const;
