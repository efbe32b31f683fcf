import type { ExecPlugin, PemSource, TokenSource } from './kubeconfig.ts';

/**
 * The settings of a connection to one API server, including credentials. Files are named, not read.
 */
export interface ConnectionSettings {
  readonly server: string;
  readonly certificateAuthority?: PemSource | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  /** `http://` or `https://`: all connections go through it. */
  readonly proxyUrl?: string | undefined;
  readonly clientCertificate?: { readonly certificate: PemSource; readonly key: PemSource } | undefined;
  readonly token: TokenSource;
  /** Gives the credentials where there is no token; `clusterConfig` is passed to it. */
  readonly exec?: { readonly plugin: ExecPlugin; readonly clusterConfig: unknown } | undefined;
  /** The Namespace that this connection works in. */
  readonly namespace: string;
  /** The origin of the settings, for messages. */
  readonly origin: string;
  readonly warnings: readonly string[];
}
