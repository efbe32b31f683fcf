import type { ResourceImport } from '@isthmus/api';
import { soleSource } from '../source-cluster.ts';

/**
 * Whether an import is for this cluster: `spec.clusterID` lists the clusters that it is for; empty: all (docs/spec/wire.md §8.5). On merged endpoints with slices it
 * is the exporter (§9), and these are for all.
 */
export function isMeantFor(object: ResourceImport, clusterID: string): boolean {
  const clusterIDs = object.spec?.clusterID ?? [];
  return clusterIDs.length === 0 || clusterIDs.includes(clusterID) || soleSource(object) !== undefined;
}
