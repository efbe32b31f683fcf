import { portNameErrors, portNumberErrors } from '@isthmus/machinery';
import type { Errors } from '../field-checks.ts';
import { oneOfRequired, problems, requiredText, when } from '../field-checks.ts';
import { dnsLabel, duplicate, forbidden, invalid, portNumber, required } from '../field-rules.ts';
import { envErrors, envFromErrors } from './env-validation.ts';
import { lifecycleErrors, probeErrors } from './handler-validation.ts';
import { volumeDeviceErrors, volumeMountErrors } from './mount-validation.ts';
import type { Container, ContainerPort, PodSpec, Volume } from './pod-spec.ts';
import { resourceErrors } from './resource-validation.ts';
import { securityContextErrors } from './security-validation.ts';

/** What the rules of containers need to know of their Pod. */
export interface ContainerContext {
  readonly spec: PodSpec;
  /** The volumes that are valid, by name. */
  readonly volumes: ReadonlyMap<string, Volume>;
}

const restartPolicies = ['Always', 'Never', 'OnFailure'];

/** What is wrong with the containers of a Pod. */
export function containerErrors(path: string, context: ContainerContext): Errors {
  const containers = context.spec.containers ?? [];
  if (containers.length === 0) return [required(path)];
  const names = new Set<string>();
  return [
    ...containers.flatMap((container, index) => {
      const at = `${path}[${index}]`;
      const { restartPolicy } = container;
      const repeated = names.has(container.name);
      names.add(container.name);
      return [
        ...containerBasics(at, container, context),
        ...when(repeated, duplicate(`${at}.name`, container.name)),
        ...runningErrors(at, container, context),
        ...when(
          restartPolicy !== undefined && !restartPolicies.includes(restartPolicy),
          ...oneOfRequired(`${at}.restartPolicy`, restartPolicy || ' ', restartPolicies),
        ),
      ];
    }),
    ...hostPortErrors(path, containers),
  ];
}

/** What is wrong with the containers that run before the others. */
export function initContainerErrors(path: string, context: ContainerContext): Errors {
  const { containers, initContainers = [] } = context.spec;
  const names = new Set((containers ?? []).map(({ name }) => name));
  return initContainers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const { restartPolicy, name } = container;
    const repeated = names.has(name);
    if (name !== '') names.add(name);
    return [
      ...containerBasics(at, container, context),
      ...when(
        restartPolicy !== undefined && !restartPolicies.includes(restartPolicy),
        ...oneOfRequired(`${at}.restartPolicy`, restartPolicy || ' ', restartPolicies),
      ),
      ...when(repeated, duplicate(`${at}.name`, name)),
      ...hostPortErrors(path, [container]),
      ...(restartPolicy === 'Always'
        ? runningErrors(at, container, context)
        : (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const).flatMap((field) =>
            when(
              container[field] !== undefined,
              forbidden(`${at}.${field}`, 'may not be set for init containers without restartPolicy=Always'),
            ),
          )),
    ];
  });
}

/** What only Pods ask of their containers, and templates do not. */
export function containerErrorsOfPod(path: string, containers: readonly Container[] = []): Errors {
  return containers.flatMap(({ image = '' }, index) =>
    when(
      image !== image.trim(),
      invalid(`${path}[${index}].image`, image, 'must not have leading or trailing whitespace'),
    ),
  );
}

function containerBasics(path: string, container: Container, { spec, volumes }: ContainerContext): Errors {
  const { volumeMounts = [], volumeDevices = [] } = container;
  return [
    ...requiredText(`${path}.name`, container.name, dnsLabel),
    ...requiredText(`${path}.image`, container.image),
    ...oneOfRequired(`${path}.terminationMessagePolicy`, container.terminationMessagePolicy, [
      'File',
      'FallbackToLogsOnError',
    ]),
    ...portErrors(`${path}.ports`, container.ports ?? []),
    ...envErrors(`${path}.env`, container.env ?? []),
    ...envFromErrors(`${path}.envFrom`, container.envFrom ?? []),
    ...volumeMountErrors(`${path}.volumeMounts`, container, volumes),
    ...volumeDeviceErrors(`${path}.volumeDevices`, { volumeDevices, volumeMounts }, volumes),
    ...oneOfRequired(`${path}.imagePullPolicy`, container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']),
    ...resourceErrors(`${path}.resources`, container.resources ?? {}),
    ...securityContextErrors(`${path}.securityContext`, container.securityContext, spec.hostUsers !== false),
  ];
}

/** Of a container that goes on running. */
function runningErrors(path: string, container: Container, { spec }: ContainerContext): Errors {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  const onlyOne = (name: string, probe: typeof livenessProbe) =>
    probe === undefined
      ? []
      : [
          ...probeErrors(`${path}.${name}`, probe),
          ...when(
            probe.successThreshold !== 1,
            invalid(`${path}.${name}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'),
          ),
        ];
  const grace = readinessProbe?.terminationGracePeriodSeconds;
  return [
    ...lifecycleErrors(`${path}.lifecycle`, container.lifecycle, spec.terminationGracePeriodSeconds),
    ...onlyOne('livenessProbe', livenessProbe),
    ...(readinessProbe === undefined ? [] : probeErrors(`${path}.readinessProbe`, readinessProbe)),
    ...when(
      grace !== undefined,
      invalid(`${path}.readinessProbe.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'),
    ),
    ...onlyOne('startupProbe', startupProbe),
  ];
}

function portErrors(path: string, ports: readonly ContainerPort[]): Errors {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', containerPort = 0, hostPort = 0, protocol }, index) => {
    const at = `${path}[${index}]`;
    const wrongName =
      name === ''
        ? []
        : portNameErrors(name).map((why) => why.replace(/^(must be no more than \d+) bytes$/, '$1 characters'));
    const repeated = wrongName.length === 0 && names.has(name);
    if (wrongName.length === 0 && name !== '') names.add(name);
    return [
      ...problems(`${at}.name`, name, wrongName),
      ...when(repeated, duplicate(`${at}.name`, name)),
      ...(containerPort === 0 ? [required(`${at}.containerPort`)] : portNumber(`${at}.containerPort`, containerPort)),
      ...(hostPort === 0 ? [] : problems(`${at}.hostPort`, hostPort, portNumberErrors(hostPort))),
      ...oneOfRequired(`${at}.protocol`, protocol, ['SCTP', 'TCP', 'UDP']),
    ];
  });
}

/** Two containers cannot have the same port of the node. */
function hostPortErrors(path: string, containers: readonly Container[]): Errors {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, container) =>
    ports.flatMap(({ hostPort = 0, hostIP = '', protocol }, index) => {
      if (hostPort === 0) return [];
      const key = `${protocol ?? ''}/${hostIP}/${hostPort}`;
      if (taken.has(key)) return [duplicate(`${path}[${container}].ports[${index}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}

/** A Pod in the network of its node has the ports of the node. */
export function hostNetworkErrors(path: string, spec: PodSpec, isPod: boolean): Errors {
  if (spec.hostNetwork !== true) return [];
  return (spec.containers ?? []).flatMap(({ ports = [] }, container) =>
    ports.flatMap(({ hostPort = 0, containerPort = 0 }, index) =>
      when(
        (isPod || hostPort !== 0) && hostPort !== containerPort,
        invalid(
          `${path}[${container}].ports[${index}].hostPort`,
          hostPort,
          'must match `containerPort` when `hostNetwork` is true',
        ),
      ),
    ),
  );
}
