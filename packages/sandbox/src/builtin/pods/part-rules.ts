/**
 * Rules for single parts of a Pod beyond their shape, by Go type: a part is checked wherever it
 * occurs.
 */
import { labelValueErrors, portNameErrors, portNumberErrors, qualifiedNameErrors } from '@isthmus/machinery';
import type { LabelSelectorObject } from '@isthmus/machinery';
import { legacyAddress } from '../address-rules.ts';
import type { Errors } from '../field-checks.ts';
import { inRange, labelSelector, nonNegative, optionalText, problems, requiredText, when } from '../field-checks.ts';
import {
  configKeyErrors,
  dnsLabel,
  dnsSubdomain,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  portName,
  required,
} from '../field-rules.ts';
import type { PartRules } from '../shape/shape-errors.ts';
import { envFromErrors, envVarErrors, resourceFieldErrors } from './env-rules.ts';
import type * as Pod from './pod-spec.ts';
import { resourceErrors } from './resource-rules.ts';
import { modeErrors, pathBelowErrors, sourceErrors } from './volume-rules.ts';

interface PodParts {
  'v1.ConfigMapKeySelector': Pod.KeyRef;
  'v1.ConfigMapProjection': { readonly name?: string | undefined };
  'v1.ConfigMapVolumeSource': Pod.ConfigMapVolume;
  'v1.Container': Pod.Container;
  'v1.ContainerPort': Pod.ContainerPort;
  'v1.EnvVar': Pod.EnvVar;
  'v1.ExecAction': NonNullable<Pod.Handler['exec']>;
  'v1.GRPCAction': NonNullable<Pod.Handler['grpc']>;
  'v1.HTTPGetAction': NonNullable<Pod.Handler['httpGet']>;
  'v1.HTTPHeader': { readonly name: string };
  'v1.HostAlias': { readonly ip: string; readonly hostnames?: readonly string[] | undefined };
  'v1.HostPathVolumeSource': { readonly path: string };
  'v1.KeyToPath': Pod.KeyToPath;
  'v1.LabelSelector': LabelSelectorObject;
  'v1.LifecycleHandler': Pod.Handler;
  'v1.PodAffinityTerm': { readonly topologyKey: string };
  'v1.PodSecurityContext': Pod.SecurityContext;
  'v1.Probe': Pod.Probe;
  'v1.ResourceFieldSelector': Pod.ResourceFieldRef;
  'v1.ResourceRequirements': Pod.Resources;
  'v1.SecretKeySelector': Pod.KeyRef;
  'v1.SecretProjection': { readonly name?: string | undefined };
  'v1.SecretVolumeSource': Pod.SecretVolume;
  'v1.SecurityContext': Pod.SecurityContext;
  'v1.TCPSocketAction': NonNullable<Pod.Handler['tcpSocket']>;
  'v1.Toleration': Pod.Toleration;
  'v1.TopologySpreadConstraint': { readonly maxSkew: number; readonly topologyKey: string };
  'v1.Volume': Pod.Volume;
  'v1.VolumeMount': Pod.VolumeMount;
  'v1.WeightedPodAffinityTerm': { readonly weight: number };
}

