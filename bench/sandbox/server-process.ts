import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createClient, httpsTransport, noCredentials, systemClock } from '@isthmus/kube';
import type { BenchCluster, BenchFleet } from '../fleet.ts';
import { usageOf } from '../machine.ts';
import type { ProcessUsage } from '../machine.ts';
import { fleetOf } from './join.ts';
import type { ServedCluster, ServerMessage } from './server-messages.ts';

/** Sandbox clusters in a process of their own: what they use is theirs alone. */
export interface ServerProcess extends BenchFleet, AsyncDisposable {
  /**
   * Milliseconds from the first line of the program, everything imported, until all clusters were
   * ready.
   */
  readonly readyMs: number;
  /**
   * The same from the start of the process: Node, and the types of the sources stripped, are part
   * of it.
   */
  readonly sinceStartMs: number;
  usage(): ProcessUsage;
  /** Bytes that are in use after a garbage collection. */
  heapUsed(): Promise<number>;
}

export interface ServerProcessOptions {
  readonly clusters: readonly string[];
  /** Without it they can't be reached, and only their start is measured. Default true. */
  readonly https?: boolean | undefined;
  /** Where Node puts a CPU profile. */
  readonly profileInto?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Starts the clusters and waits until they are ready. Errors: the process ends before, with its
 * last output.
 */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { clusters: names, https = true, profileInto, signal } = options;
  await using stack = new AsyncDisposableStack();
  const profile = profileInto === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileInto}`];
  const args = ['--expose-gc', ...profile, program, https ? 'https' : 'memory', ...names];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe', 'ipc'], signal });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)));
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the sandbox's process ended with ${code}:\n${said}`)));
  });
  // Callers that wait for an answer get the error.
  ended.catch(() => {});
  stack.defer(async () => {
    if (child.connected) child.disconnect();
    await ended.catch(() => {});
  });
  const next = <K extends ServerMessage['kind']>(kind: K) => {
    const heard = new Promise<Extract<ServerMessage, { readonly kind: K }>>((resolve) => {
      const listen = (message: ServerMessage) => {
        if (message.kind !== kind) return;
        child.off('message', listen);
        resolve(message as Extract<ServerMessage, { readonly kind: K }>);
      };
      child.on('message', listen);
    });
    return Promise.race([heard, ended]);
  };
  const ready = await next('ready');
  const clusters = ready.clusters.map((served) => {
    const cluster = clusterOf(served);
    stack.defer(() => cluster.admin.close());
    return cluster;
  });
  const owned = stack.move();
  return {
    ...fleetOf(clusters),
    readyMs: ready.readyMs,
    sinceStartMs: ready.sinceStartMs,
    usage: () => usageOf(child.pid ?? 0),
    async heapUsed() {
      const answer = next('heap');
      child.send('heap');
      return (await answer).bytes;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The first cluster leads, the others are its members. */
function clusterOf({ name, url, caData, admin, leads }: ServedCluster): BenchCluster {
  const transport = httpsTransport({
    server: url,
    caPem: caData,
    clientCertificate: { certPem: admin.certData, keyPem: admin.keyData },
    credentials: noCredentials(),
    userAgent: 'isthmus-admin',
  });
  return {
    name,
    role: leads ? 'leader' : 'member',
    admin: createClient({ transport, clock: systemClock(), server: name }),
    server: { url, caData },
  };
}

const program = fileURLToPath(new URL('./serve.ts', import.meta.url));
