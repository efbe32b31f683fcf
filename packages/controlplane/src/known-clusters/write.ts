import type { KnownCluster } from '@isthmus/api';
import type { ReconcileContext, Resource } from '@isthmus/kube';
import { isAlreadyExists } from '@isthmus/kube';
import type { KnownClusterDecision } from './decide.ts';

/** Writes what was decided about the KnownCluster of one cluster. */
export async function writeKnownCluster(
  resource: Resource<KnownCluster>,
  { known, decision: { create, pin, status }, log }: DecidedKnownCluster,
  signal: AbortSignal,
): Promise<void> {
  if (known !== undefined) {
    const after = await resource.change(known, { ...known, spec: pin ?? known.spec }, signal);
    await resource.changeStatus(after, status, signal);
  }
  if (create === undefined) return;
  const { clusterID, state } = create.spec;
  try {
    await resource.create(create, signal);
    log.info('recorded what is in use of a cluster', { clusterID, state });
  } catch (error) {
    // An administrator was faster; the cache will have the object.
    if (!isAlreadyExists(error)) throw error;
  }
}

interface DecidedKnownCluster extends Pick<ReconcileContext, 'log'> {
  readonly known: KnownCluster | undefined;
  readonly decision: KnownClusterDecision;
}
