import type { ConnectionSettings } from './connection-settings.ts';
import { inClusterSettings, isInCluster } from './in-cluster.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';
import type { KubeconfigPlaces } from './load-kubeconfig.ts';
import { resolveContext } from './resolve-context.ts';

export interface ConnectionPlaces extends KubeconfigPlaces {
  /** The name of the context in the kubeconfig; absent: its current context. */
  readonly context?: string | undefined;
}

/**
 * The default connection of a controller: the named kubeconfig, otherwise `KUBECONFIG`, otherwise
 * the Pod's own cluster, otherwise `~/.kube/config` (the order of controller-runtime). A named
 * context always means a kubeconfig.
 */
export async function findConnection(places: ConnectionPlaces): Promise<ConnectionSettings> {
  const named = Boolean(places.path) || Boolean(places.env['KUBECONFIG']) || places.context !== undefined;
  if (!named && isInCluster(places.env)) return inClusterSettings(places);
  return resolveContext(await loadKubeconfig(places), places.context);
}
