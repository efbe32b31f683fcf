import { ApiGroup, multiClusterConfig } from '@isthmus/api';
import type { MultiClusterConfig } from '@isthmus/api';
import type { BindAddress } from '@isthmus/kube';
import { parseBindAddress } from '@isthmus/kube';
import type { FieldError, JsonSchema } from '@isthmus/schema';
import {
  cidrText,
  dns1123LabelErrors,
  errorMessage,
  hostPort,
  overlaps,
  parseCidr,
  specialUse,
} from '@isthmus/machinery';
import { fieldErrorBody } from '@isthmus/schema';
import type { LeaderConfig } from '@isthmus/wire';
import { defaultLeaderConfig } from '@isthmus/wire';
import { controllerPorts } from './controller-ports.ts';
import type { RoleName } from './role-facts.ts';

/**
 * Which address of a gateway Node other clusters use. Antrea's other words for them are internal
 * and external.
 */
export type GatewayIPPrecedence = 'private' | 'public';

/** The configuration of a controller, with every default filled in and every text parsed. */
export interface ControllerConfig extends LeaderConfig {
  /** The address at which health is served; undefined: not served. */
  readonly health: BindAddress | undefined;
  /** The address at which metrics are served; undefined: not served. */
  readonly metrics: BindAddress | undefined;
  readonly webhook: { readonly host: string | undefined; readonly port: number };
  readonly gatewayIPPrecedence: GatewayIPPrecedence;
  /** In canonical form; undefined: to be discovered. */
  readonly serviceCIDR: string | undefined;
  /** In canonical form. */
  readonly podCIDRs: readonly string[];
  /** Nothing is imported into these Namespaces. */
  readonly importExcludedNamespaces: readonly string[];
}

/** One problem of a configuration file: the value found there, and the expected one. */
export interface ConfigProblem {
  /** The field, such as `podCIDRs[0]`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
}

/** A configuration, or all its problems. */
export type DecodedControllerConfig =
  | { readonly kind: 'valid'; readonly config: ControllerConfig; readonly warnings: readonly string[] }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigProblem[] };

/** The configuration of a controller without a configuration file. */
export function defaultControllerConfig(at: { readonly podIP?: string | undefined } = {}): ControllerConfig {
  const head = { apiVersion: `${ApiGroup.multicluster}/${multiClusterConfig.version}`, kind: multiClusterConfig.kind };
  const decoded = decodeControllerConfig(head, at);
  if (decoded.kind === 'invalid') throw new Error('the defaults of MultiClusterConfig are not valid');
  return decoded.config;
}

/**
 * Reads the plain data of a MultiClusterConfig, strictly: an unknown field is a problem, and so is
 * an invalid value. Fields of older files that have no effect here cause a warning, as do settings
 * that this version reads without using them. Health is served at the address of the Pod if the
 * process is in a Pod, otherwise on loopback.
 */
export function decodeControllerConfig(
  value: unknown,
  at: { readonly podIP?: string | undefined } = {},
): DecodedControllerConfig {
  const { value: file, unknownFields, errors } = multiClusterConfig.decode(value);
  const problems: ConfigProblem[] = [
    ...unknownFields.map((path) => ({ path, message: `unknown field; the fields here are ${fieldsBeside(path)}` })),
    ...errors.map((error) => ({ path: error.path === '<nil>' ? '' : error.path, message: messageOf(error) })),
  ];
  const wrong = new Set(problems.map(({ path }) => path));
  const config = readFields(file, {
    healthAddress: healthAddress(at.podIP),
    isUsable: (path) => [...wrong].every((bad) => path !== bad && !path.startsWith(`${bad}.`) && bad !== ''),
    problem: (path, message) => problems.push({ path, message }),
  });
  if (problems.length > 0) return { kind: 'invalid', problems };
  return { kind: 'valid', config, warnings: warningsAbout(file, config) };
}

/**
 * The message of the API server, without its repetitions. It names the field twice, and describes a
 * wrong type three times.
 */
function messageOf(error: FieldError): string {
  const wanted = error.type === 'TypeInvalid' ? /must be of type (\w+)/.exec(error.detail)?.[1] : undefined;
  if (wanted === undefined) return fieldErrorBody(error).replace(`${error.path} in body `, '');
  return `Invalid value: it is of type ${String(error.value)}, and must be of type ${wanted}`;
}

/** The Pod's address, to which the kubelet sends its probes. */
function healthAddress(podIP: string | undefined): string {
  return hostPort(podIP || '127.0.0.1', controllerPorts.health);
}

interface Reading {
  /** The address at which health is served if the file has no address. */
  readonly healthAddress: string;
  /** Whether the schema found no error in the field. */
  isUsable(path: string): boolean;
  problem(path: string, message: string): void;
}

