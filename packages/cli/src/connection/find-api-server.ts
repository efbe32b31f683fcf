import { findConnection } from '@isthmus/kube';
import type { ConnectionSettings, Transport } from '@isthmus/kube';
import { errorMessage } from '@isthmus/machinery';
import type { Io } from '../world/io.ts';
import { UsageError } from '../command/usage-error.ts';

/**
 * How to reach the API server that the flags name. Sends no request.
 *
 * Errors: {@link UsageError}, with `what` for the API server: `the API server of the cluster`.
 */
export async function findApiServer(
  { env, home, readFile }: Io,
  { kubeconfig, context }: { readonly kubeconfig?: string | undefined; readonly context?: string | undefined },
  what: string,
): Promise<ConnectionSettings> {
  try {
    return await findConnection({ env, home, readFile, path: kubeconfig, context });
  } catch (error) {
    const why = errorMessage(error);
    throw new UsageError(`cannot find ${what}: ${why}`, { cause: error });
  }
}

/** Prints the unsafe settings of a kubeconfig, for commands without a log. */
export function printWarnings(
  { stderr }: Pick<Io, 'stderr'>,
  { warnings }: Pick<ConnectionSettings, 'warnings'>,
): void {
  for (const warning of warnings) stderr.write(`warning: ${warning}\n`);
}

/** A transport to it. Errors: {@link UsageError} if the kubeconfig allows no transport. */
export async function openApiServer(io: Io, connection: ConnectionSettings, userAgent: string): Promise<Transport> {
  try {
    return await io.network.connect(connection, userAgent);
  } catch (error) {
    throw new UsageError(errorMessage(error), { cause: error });
  }
}
