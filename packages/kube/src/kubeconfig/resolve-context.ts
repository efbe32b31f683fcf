import type { ConnectionSettings } from './connection-settings.ts';
import type { ClusterEntry, Kubeconfig, UnusableEntry, UserEntry } from './kubeconfig.ts';

/**
 * Resolves a context of a kubeconfig; without a name the current one.
 *
 * Errors: the context, cluster or user that is missing, by name, with the existing ones; an entry
 * that contradicts itself or needs something that is not supported (auth-providers, impersonation,
 * passwords).
 */
export function resolveContext(config: Kubeconfig, name?: string): ConnectionSettings {
  const wanted = name ?? config.currentContext;
  const files = config.sources.join(', ');
  if (config.contexts.size === 0)
    throw new Error(`${files}: the kubeconfig has no contexts; pass another one with --kubeconfig or KUBECONFIG`);
  if (wanted === undefined) {
    throw new Error(`${files}: no current-context is set; choose one with --context (${namesOf(config.contexts)})`);
  }
  const found = config.contexts.get(wanted);
  if (found === undefined)
    throw new Error(`${files}: context "${wanted}" does not exist (${namesOf(config.contexts)})`);
  const context = usable(found);

  const at = `context "${wanted}" of ${context.source}`;
  const cluster = entryOf(config.clusters, { at, what: 'cluster', name: context.cluster });
  const user = entryOf(config.users, { at, what: 'user', name: context.user });
  const server = serverOf(cluster, `cluster "${context.cluster}" of ${cluster.source}`);
  const clientCertificate = clientCertificateOf(user, `user "${context.user}" of ${user.source}`);
  const open = server.startsWith('http://') && user.token.kind !== 'none';
  return {
    server,
    certificateAuthority: cluster.certificateAuthority,
    insecureSkipTlsVerify: cluster.insecureSkipTlsVerify,
    tlsServerName: cluster.tlsServerName,
    proxyUrl: cluster.proxyUrl,
    clientCertificate,
    token: user.token,
    exec:
      user.exec === undefined || user.token.kind !== 'none'
        ? undefined
        : { plugin: user.exec, clusterConfig: cluster.execConfig },
    namespace: context.namespace ?? 'default',
    origin: at,
    warnings: open
      ? [...config.warnings, `${at} sends its token unencrypted to ${server}: use https`]
      : config.warnings,
  };
}

function usable<T extends object>(entry: T | UnusableEntry): T {
  if ('problem' in entry) throw new Error(entry.problem);
  return entry;
}

function entryOf<T extends object>(
  entries: ReadonlyMap<string, T | UnusableEntry>,
  wanted: { readonly at: string; readonly what: 'cluster' | 'user'; readonly name: string | undefined },
): T {
  const { at, what, name } = wanted;
  if (name === undefined) throw new Error(`${at} has no ${what}`);
  const entry = entries.get(name);
  if (entry === undefined)
    throw new Error(`${at} names the ${what} "${name}", which does not exist (${namesOf(entries)})`);
  return usable(entry);
}

function serverOf(cluster: ClusterEntry, at: string): string {
  if (cluster.server === undefined) throw new Error(`${at} has no server`);
  if (cluster.insecureSkipTlsVerify && cluster.certificateAuthority !== undefined) {
    throw new Error(`${at} has both a certificate-authority and insecure-skip-tls-verify: remove one of them`);
  }
  return cluster.server;
}

function clientCertificateOf(user: UserEntry, at: string): ConnectionSettings['clientCertificate'] {
  const instead = 'use a token, a token file or a client certificate, for instance with `kubectl create token`';
  requireSupported(user, at, instead);
  const { clientCertificate: certificate, clientKey: key } = user;
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined) throw new Error(`${at} has a client-key but no client-certificate`);
  if (key === undefined) throw new Error(`${at} has a client-certificate but no client-key`);
  return { certificate, key };
}

function requireSupported(entry: UserEntry, at: string, instead: string): void {
  if (entry.unsupported.length === 0) return;
  throw new Error(`${at} uses ${entry.unsupported.join(' and ')}, which is not supported; ${instead}`);
}

function namesOf(entries: ReadonlyMap<string, unknown>): string {
  return entries.size === 0 ? 'there are none' : `there are: ${[...entries.keys()].toSorted().join(', ')}`;
}