function readFields(file: MultiClusterConfig, reading: Reading): ControllerConfig {
  const read = <T>(path: string, parse: () => T, otherwise: T): T => {
    if (!reading.isUsable(path)) return otherwise;
    try {
      return parse();
    } catch (error) {
      reading.problem(path, errorMessage(error));
      return otherwise;
    }
  };
  const text = (value: string | undefined, whenEmpty: string) =>
    value === undefined || value === '' ? whenEmpty : value;
  const bind = (path: string, get: () => string | undefined, whenEmpty: string) =>
    read<BindAddress | undefined>(path, () => parseBindAddress(text(get(), whenEmpty)), undefined);
  const cidrs = (path: 'podCIDRs' | 'allowedCIDRs' | 'virtualPodCIDRs') =>
    (reading.isUsable(path) ? (file[path] ?? []) : []).flatMap((one, index) => {
      const found = read(`${path}[${index}]`, () => (one === '' ? undefined : cidr(one)), undefined);
      return found === undefined ? [] : [found];
    });
  const excluded = reading.isUsable('importExcludedNamespaces') ? (file.importExcludedNamespaces ?? []) : [];
  return {
    health: bind('health.healthProbeBindAddress', () => file.health?.healthProbeBindAddress, reading.healthAddress),
    metrics: bind('metrics.bindAddress', () => file.metrics?.bindAddress, '0'),
    webhook: { host: text(file.webhook?.host, '') || undefined, port: file.webhook?.port ?? 9443 },
    endpointIPType: file.endpointIPType || 'ClusterIP',
    gatewayIPPrecedence:
      file.gatewayIPPrecedence === 'public' || file.gatewayIPPrecedence === 'external' ? 'public' : 'private',
    serviceCIDR: read('serviceCIDR', () => (file.serviceCIDR ? cidr(file.serviceCIDR) : undefined), undefined),
    podCIDRs: cidrs('podCIDRs'),
    allowedCIDRs: cidrs('allowedCIDRs'),
    virtualPodCIDRs: poolOf(cidrs('virtualPodCIDRs'), (index, message) =>
      reading.problem(`virtualPodCIDRs[${index}]`, message),
    ),
    unknownClusters: file.unknownClusters || 'Observe',
    hardened: file.hardened ?? false,
    memberWrites: {
      megabytesPerMinute: file.memberWrites?.megabytesPerMinute ?? defaultLeaderConfig.memberWrites.megabytesPerMinute,
      rewritesPerMinute: file.memberWrites?.rewritesPerMinute ?? defaultLeaderConfig.memberWrites.rewritesPerMinute,
    },
    enableStretchedNetworkPolicy: file.enableStretchedNetworkPolicy ?? false,
    importExcludedNamespaces: excluded.flatMap((one, index) => {
      const found = read(
        `importExcludedNamespaces[${index}]`,
        () => (one === '' ? undefined : namespaceName(one)),
        undefined,
      );
      return found === undefined ? [] : [found];
    }),
  };
}

/** The ranges that can be allotted: each address once, and none with a special use. */
function poolOf(ranges: readonly string[], problem: (index: number, message: string) => void): readonly string[] {
  const parsed = ranges.flatMap((text) => parseCidr(text) ?? []);
  parsed.forEach((range, index) => {
    const text = cidrText(range);
    const special = specialUse(range);
    const before = parsed.slice(0, index).find((one) => overlaps(one, range));
    const other = before && cidrText(before);
    if (special !== undefined)
      problem(index, `Invalid value: ${JSON.stringify(text)}: it contains ${special.use} addresses (${special.range})`);
    else if (other !== undefined) problem(index, `Invalid value: ${JSON.stringify(text)}: it overlaps with ${other}`);
  });
  return ranges;
}

function namespaceName(text: string): string {
  const [wrong] = dns1123LabelErrors(text);
  if (wrong !== undefined) throw new Error(`Invalid value: ${JSON.stringify(text)}: ${wrong}`);
  return text;
}

function cidr(text: string): string {
  const found = parseCidr(text);
  if (found === undefined) {
    throw new Error(
      `Invalid value: ${JSON.stringify(text)}: must be an address and a prefix length, such as 10.10.0.0/16`,
    );
  }
  return cidrText(found);
}

/**
 * The settings that this version reads but does not use. Antrea's shipped file has
 * `webhook.port: 9443`, which needs no warning. `serviceCIDR` and `podCIDRs` are exported by
 * members that have a Gateway.
 */
export function unusedSettings(config: ControllerConfig): readonly string[] {
  return [config.webhook.port === 9443 && config.webhook.host === undefined ? [] : ['webhook']].flat();
}

/** The settings that only one role uses. */
export const settingsOfOneRole = {
  leader: ['allowedCIDRs', 'unknownClusters', 'virtualPodCIDRs'],
  member: ['gatewayIPPrecedence', 'importExcludedNamespaces', 'podCIDRs', 'serviceCIDR'],
} as const satisfies Readonly<Record<RoleName, readonly (keyof ControllerConfig)[]>>;

/** The settings that only the other role uses and that have a value here. */
export function settingsOfOtherRole(config: ControllerConfig, role: RoleName): readonly string[] {
  const isEmpty = (value: string | readonly string[] | undefined) =>
    value === undefined || value === 'private' || value === 'Observe' || value.length === 0;
  return settingsOfOneRole[role === 'leader' ? 'member' : 'leader'].filter((name) => !isEmpty(config[name]));
}

function warningsAbout(file: MultiClusterConfig, config: ControllerConfig): readonly string[] {
  const idle = unusedSettings(config);
  return [
    ...(file.leaderElection === undefined
      ? []
      : [
          'leaderElection is a setting of Antrea before 2.0 and is not used: replicas elect a leader with a Lease unless ' +
            '--leader-elect=false is given; remove it',
        ]),
    ...(idle.length === 0 ? [] : [`this version accepts these settings but does not use them yet: ${idle.join(', ')}`]),
  ];
}

/** The names of the fields at the same level as `path`. */
function fieldsBeside(path: string): string {
  let schema: JsonSchema | undefined = multiClusterConfig.schema;
  for (const part of path.split('.').slice(0, -1)) {
    schema = schema?.properties?.[part.replace(/\[\d+\]$/, '')];
    if (/\[\d+\]$/.test(part)) schema = schema?.items;
  }
  return Object.keys(schema?.properties ?? {}).join(', ');
}
