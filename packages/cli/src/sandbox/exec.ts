import { isMissingFile } from '@isthmus/kube';
import type { Io } from '../world/io.ts';
import { UsageError } from '../command/usage-error.ts';
import { execInPod } from './exec-in-pod.ts';
import type { WrittenCluster } from './kubeconfig.ts';
import { readOwnKubeconfig } from './kubeconfig.ts';

export interface ExecFlags {
  readonly container?: string | undefined;
  readonly kubeconfig: string;
}

/** A Pod of a sandbox. */
interface PodName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Runs a program in a container of a sandbox; resolves to the code of the program. Errors:
 * {@link UsageError} if the name of the Pod is not valid, or the kubeconfig is not that of a
 * sandbox with its cluster; rejects with the answer of the API server, or if the connection breaks
 * off.
 */
export async function runExec(
  io: Pick<Io, 'network' | 'readFile' | 'stdout' | 'stderr'>,
  { container, kubeconfig }: ExecFlags,
  [target = '', ...command]: readonly string[],
): Promise<number> {
  const pod = podNameOf(target);
  const cluster = await clusterOf(pod.cluster, kubeconfig, io);
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  return execInPod(
    io.network,
    { ...cluster, url: cluster.server },
    {
      ...pod,
      container,
      command,
      onStdout: (bytes) => io.stdout.write(decoders.stdout.decode(bytes, { stream: true })),
      onStderr: (bytes) => io.stderr.write(decoders.stderr.decode(bytes, { stream: true })),
    },
  );
}

function podNameOf(text: string): PodName {
  const [cluster = '', namespace = '', name = '', ...rest] = text.split('/');
  if (cluster === '' || namespace === '' || name === '' || rest.length > 0)
    throw new UsageError(`${JSON.stringify(text)} does not name a Pod. Write it as cluster/namespace/name.`);
  return { cluster, namespace, name };
}

async function clusterOf(name: string, path: string, { readFile }: Pick<Io, 'readFile'>): Promise<WrittenCluster> {
  const clusters = await readFile(path).then(
    ({ text }) => readOwnKubeconfig(text),
    (error: unknown) => {
      if (!isMissingFile(error)) throw error;
      throw new UsageError(
        `--kubeconfig ${path}: there is no such file. Start a sandbox first: isthmus sandbox up --network`,
      );
    },
  );
  if (clusters === undefined) throw new UsageError(`--kubeconfig ${path}: this file was not written by a sandbox.`);
  const found = clusters.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new UsageError(`the sandbox has no cluster ${name}: it has ${clusters.map((one) => one.name).join(', ')}.`);
}
