import { errorMessage, isRecord } from '@isthmus/machinery';
import { dirname, isAbsolute, join } from 'node:path';
import type {
  ClusterEntry,
  ContextEntry,
  ExecPlugin,
  Kubeconfig,
  PemSource,
  TokenSource,
  UnusableEntry,
  UserEntry,
} from './kubeconfig.ts';
import { parseKubeconfigYaml } from './yaml.ts';

/** A kubeconfig file as it was read. */
export interface KubeconfigText {
  readonly path: string;
  readonly text: string;
  /** Permission bits, where known. */
  readonly mode?: number | undefined;
}

/**
 * Reads one kubeconfig (`v1`, kind `Config`). Relative paths in it count from its own folder.
 * Unknown fields are ignored, as kubectl does.
 *
 * A wrong entry is kept with its error, so that the other entries can be used, as with kubectl.
 * Errors: those of the whole file, with the line if it is not YAML. Never a credential.
 */
export function parseKubeconfig({ path, text, mode }: KubeconfigText): Kubeconfig {
  const root = reader(parseKubeconfigYaml(text, path) ?? {}, path);
  const kind = root.text('kind');
  if (kind !== undefined && kind !== 'Config') throw new Error(`${path} is a ${kind}, not a kubeconfig (kind: Config)`);
  const users = new Map(root.named('users', 'user', (user) => userEntry(user, path)));
  return {
    currentContext: root.text('current-context'),
    clusters: new Map(root.named('clusters', 'cluster', (cluster) => clusterEntry(cluster, path))),
    users,
    contexts: new Map(root.named('contexts', 'context', (context) => contextEntry(context, path))),
    sources: [path],
    warnings: permissionWarnings(path, mode, users),
  };
}

function clusterEntry(cluster: Reader, source: string): ClusterEntry {
  return {
    source,
    server: cluster.text('server'),
    certificateAuthority: cluster.pem('certificate-authority'),
    insecureSkipTlsVerify: cluster.flag('insecure-skip-tls-verify'),
    tlsServerName: cluster.text('tls-server-name'),
    proxyUrl: cluster.text('proxy-url'),
    execConfig: cluster
      .children('extensions')
      .find((one) => one.text('name') === 'client.authentication.k8s.io/exec')
      ?.raw('extension'),
  };
}

function userEntry(user: Reader, source: string): UserEntry {
  const exec = user.child('exec');
  return {
    source,
    token: tokenOf(user),
    clientCertificate: user.pem('client-certificate'),
    clientKey: user.pem('client-key'),
    exec: exec === undefined ? undefined : execPlugin(exec),
    unsupported: [
      ...(user.has('auth-provider') ? ['an auth-provider'] : []),
      ...(user.has('username') || user.has('password')
        ? ['a user name and password, which API servers do not support']
        : []),
      ...(user.has('as') || user.has('as-uid') || user.has('as-groups') || user.has('as-user-extra')
        ? ['impersonation (as)']
        : []),
    ],
  };
}

function execPlugin(exec: Reader): ExecPlugin {
  const command = exec.text('command');
  if (command === undefined) throw new Error(`${exec.where} has no command`);
  return {
    // As os/exec of Go: only what has a slash is a path, and so it keeps one.
    command: command.includes('/') ? withSlash(exec.path('command') ?? command) : command,
    args: exec.texts('args'),
    env: Object.fromEntries(exec.children('env').map((one) => [one.text('name') ?? '', one.text('value') ?? ''])),
    apiVersion: exec.text('apiVersion'),
    interactiveMode: exec.text('interactiveMode'),
    installHint: exec.text('installHint'),
    provideClusterInfo: exec.flag('provideClusterInfo'),
  };
}

function withSlash(path: string): string {
  return path.includes('/') ? path : `./${path}`;
}

/** If both are given the file counts, as in client-go: another process keeps it fresh. */
function tokenOf(user: Reader): TokenSource {
  const path = user.path('tokenFile');
  if (path !== undefined) return { kind: 'file', path };
  const token = user.text('token');
  return token === undefined ? { kind: 'none' } : { kind: 'inline', token };
}