export const partRules: PartRules<PodParts> = {
  'v1.ConfigMapKeySelector': keyRefErrors,
  'v1.ConfigMapProjection': (path, { name }) => requiredText(`${path}.name`, name),
  'v1.ConfigMapVolumeSource': (path, { name, defaultMode }) => [
    ...requiredText(`${path}.name`, name),
    ...modeErrors(`${path}.defaultMode`, defaultMode),
  ],
  'v1.Container': (path, { name, image, ports = [], envFrom = [] }) => [
    ...optionalText(`${path}.name`, name, dnsLabel),
    ...requiredText(`${path}.image`, image),
    ...repeatedPortNames(`${path}.ports`, ports),
    ...envFromErrors(`${path}.envFrom`, envFrom),
  ],
  'v1.ContainerPort': (path, { name = '', containerPort = 0, hostPort = 0 }) => [
    ...optionalText(`${path}.name`, name, portName),
    ...(containerPort === 0
      ? [required(`${path}.containerPort`)]
      : problems(`${path}.containerPort`, containerPort, portNumberErrors(containerPort))),
    ...(hostPort === 0 ? [] : problems(`${path}.hostPort`, hostPort, portNumberErrors(hostPort))),
  ],
  'v1.EnvVar': envVarErrors,
  'v1.ExecAction': (path, { command = [] }) => when(command.length === 0, required(`${path}.command`)),
  'v1.GRPCAction': (path, { port }) => portErrors(`${path}.port`, port),
  'v1.HTTPGetAction': (path, { port }) => portErrors(`${path}.port`, port),
  'v1.HTTPHeader': (path, { name }) =>
    when(!headerName.test(name), invalid(path.replace(listIndex, ''), name, headerRule)),
  'v1.HostAlias': (path, { ip, hostnames = [] }) => [
    ...legacyAddress(`${path}.ip`, ip),
    ...hostnames.flatMap((name, index) => dnsSubdomain(`${path}.hostnames[${index}]`, name)),
  ],
  'v1.HostPathVolumeSource': (path, { path: target }) =>
    when(target.split('/').includes('..'), invalid(`${path}.path`, target, "must not contain '..'")),
  'v1.KeyToPath': (path, { path: target, mode }) => [
    ...pathBelowErrors(`${path}.path`, target),
    ...modeErrors(`${path}.mode`, mode),
  ],
  'v1.LabelSelector': labelSelector,
  'v1.LifecycleHandler': handlerErrors,
  'v1.PodAffinityTerm': (path, { topologyKey }) => [
    ...requiredKey(`${path}.topologyKey`, topologyKey),
    ...problems(`${path}.topologyKey`, topologyKey, qualifiedNameErrors(topologyKey)),
  ],
  'v1.PodSecurityContext': idErrors,
  'v1.Probe': (path, probe) => [
    ...handlerErrors(path, probe),
    ...probeNumbers.flatMap((field) => nonNegative(`${path}.${field}`, probe[field])),
    ...when(
      probe.terminationGracePeriodSeconds !== undefined && probe.terminationGracePeriodSeconds <= 0,
      invalid(`${path}.terminationGracePeriodSeconds`, probe.terminationGracePeriodSeconds, 'must be greater than 0'),
    ),
  ],
  'v1.ResourceFieldSelector': resourceFieldErrors,
  'v1.ResourceRequirements': resourceErrors,
  'v1.SecretKeySelector': keyRefErrors,
  'v1.SecretProjection': (path, { name }) => requiredText(`${path}.name`, name),
  'v1.SecretVolumeSource': (path, { secretName, defaultMode }) => [
    ...requiredText(`${path}.secretName`, secretName),
    ...modeErrors(`${path}.defaultMode`, defaultMode),
  ],
  'v1.SecurityContext': idErrors,
  'v1.TCPSocketAction': (path, { port }) => portErrors(`${path}.port`, port),
  'v1.Toleration': tolerationErrors,
  'v1.TopologySpreadConstraint': (path, { maxSkew, topologyKey }) => [
    ...when(maxSkew <= 0, invalid(`${path}.maxSkew`, maxSkew, 'must be greater than zero')),
    ...requiredKey(`${path}.topologyKey`, topologyKey),
  ],
  'v1.Volume': (path, volume) => [
    ...sourceErrors(path, volume),
    ...optionalText(`${path}.name`, volume.name, dnsLabel),
  ],
  // The error of a sub-path names the list, not its item.
  'v1.VolumeMount': (path, { subPath = '' }) => pathBelowErrors(`${path.replace(listIndex, '')}.subPath`, subPath),
  'v1.WeightedPodAffinityTerm': (path, { weight }) =>
    when(weight <= 0 || weight > 100, invalid(`${path}.weight`, weight, 'must be in the range 1-100')),
};

function requiredKey(path: string, key: string): Errors {
  return when(key === '', required(path, 'can not be empty'));
}

const listIndex = /\[\d+\]$/;

function keyRefErrors(path: string, { name = '', key }: Pod.KeyRef): Errors {
  return [
    ...dnsSubdomain(`${path}.name`, name),
    ...optionalText(`${path}.key`, key, (at, value) => problems(at, value, configKeyErrors(value))),
  ];
}

function repeatedPortNames(path: string, ports: readonly Pod.ContainerPort[]): Errors {
  const names = ports.map(({ name = '' }) => (portNameErrors(name).length === 0 ? name : ''));
  return names.flatMap((name, index) =>
    when(name !== '' && names.indexOf(name) < index, duplicate(`${path}[${index}].name`, name)),
  );
}

const probeNumbers = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function handlerErrors(path: string, handler: Pod.Handler): Errors {
  const given = (['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const).filter(
    (one) => handler[one] !== undefined,
  );
  if (given.length === 0) return [required(path, 'must specify a handler type')];
  return given.slice(1).map((one) => forbidden(`${path}.${one}`, 'may not specify more than 1 handler type'));
}

/** A port by its number or its name. */
function portErrors(path: string, port: number | string = 0): Errors {
  return typeof port === 'number' ? problems(path, port, portNumberErrors(port)) : portName(path, port);
}

const headerName = /^[-A-Za-z0-9]+$/;
const headerRule =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/** User and group numbers. */
const ids: readonly [number, number] = [0, 2_147_483_647];

function idErrors(path: string, context: Pod.SecurityContext): Errors {
  return [
    ...(['fsGroup', 'runAsUser', 'runAsGroup'] as const).flatMap((field) =>
      inRange(`${path}.${field}`, context[field], ids),
    ),
    ...(context.supplementalGroups ?? []).flatMap((group, index) =>
      inRange(`${path}.supplementalGroups[${index}]`, group, ids),
    ),
  ];
}

const operators = ['Equal', 'Exists'];

function tolerationErrors(path: string, toleration: Pod.Toleration): Errors {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  const wrongValue = operator === '' || operator === 'Equal' ? labelValueErrors(value) : [];
  return [
    ...(key === '' ? [] : problems(`${path}.key`, key, qualifiedNameErrors(key))),
    ...when(
      key === '' && operator !== 'Exists',
      invalid(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    ),
    ...when(
      tolerationSeconds !== undefined && effect !== 'NoExecute',
      invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
    ),
    ...when(wrongValue.length > 0, invalid(`${path}.operator`, value, wrongValue.join(';'))),
    ...when(
      operator === 'Exists' && value !== '',
      invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"),
    ),
    ...when(operator !== '' && !operators.includes(operator), notSupported(`${path}.operator`, operator, operators)),
  ];
}

/** The errors of the tolerations in an update of a Pod. */
export function tolerationsErrors(path: string, tolerations: readonly Pod.Toleration[]): Errors {
  return tolerations.flatMap((one, index) => tolerationErrors(`${path}[${index}]`, one));
}
