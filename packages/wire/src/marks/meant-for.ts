import { SourceKind } from '@isthmus/api';
import type { ResourceImport } from '@isthmus/api';

/**
 * Whether an import is for this cluster. `spec.clusterID` lists the clusters that it is for; empty:
 * all (docs/spec/wire.md §8.5). On merged endpoints the field is the exporter instead (§9). An
 * Antrea leader that takes over keeps the field and drops the slices. Merged endpoints are for all
 * clusters that import the Service.
 */
export function isMeantFor({ spec }: ResourceImport, clusterID: string): boolean {
  const clusterIDs = spec?.clusterID ?? [];
  return clusterIDs.length === 0 || clusterIDs.includes(clusterID) || spec?.kind === SourceKind.endpoints;
}
