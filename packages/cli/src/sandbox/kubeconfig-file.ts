import type { HttpsTransportOptions, ReadFile, Transport } from '@isthmus/kube';
import { createClient, isConnectionError, isMissingFile, noCredentials } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import type { PrivateFiles } from '../world/io.ts';
import { UsageError } from '../command/usage-error.ts';
import type { ReachableCluster, WrittenCluster } from './kubeconfig.ts';
import { readOwnKubeconfig, renderKubeconfig } from './kubeconfig.ts';

/** The parts of the world that keep the file. */
export interface FileWorld {
  readonly clock: Clock;
  readonly readFile: ReadFile;
  readonly privateFiles: PrivateFiles;
  readonly network: { dial(options: HttpsTransportOptions): Transport };
}

const answerWithinMs = 2_000;

/**
 * Makes sure that a kubeconfig can be written to `path`. Errors: {@link UsageError} if its
 * directory does not exist or cannot be written, if `path` has a file that is not a kubeconfig of a
 * sandbox, or if the clusters of the kubeconfig there are still up.
 */
export async function demandRoomFor(path: string, world: FileWorld): Promise<void> {
  const obstacle = await world.privateFiles.obstacle(path);
  if (obstacle !== undefined) throw new UsageError(`--kubeconfig ${path}: ${obstacle}`);
  const clusters = await readOwn(path, world);
  if (clusters === undefined) return;
  const answers = await Promise.all(clusters.map((cluster) => isUp(cluster, world)));
  if (!answers.includes(true)) return;
  throw takenByAnother(path);
}

function takenByAnother(path: string): UsageError {
  return new UsageError(
    `--kubeconfig ${path}: the sandbox that wrote this file is still running; stop it, or name another file`,
  );
}

/**
 * Writes the whole file or nothing; only its owner may read it. Errors: those of
 * {@link demandRoomFor}; another sandbox may have written the file while the clusters started.
 */
export async function writeKubeconfig(
  path: string,
  clusters: readonly ReachableCluster[],
  world: FileWorld,
): Promise<void> {
  await demandRoomFor(path, world);
  await world.privateFiles.remove(path);
  if (!(await world.privateFiles.write(path, renderKubeconfig(clusters)))) throw takenByAnother(path);
}

/** Removes the file once its clusters are gone, unless it was replaced with another file. */
export async function removeKubeconfig(
  path: string,
  clusters: readonly ReachableCluster[],
  world: FileWorld,
): Promise<void> {
  const found = await readOwn(path, world).catch(() => undefined);
  const urls = clusters.map(({ url }) => url);
  if (found?.every(({ server }) => urls.includes(server))) await world.privateFiles.remove(path);
}

/** The clusters of the file; undefined where there is none. */
async function readOwn(path: string, { readFile }: FileWorld): Promise<readonly WrittenCluster[] | undefined> {
  let text: string;
  try {
    ({ text } = await readFile(path));
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw new UsageError(`--kubeconfig: ${errorMessage(error)}`, { cause: error });
  }
  const clusters = readOwnKubeconfig(text);
  if (clusters !== undefined) return clusters;
  throw new UsageError(
    `--kubeconfig ${path}: this file was not written by a sandbox, or was changed since, so it is left unchanged. Name another file`,
  );
}

/**
 * Whether a server answers there whose certificate the file confirms. Another server may have got
 * the port.
 */
async function isUp({ server, caData }: WrittenCluster, { clock, network }: FileWorld): Promise<boolean> {
  const reach = { server, caPem: caData, credentials: noCredentials(), userAgent: 'isthmus' };
  let client;
  try {
    client = createClient({ transport: network.dial(reach), clock, timeoutMs: answerWithinMs });
    await client.request({ method: 'GET', path: '/readyz', headers: {} });
    return true;
  } catch (error) {
    // A file that was changed by hand may have a server that cannot even be dialled.
    return client !== undefined && !isConnectionError(error);
  } finally {
    client?.close();
  }
}
