import { Label, managedByIsthmus } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';

/**
 * Nothing that is not ours is ever changed or deleted (ARCHITECTURE.md): ours carries our label, or Antrea's mark in a cluster whose ClusterSet we
 * serve. What Antrea's mark is, each exchange knows for its kinds.
 */
export function carriesOurLabel({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.labels?.[Label.managedBy] === managedByIsthmus;
}

/** Whether any tool claims the object by `app.kubernetes.io/managed-by`. Antrea puts no such label on anything. */
export function isClaimed({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.labels?.[Label.managedBy] !== undefined;
}
