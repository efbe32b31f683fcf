import { errorMessage, isRecord, parseYaml } from '@isthmus/machinery';
import { UsageError } from '../command/usage-error.ts';

/**
 * What the block `multicluster` of the configuration of Antrea's agent sets for ours, and what it
 * does not.
 */
export interface AntreaSettings {
  /** The Namespace of the member's controller. */
  readonly namespace?: string | undefined;
  readonly trafficEncryptionMode?: 'none' | 'wireGuard' | undefined;
  readonly wireGuardPort?: number | undefined;
  readonly enableStretchedNetworkPolicy?: boolean | undefined;
  /** Options without effect, as sentences. */
  readonly ignored: readonly string[];
}

/**
 * Reads the block `multicluster` of `antrea-agent.conf`; the rest of the file is Antrea's. An
 * option that our agent cannot follow is among `ignored`.
 *
 * Errors: {@link UsageError} where the file is not valid YAML, or a value that has an effect is not
 * valid.
 */
export function readAntreaConfig(text: string, source: string): AntreaSettings {
  const block = blockOf(text, source);
  const ignored: string[] = [];
  let settings: Omit<AntreaSettings, 'ignored'> = {};
  for (const [name, value] of Object.entries(block)) {
    if (value === null || value === undefined) continue;
    switch (name) {
      case 'namespace':
        // Empty: that of the agent, as for Antrea's.
        if (value !== '') settings = { ...settings, namespace: textOf(value, `${source}: multicluster.namespace`) };
        break;
      case 'trafficEncryptionMode':
        settings = { ...settings, trafficEncryptionMode: modeOf(value, source) };
        break;
      case 'wireGuard': {
        const { port, others } = wireGuardOf(value, source);
        settings = { ...settings, wireGuardPort: port };
        ignored.push(...others.map((one) => notAnOption(`wireGuard.${one}`)));
        break;
      }
      case 'enableGateway':
      case 'enable':
        if (value !== true)
          ignored.push(
            `multicluster.${name} is ${JSON.stringify(value)}, but this agent carries packets whenever it runs`,
          );
        break;
      case 'enablePodToPodConnectivity':
        if (value !== true)
          ignored.push(
            `multicluster.${name} is ${JSON.stringify(value)}, but Pods of other clusters can always be reached`,
          );
        break;
      case 'enableStretchedNetworkPolicy':
        if (typeof value !== 'boolean')
          throw new UsageError(
            `${source}: multicluster.${name} is ${JSON.stringify(value)}. It must be true or false.`,
          );
        settings = { ...settings, enableStretchedNetworkPolicy: value };
        break;
      default:
        ignored.push(notAnOption(name));
    }
  }
  return { ...settings, ignored };
}

const notAnOption = (name: string) => `multicluster.${name} is not an option that this agent knows`;

function blockOf(text: string, source: string): Readonly<Record<string, unknown>> {
  const value = parsed(text, source);
  if (value === undefined || value === null) return {};
  if (!isRecord(value))
    throw new UsageError(`${source} is not a configuration of Antrea's agent: it must be a YAML mapping.`);
  const block = value['multicluster'] ?? {};
  if (!isRecord(block)) throw new UsageError(`${source}: multicluster must be a mapping of options.`);
  return block;
}

function parsed(text: string, source: string): unknown {
  try {
    return parseYaml(text, { source })[0]?.value;
  } catch (error) {
    throw new UsageError(`cannot read ${source}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new UsageError(`${name} is ${JSON.stringify(value)}. It must be a string.`);
}

/** Antrea accepts it in any case. */
function modeOf(value: unknown, source: string): 'none' | 'wireGuard' {
  const modes = ['none', 'wireGuard'] as const;
  const mode = modes.find((one) => one.toLowerCase() === String(value).toLowerCase());
  if (mode !== undefined) return mode;
  throw new UsageError(
    `${source}: multicluster.trafficEncryptionMode is ${JSON.stringify(value)}. It must be none or wireGuard.`,
  );
}

function wireGuardOf(
  value: unknown,
  source: string,
): { readonly port: number | undefined; readonly others: readonly string[] } {
  if (!isRecord(value)) throw new UsageError(`${source}: multicluster.wireGuard must be a mapping of options.`);
  const { port, ...others } = value;
  if (port !== undefined && port !== null && !(Number.isInteger(port) && Number(port) >= 1 && Number(port) <= 65_535))
    throw new UsageError(
      `${source}: multicluster.wireGuard.port is ${JSON.stringify(port)}. It must be a number from 1 to 65535.`,
    );
  return { port: port === undefined || port === null ? undefined : Number(port), others: Object.keys(others) };
}
