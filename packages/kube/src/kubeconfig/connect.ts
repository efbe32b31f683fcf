import type { Clock } from '@isthmus/machinery';
import { noCredentials, staticToken, tokenFile } from '../transport/credentials.ts';
import type { Credentials } from '../transport/credentials.ts';
import { httpsTransport } from '../transport/https-transport.ts';
import type { Transport } from '../transport/transport.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import type { PemSource } from './kubeconfig.ts';
import type { ReadFile } from '../world/read-file.ts';

export interface ConnectOptions {
  readonly clock: Clock;
  readonly readFile: ReadFile;
  /** Default `isthmus`. The API server derives field managers from its first word. */
  readonly userAgent?: string | undefined;
}

/**
 * Reads the files that the settings name and makes a transport of them; opens no connection yet. Certificates are read once, a
 * token file again and again.
 *
 * Errors: a file that cannot be read, certificates or keys that are none; each names where the settings come from.
 */
export async function connect(settings: ConnectionSettings, options: ConnectOptions): Promise<Transport> {
  const { clock, readFile, userAgent = 'isthmus' } = options;
  const pem = async (source: PemSource | undefined) =>
    source?.kind === 'file' ? (await readFile(source.path)).text : source?.pem;
  try {
    const certPem = await pem(settings.clientCertificate?.certificate);
    const keyPem = await pem(settings.clientCertificate?.key);
    return httpsTransport({
      server: settings.server,
      caPem: await pem(settings.certificateAuthority),
      insecureSkipTlsVerify: settings.insecureSkipTlsVerify,
      tlsServerName: settings.tlsServerName,
      clientCertificate: certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem },
      credentials: credentialsOf(settings, { clock, readFile }),
      userAgent,
    });
  } catch (error) {
    throw new Error(`${settings.origin}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function credentialsOf(
  settings: ConnectionSettings,
  world: { readonly clock: Clock; readonly readFile: ReadFile },
): Credentials {
  switch (settings.token.kind) {
    case 'none':
      return noCredentials();
    case 'inline':
      return staticToken(settings.token.token);
    case 'file':
      return tokenFile({ path: settings.token.path, ...world });
  }
}
