import type { PemSource, TokenSource } from './kubeconfig.ts';

/** All that is needed to reach one API server as somebody. Files are named, not read. */
export interface ConnectionSettings {
  readonly server: string;
  readonly certificateAuthority?: PemSource | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly tlsServerName?: string | undefined;
  readonly clientCertificate?: { readonly certificate: PemSource; readonly key: PemSource } | undefined;
  readonly token: TokenSource;
  /** The Namespace that this connection works in. */
  readonly namespace: string;
  /** Where the settings come from, for messages. */
  readonly origin: string;
  readonly warnings: readonly string[];
}
