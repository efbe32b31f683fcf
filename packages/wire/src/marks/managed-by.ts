import { Label, managedByIsthmus } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';

/**
 * Objects that are not ours are never changed or deleted (ARCHITECTURE.md). An object is ours if it
 * has our label, or, in a cluster whose ClusterSet we serve, Antrea's mark. Each exchange defines
 * Antrea's mark for its kinds.
 */
export function carriesOurLabel({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.labels?.[Label.managedBy] === managedByIsthmus;
}

/**
 * Whether any tool claims the object by `app.kubernetes.io/managed-by`. Antrea never sets this
 * label.
 */
export function isClaimed({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.labels?.[Label.managedBy] !== undefined;
}