function contextEntry(context: Reader, source: string): ContextEntry {
  return { source, cluster: context.text('cluster'), user: context.text('user'), namespace: context.text('namespace') };
}

function permissionWarnings(
  path: string,
  mode: number | undefined,
  users: ReadonlyMap<string, UserEntry | UnusableEntry>,
): readonly string[] {
  if (mode === undefined || (mode & 0o004) === 0) return [];
  const secret = [...users.values()].some(
    (user) => 'problem' in user || user.token.kind === 'inline' || user.clientKey?.kind === 'inline',
  );
  return secret
    ? [`${path} contains credentials and is readable by every user of this machine: chmod 600 ${path}`]
    : [];
}

/** One object of the file; `where` names it in errors. */
interface Reader {
  readonly where: string;
  /** The value as it is written. */
  raw(key: string): unknown;
  has(key: string): boolean;
  /** An empty text counts as absent, as in Go. */
  text(key: string): string | undefined;
  flag(key: string): boolean;
  path(key: string): string | undefined;
  /** `key-data` (base64), otherwise the file `key`. */
  pem(key: string): PemSource | undefined;
  /** A list of strings; none where it is absent. */
  texts(key: string): readonly string[];
  child(key: string): Reader | undefined;
  /** A list of objects; none where it is absent. */
  children(key: string): readonly Reader[];
  named<T>(list: string, member: string, read: (entry: Reader) => T): readonly (readonly [string, T | UnusableEntry])[];
}

function reader(value: unknown, file: string, where = file): Reader {
  if (!isRecord(value)) throw new Error(`${where} is not an object with fields`);
  const read = <T>(key: string, type: string, isType: (field: unknown) => field is T): T | undefined => {
    const field = Object.hasOwn(value, key) ? value[key] : undefined;
    if (field === undefined || field === null) return undefined;
    if (!isType(field)) throw new Error(`${where}: ${key} must be ${type}`);
    return field;
  };
  const self: Reader = {
    where,
    raw: (key) => (Object.hasOwn(value, key) ? value[key] : undefined),
    has: (key) => Object.hasOwn(value, key) && value[key] !== null && value[key] !== '',
    text: (key) => read(key, 'a string; put it in quotes', isText) || undefined,
    flag: (key) => read(key, 'true or false', isFlag) ?? false,
    path(key) {
      const path = self.text(key);
      return path === undefined || isAbsolute(path) ? path : join(dirname(file), path);
    },
    pem(key) {
      const data = self.text(`${key}-data`);
      if (data !== undefined) return { kind: 'inline', pem: decodePem(data, `${where}: ${key}-data`) };
      const path = self.path(key);
      return path === undefined ? undefined : { kind: 'file', path };
    },
    texts: (key) => read(key, 'a list of strings', isTextList) ?? [],
    children: (key) =>
      (read(key, 'a list', isList) ?? []).map((item, index) => reader(item, file, `${where}: ${key}[${index}]`)),
    child(key) {
      const field = read(key, 'an object', isRecord);
      return field === undefined ? undefined : reader(field, file, `${where}: ${key}`);
    },
    named(list, member, readEntry) {
      const seen = new Set<string>();
      return (read(list, 'a list', isList) ?? []).map((item, index) => {
        const name = reader(item, file, `${file}: ${list}[${index}]`).text('name');
        if (name === undefined) throw new Error(`${file}: ${list}[${index}] has no name`);
        if (seen.has(name)) throw new Error(`${file}: there are two ${list} named "${name}"`);
        seen.add(name);
        const entry = isRecord(item) ? (item[member] ?? {}) : {};
        try {
          return [name, readEntry(reader(entry, file, `${file}: ${member} "${name}"`))] as const;
        } catch (error) {
          return [name, { source: file, problem: errorMessage(error) }] as const;
        }
      });
    },
  };
  return self;
}

function decodePem(base64: string, where: string): string {
  const pem = Buffer.from(base64, 'base64').toString('utf8');
  if (!pem.includes('-----BEGIN ')) throw new Error(`${where} is not base64 of a PEM text`);
  return pem;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isTextList(value: unknown): value is readonly string[] {
  return isList(value) && value.every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}
