import { defaultControllerConfig, settingsOfOtherRole } from '@isthmus/controlplane';
import type { ControllerConfig } from '@isthmus/controlplane';
import { isInCluster, levelOfVerbosity } from '@isthmus/kube';
import type { ConnectionSettings, LogLevel } from '@isthmus/kube';
import { dns1123LabelErrors } from '@isthmus/machinery';
import type { ReadConfig } from '../config/read-config-file.ts';
import { readConfigFile } from '../config/read-config-file.ts';
import { findApiServer } from '../connection/find-api-server.ts';
import type { Io } from '../world/io.ts';
import { UsageError } from '../command/usage-error.ts';
import type { ControllerFlags } from './flags.ts';
import { processIdentity } from './identity.ts';
import { flagsWithoutEffect } from './klog-flags.ts';
import type { Role } from './role.ts';

/**
 * All settings of a controller, resolved once: flags before environment before file before
 * defaults.
 */
export interface ControllerSettings {
  readonly config: ControllerConfig;
  /** Reads the configuration file once more; undefined: there is none. */
  readonly readConfig: (() => Promise<ReadConfig>) | undefined;
  readonly connection: ConnectionSettings;
  readonly namespace: string;
  readonly identity: string;
  readonly leaderElect: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'text';
  /** Warnings for the user. */
  readonly warnings: readonly string[];
  /** Flags that were given and have no effect. */
  readonly flagsWithoutEffect: readonly string[];
}

/**
 * Reads the configuration file and the kubeconfig, and decides the rest. Sends no request.
 *
 * Errors: {@link UsageError} that names the file or flag, the problem, and the expected value.
 */
export async function resolveSettings(io: Io, role: Role, flags: ControllerFlags): Promise<ControllerSettings> {
  const namespace = namedNamespace(io, flags);
  const readConfig = configReader(io, role, flags.config);
  const at = { podIP: io.env['POD_IP'] };
  const { config, warnings } = (await readConfig?.()) ?? { config: defaultControllerConfig(at), warnings: [] };
  const connection = await findApiServer(io, flags, 'the API server to serve');
  return {
    config,
    readConfig,
    connection,
    namespace: namespace ?? (servesItsPod(io, flags) ? connection.namespace : role.defaultNamespace),
    identity: processIdentity(io),
    leaderElect: flags['leader-elect'] ?? true,
    logLevel: levelOfVerbosity(flags.v ?? 0),
    logFormat: flags['log-format'] ?? (io.stderr.isTTY ? 'text' : 'json'),
    warnings: [...warnings, ...connection.warnings],
    flagsWithoutEffect: flagsWithoutEffect(flags),
  };
}

function configReader(io: Io, role: Role, path: string | undefined): ControllerSettings['readConfig'] {
  const at = { podIP: io.env['POD_IP'] };
  if (path === undefined) return undefined;
  return async () => {
    const { config, warnings } = await readConfigFile(path, io.readFile, at);
    const idle = settingsOfOtherRole(config, role.name);
    if (idle.length === 0) return { config, warnings };
    const where = role.name === 'leader' ? 'members' : 'the leader';
    const them = idle.length === 1 ? 'it' : 'them';
    const warning = `${path}: a ${role.name} does not use ${idle.join(', ')}: set ${them} in the configuration of ${where}`;
    return { config, warnings: [...warnings, warning] };
  };
}

/**
 * Whether the API server is that of the Pod's own cluster. A kubeconfig may lead to another
 * cluster, which does not have the Pod's Namespace.
 */
function servesItsPod(io: Io, flags: ControllerFlags): boolean {
  const named = flags.kubeconfig !== undefined || flags.context !== undefined || Boolean(io.env['KUBECONFIG']);
  return !named && isInCluster(io.env);
}

function namedNamespace(io: Io, flags: ControllerFlags): string | undefined {
  const named = flags.namespace ?? (io.env['POD_NAMESPACE'] || undefined);
  const wrong = named === undefined ? [] : dns1123LabelErrors(named);
  if (wrong.length === 0) return named;
  const source = flags.namespace === undefined ? 'POD_NAMESPACE' : '--namespace';
  throw new UsageError(
    `${source} is ${JSON.stringify(named)}, which is not a valid Namespace name: ${wrong.join('; ')}`,
  );
}
