import { isMissingFile } from '@isthmus/kube';
import { ExitCode as Code } from '../exit-code.ts';
import type { Io } from '../io.ts';
import { UsageError } from '../usage-error.ts';
import { isthmusVersion } from '../version/version.ts';
import type { WrittenCluster } from './kubeconfig.ts';
import { readOwnKubeconfig } from './kubeconfig.ts';

export interface ExecFlags {
  readonly container?: string | undefined;
  readonly kubeconfig: string;
}

/** The first byte of a message, as the API server sends it. */
const Channel = { stdout: 1, stderr: 2, status: 3 } as const;

/** A Pod of a sandbox. */
interface PodName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Runs a program in a container of a sandbox; resolves to the code of the program. Errors: {@link UsageError} where the Pod is not named as it must be, or the kubeconfig is not that of a
 * sandbox with its cluster; rejects with what the API server answers, and where the connection breaks off.
 */
export async function runExec(
  io: Pick<Io, 'network' | 'readFile' | 'stdout' | 'stderr'>,
  { container, kubeconfig }: ExecFlags,
  [target = '', ...command]: readonly string[],
): Promise<number> {
  const pod = podNameOf(target);
  const cluster = await clusterOf(pod.cluster, kubeconfig, io);
  const query = new URLSearchParams([
    ...command.map((word): [string, string] => ['command', word]),
    ...(container === undefined ? [] : [['container', container] as [string, string]]),
    ['stdout', 'true'],
    ['stderr', 'true'],
  ]);
  const decoders = { [Channel.stdout]: new TextDecoder(), [Channel.stderr]: new TextDecoder() };
  let status: ExecStatus | undefined;
  const answer = await io.network.openWebSocket({
    server: cluster.server,
    caPem: cluster.caData,
    clientCertificate: { certPem: cluster.user.certData, keyPem: cluster.user.keyData },
    userAgent: `isthmus/${isthmusVersion}`,
    path: `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}/exec?${query.toString()}`,
    protocol: 'v5.channel.k8s.io',
    onMessage(payload) {
      const [channel] = payload;
      const bytes = payload.subarray(1);
      if (channel === Channel.stdout) io.stdout.write(decoders[Channel.stdout].decode(bytes, { stream: true }));
      if (channel === Channel.stderr) io.stderr.write(decoders[Channel.stderr].decode(bytes, { stream: true }));
      if (channel === Channel.status) status = JSON.parse(new TextDecoder().decode(bytes)) as ExecStatus;
    },
  });
  if ('status' in answer)
    throw new Error(`cannot run a program in Pod ${target}: ${messageOf(answer.body, answer.status)}`);
  await answer.closed;
  if (status === undefined) throw new Error(`the connection to Pod ${target} ended before the program did`);
  return codeOf(status, target);
}

interface ExecStatus {
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly details?:
    | { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] }
    | undefined;
}

function codeOf({ status, reason, message, details }: ExecStatus, target: string): number {
  if (status === 'Success') return Code.ok;
  const code = details?.causes?.find((one) => one.reason === 'ExitCode')?.message;
  if (reason === 'NonZeroExitCode' && code !== undefined) return Number(code);
  throw new Error(`cannot run a program in Pod ${target}: ${message ?? 'it failed'}`);
}

function messageOf(body: string, status: number): string {
  try {
    const { message } = JSON.parse(body) as { readonly message?: string };
    if (message !== undefined) return message;
  } catch {
    // No Status of an API server.
  }
  return `the API server answered ${status}`;
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
