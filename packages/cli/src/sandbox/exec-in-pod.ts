import { ExitCode } from '../command/exit-code.ts';
import type { Network } from '../world/io.ts';
import { isthmusVersion } from '../version/version.ts';
import type { ReachableCluster } from './kubeconfig.ts';

/** A program to run in a container of a Pod. */
export interface PodProgram {
  readonly namespace: string;
  readonly name: string;
  /** Default: the only one. */
  readonly container?: string | undefined;
  readonly command: readonly string[];
  readonly onStdout: (bytes: Uint8Array) => void;
  readonly onStderr: (bytes: Uint8Array) => void;
}

/** The first byte of a message, as the API server sends it. */
const Channel = { stdout: 1, stderr: 2, status: 3 } as const;

/**
 * Runs a program in a container, over the API server of its cluster; resolves to the code of the
 * program. Errors: rejects with the answer of the API server, or if the connection breaks off.
 */
export async function execInPod(
  network: Pick<Network, 'openWebSocket'>,
  cluster: ReachableCluster,
  { namespace, name, container, command, onStdout, onStderr }: PodProgram,
): Promise<number> {
  const pod = `${cluster.name}/${namespace}/${name}`;
  const query = new URLSearchParams([
    ...command.map((word): [string, string] => ['command', word]),
    ...(container === undefined ? [] : [['container', container] as [string, string]]),
    ['stdout', 'true'],
    ['stderr', 'true'],
  ]);
  let status: ExecStatus | undefined;
  const answer = await network.openWebSocket({
    server: cluster.url,
    caPem: cluster.caData,
    clientCertificate: { certPem: cluster.user.certData, keyPem: cluster.user.keyData },
    userAgent: `isthmus/${isthmusVersion}`,
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/exec?${query.toString()}`,
    protocol: 'v5.channel.k8s.io',
    onMessage(payload) {
      const [channel] = payload;
      const bytes = payload.subarray(1);
      if (channel === Channel.stdout) onStdout(bytes);
      if (channel === Channel.stderr) onStderr(bytes);
      if (channel === Channel.status) status = JSON.parse(new TextDecoder().decode(bytes)) as ExecStatus;
    },
  });
  if ('status' in answer)
    throw new Error(`cannot run a program in Pod ${pod}: ${messageOf(answer.body, answer.status)}`);
  await answer.closed;
  if (status === undefined) throw new Error(`the connection to Pod ${pod} ended before the program did`);
  return codeOf(status, pod);
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
  if (status === 'Success') return ExitCode.ok;
  const code = details?.causes?.find((one) => one.reason === 'ExitCode')?.message;
  if (reason === 'NonZeroExitCode' && code !== undefined) return Number(code);
  throw new Error(`cannot run a program in Pod ${target}: ${message ?? 'it failed'}`);
}

function messageOf(body: string, status: number): string {
  try {
    const { message } = JSON.parse(body) as { readonly message?: string };
    if (message !== undefined) return message;
  } catch {
    // Not a Status of an API server.
  }
  return `the API server answered ${status}`;
}
