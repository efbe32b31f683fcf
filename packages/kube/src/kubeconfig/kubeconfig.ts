/**
 * PEM text, from a kubeconfig or from a file that it names.
 */
export type PemSource =
  | { readonly kind: 'inline'; readonly pem: string }
  | { readonly kind: 'file'; readonly path: string };

/** The source of a bearer token. A file is read again while it is used. */
export type TokenSource =
  | { readonly kind: 'none' }
  | { readonly kind: 'inline'; readonly token: string }
  | { readonly kind: 'file'; readonly path: string };

/** A program that prints credentials: `users[].user.exec`. */
export interface ExecPlugin {
  /**
   * A name is looked up in `PATH`; a path is absolute here, relative ones count from the folder of
   * the kubeconfig.
   */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string | undefined;
  readonly interactiveMode: string | undefined;
  readonly installHint: string | undefined;
  /** Whether the program is given the cluster that the credentials are for. */
  readonly provideClusterInfo: boolean;
}

/** An entry of `clusters`. */
export interface ClusterEntry {
  /** The file of the entry. */
  readonly source: string;
  readonly server: string | undefined;
  readonly certificateAuthority: PemSource | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly tlsServerName: string | undefined;
  readonly proxyUrl: string | undefined;
  /** The extension `client.authentication.k8s.io/exec`, which exec plugins get as it is. */
  readonly execConfig: unknown;
}

/** An entry of `users`. */
export interface UserEntry {
  readonly source: string;
  readonly token: TokenSource;
  readonly clientCertificate: PemSource | undefined;
  readonly clientKey: PemSource | undefined;
  readonly exec: ExecPlugin | undefined;
  /** Settings of the entry that are not supported here; an error once the entry is used. */
  readonly unsupported: readonly string[];
}

/** An entry of `contexts`. */
export interface ContextEntry {
  readonly source: string;
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

/** An entry that cannot be used, which matters only where it is: `problem` is the error then. */
export interface UnusableEntry {
  readonly source: string;
  readonly problem: string;
}

/** One kubeconfig file, or several merged. */
export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry | UnusableEntry>;
  readonly users: ReadonlyMap<string, UserEntry | UnusableEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry | UnusableEntry>;
  /** The files that were read, in the order in which they count. */
  readonly sources: readonly string[];
  /** For the person who runs this, e.g. that a file with credentials is readable by everybody. */
  readonly warnings: readonly string[];
}

/**
 * Several files as one: per name the first file that has it wins whole, and so does the first
 * `current-context` (the rule of `KUBECONFIG` in the Kubernetes documentation, "Organizing Cluster
 * Access Using kubeconfig Files").
 */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  const firstOf = <T>(maps: readonly ReadonlyMap<string, T>[]) => new Map(maps.toReversed().flatMap((map) => [...map]));
  return {
    currentContext: files.find((file) => file.currentContext !== undefined)?.currentContext,
    clusters: firstOf(files.map((file) => file.clusters)),
    users: firstOf(files.map((file) => file.users)),
    contexts: firstOf(files.map((file) => file.contexts)),
    sources: files.flatMap((file) => file.sources),
    warnings: files.flatMap((file) => file.warnings),
  };
}
