import type { ConnectionSettings } from './connection-settings.ts';
import { inClusterSettings, isInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';
import type { KubeconfigPlaces } from './load-kubeconfig.ts';
import { resolveContext } from './resolve-context.ts';

export interface ConnectionPlaces extends KubeconfigPlaces {
  /** Of the kubeconfig; absent: its current one. */
  readonly context?: string | undefined;
}

/**
 * The connection that a controller means when it is told little: the named kubeconfig, otherwise `KUBECONFIG`, otherwise the Pod's own
 * cluster, otherwise `~/.kube/config` (the order of controller-runtime). A named context always means a kubeconfig.
 */
export async function findConnection(places: ConnectionPlaces): Promise<ConnectionSettings> {
  const named = Boolean(places.path) || Boolean(places.env['KUBECONFIG']) || places.context !== undefined;
  if (!named && isInCluster(places.env)) return inClusterSettings(places);
  return resolveContext(await loadKubeconfig(places), places.context);
}
