import type { Clock } from '@isthmus/machinery';
import { errorMessage } from '@isthmus/machinery';
import { CredentialsError, bearer } from '../transport/credentials.ts';
import type { ClientCertificate, Credentials } from '../transport/credentials.ts';
import type { ExecPlugin } from './kubeconfig.ts';
import type { ProgramEnd, Programs } from './programs.ts';

/** The cluster as a plugin sees it: `spec.cluster` of ExecCredential. */
export interface ExecCluster {
  readonly server: string;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly caPem?: string | undefined;
  readonly proxyUrl?: string | undefined;
  readonly config?: unknown;
}

export interface ExecCredentialsOptions {
  readonly plugin: ExecPlugin;
  readonly cluster: ExecCluster;
  readonly programs: Programs;
  readonly clock: Clock;
}

/** The output of a plugin. */
interface Printed {
  readonly authorization: string | undefined;
  readonly certificate: ClientCertificate | undefined;
  /** As `clock.now()`; Infinity where it does not expire. */
  readonly expiresAt: number;
}

/**
 * Credentials that a program prints (client.authentication.k8s.io, v1 and v1beta1). It runs once
 * for all requests that wait for it, again when its credentials have expired, and once for
 * credentials that the server rejects; otherwise they are kept in memory. A plugin that may ask the
 * user at the terminal has no time limit; any other plugin is ended after a minute.
 *
 * Throws {@link CredentialsError} for a plugin that can never run here: an unknown `apiVersion` or
 * `interactiveMode`.
 */
export function execCredentials({ plugin, cluster, programs, clock }: ExecCredentialsOptions): Credentials {
  const { apiVersion, interactiveMode } = plugin;
  const name = `exec plugin ${JSON.stringify(plugin.command)}`;
  if (apiVersion === undefined || !versions.includes(apiVersion))
    throw new CredentialsError(
      `${name}: apiVersion is ${apiVersion === undefined ? 'missing' : JSON.stringify(apiVersion)}; it must be ${versions.join(' or ')}`,
    );
  const mode = interactiveMode ?? (apiVersion === versions[1] ? 'IfAvailable' : undefined);
  if (mode === undefined || !['Never', 'IfAvailable', 'Always'].includes(mode))
    throw new CredentialsError(
      `${name}: interactiveMode is ${mode === undefined ? 'missing' : JSON.stringify(mode)}; it must be Never, IfAvailable or Always`,
    );
  if (mode === 'Always' && !programs.hasTerminal)
    throw new CredentialsError(
      `${name} must ask the user (interactiveMode Always), and standard input is not a terminal; run the command in a terminal`,
    );
  const interactive = mode !== 'Never' && programs.hasTerminal;
  const info = JSON.stringify({
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive, ...(plugin.provideClusterInfo ? { cluster: clusterInfo(cluster) } : {}) },
  });

  let known: Printed | undefined;
  let running: Promise<Printed> | undefined;
  let reportedRefused: Printed | undefined;

  const run = async (): Promise<Printed> => {
    const limit = new AbortController();
    const forget = interactive
      ? () => {}
      : clock.after(limitMs, () => limit.abort(new Error(`it has not ended after ${limitMs / 1000} s`)));
    const { command, args, env } = plugin;
    try {
      const program = { command, args, env: { ...env, KUBERNETES_EXEC_INFO: info }, interactive };
      known = readPrinted(await programs.run(program, limit.signal), { apiVersion, name });
      return known;
    } catch (error) {
      if (error instanceof CredentialsError) throw error;
      const missing = (error as { readonly code?: unknown } | null)?.code === 'ENOENT';
      const why = missing ? 'the command does not exist' : errorMessage(error);
      const hint = plugin.installHint === undefined ? '' : `\n${plugin.installHint.trim()}`;
      throw new CredentialsError(`${name} cannot be run: ${why}${missing ? hint : ''}`, { cause: error });
    } finally {
      forget();
      running = undefined;
    }
  };
  const runOnce = () => (running ??= run());
  const current = async () => (known !== undefined && clock.now() < known.expiresAt ? known : runOnce());

  return {
    authorization: async () => (await current()).authorization,
    clientCertificate: async () => (await current()).certificate,
    async refused(authorization) {
      if (known === undefined) return false;
      if (known.authorization !== authorization) return true;
      if (known === reportedRefused && running === undefined) return false;
      const refused = known;
      const fresh = await runOnce();
      const differs =
        fresh.authorization !== authorization || fresh.certificate?.certPem !== refused.certificate?.certPem;
      // The same again: the server will refuse that, too, until it expires.
      if (!differs) reportedRefused = fresh;
      return differs;
    },
  };
}

function readPrinted(
  { exitCode, stdout, stderr }: ProgramEnd,
  { apiVersion, name }: { readonly apiVersion: string; readonly name: string },
): Printed {
  const failed = (why: string) => {
    const said = stderr.trim();
    return said === ''
      ? new CredentialsError(`${name} ${why}`)
      : new CredentialsError(`${name} ${why}: ${said}`, { written: said });
  };
  if (exitCode !== 0) throw failed(exitCode === null ? 'was ended by a signal' : `failed with exit code ${exitCode}`);
  const answer = parsed(stdout);
  if (answer === undefined || answer.kind !== 'ExecCredential') throw failed('did not print an ExecCredential');
  if (answer.apiVersion !== apiVersion)
    throw failed(`printed an ExecCredential of ${JSON.stringify(answer.apiVersion)}, not of ${apiVersion}`);
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = answer.status ?? {};
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const [certPem, keyPem] = [text(clientCertificateData), text(clientKeyData)];
  if ((certPem === undefined) !== (keyPem === undefined))
    throw failed('printed only one of clientCertificateData and clientKeyData');
  if (text(token) === undefined && certPem === undefined)
    throw failed('printed neither a token nor a client certificate');
  const expiry = text(expirationTimestamp);
  const expiresAt = expiry === undefined ? Infinity : Date.parse(expiry);
  if (Number.isNaN(expiresAt)) throw failed('printed an expirationTimestamp that is not a time of RFC 3339');
  return {
    authorization: text(token) === undefined ? undefined : bearer(String(token), `the token of ${name}`),
    certificate: certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem },
    expiresAt,
  };
}

interface Answer {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly status?: Readonly<Record<string, unknown>> | undefined;
}

function parsed(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function clusterInfo({ server, tlsServerName, insecureSkipTlsVerify, caPem, proxyUrl, config }: ExecCluster): object {
  return {
    server,
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(insecureSkipTlsVerify === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(caPem === undefined ? {} : { 'certificate-authority-data': Buffer.from(caPem, 'utf8').toString('base64') }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
    config: config ?? null,
  };
}

const versions: readonly string[] = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** The time limit of a plugin that does not ask the user. */
const limitMs = 60_000;
