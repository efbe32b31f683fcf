import type { Clock } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import { noCredentials, staticToken, tokenFile } from '../transport/credentials.ts';
import type { Credentials } from '../transport/credentials.ts';
import { httpsTransport } from '../transport/https-transport.ts';
import type { Transport } from '../transport/transport.ts';
import type { ConnectionSettings } from './connection-settings.ts';
import { execCredentials } from './exec-plugin.ts';
import type { PemSource } from './kubeconfig.ts';
import type { Programs } from './programs.ts';
import type { ReadFile } from '../world/read-file.ts';

export interface ConnectOptions {
  readonly clock: Clock;
  readonly readFile: ReadFile;
  /** Default `isthmus`. The API server derives field managers from its first word. */
  readonly userAgent?: string | undefined;
  /** For exec plugins. Absent: they are an error. */
  readonly programs?: Programs | undefined;
}

/**
 * Reads the files that the settings name and makes a transport of them; opens no connection yet.
 * Certificates are read once, a token file again and again. An exec plugin runs here for the first
 * time, because a person may need longer for a login than a request may take.
 *
 * Errors: a file that cannot be read, certificates or keys that are none, a plugin that gives no
 * credentials; each names where the settings come from.
 */
export async function connect(settings: ConnectionSettings, options: ConnectOptions): Promise<Transport> {
  const { readFile, userAgent = 'isthmus' } = options;
  const pem = async (source: PemSource | undefined) =>
    source?.kind === 'file' ? (await readFile(source.path)).text : source?.pem;
  try {
    const certPem = await pem(settings.clientCertificate?.certificate);
    const keyPem = await pem(settings.clientCertificate?.key);
    const caPem = await pem(settings.certificateAuthority);
    const credentials = credentialsOf(settings, caPem, options);
    if (settings.exec !== undefined) await credentials.authorization(new AbortController().signal);
    return httpsTransport({
      server: settings.server,
      caPem,
      insecureSkipTlsVerify: settings.insecureSkipTlsVerify,
      tlsServerName: settings.tlsServerName,
      clientCertificate: certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem },
      credentials,
      userAgent,
      proxyUrl: settings.proxyUrl,
    });
  } catch (error) {
    throw new Error(`${settings.origin}: ${errorMessage(error)}`, { cause: error });
  }
}

function credentialsOf(
  settings: ConnectionSettings,
  caPem: string | undefined,
  { clock, readFile, programs }: ConnectOptions,
): Credentials {
  if (settings.exec !== undefined) {
    const { plugin, clusterConfig } = settings.exec;
    const { command } = plugin;
    if (programs === undefined) throw new Error(`exec plugin ${JSON.stringify(command)} cannot be run here`);
    return execCredentials({ plugin, cluster: { ...settings, caPem, config: clusterConfig }, programs, clock });
  }
  switch (settings.token.kind) {
    case 'none':
      return noCredentials();
    case 'inline':
      return staticToken(settings.token.token);
    case 'file':
      return tokenFile({ path: settings.token.path, clock, readFile });
  }
}
