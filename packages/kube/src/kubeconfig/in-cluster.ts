import { hostPort } from '@isthmus/machinery';
import type { ConnectionSettings } from './connection-settings.ts';
import { isMissingFile } from '../world/read-file.ts';
import type { ReadFile } from '../world/read-file.ts';

/** The environment of a Pod. */
export interface PodPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
}

/** Whether this process runs in a Pod that may speak to its API server. */
export function isInCluster(env: PodPlaces['env']): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST'] && env['KUBERNETES_SERVICE_PORT']);
}

/**
 * The API server of the cluster that this Pod runs in, as its ServiceAccount. The token is read
 * from its file again and again; the certificate authority once.
 *
 * Errors: that this is no Pod, or that the Namespace file cannot be read.
 */
export async function inClusterSettings(places: PodPlaces): Promise<ConnectionSettings> {
  const { env, readFile } = places;
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (!host || !port) {
    throw new Error(
      'not running in a Pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; use a kubeconfig instead',
    );
  }
  return {
    server: `https://${hostPort(host, port)}`,
    certificateAuthority: { kind: 'file', path: `${mountedAt}/ca.crt` },
    token: { kind: 'file', path: `${mountedAt}/token` },
    namespace: await mountedNamespace(readFile),
    origin: 'the ServiceAccount of this Pod',
    warnings: [],
  };
}

async function mountedNamespace(readFile: ReadFile): Promise<string> {
  try {
    return (await readFile(`${mountedAt}/namespace`)).text.trim() || 'default';
  } catch (error) {
    if (isMissingFile(error)) return 'default';
    throw error;
  }
}

/** The path at which the kubelet mounts the ServiceAccount of a Pod. */
const mountedAt = '/var/run/secrets/kubernetes.io/serviceaccount';
