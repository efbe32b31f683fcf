import type { Errors } from '../field-checks.ts';
import { inRange, optionalText, when } from '../field-checks.ts';
import { dnsLabel, dnsSubdomain, duplicate, forbidden, invalid, labelsRule, required } from '../field-rules.ts';
import { shapeErrors } from '../shape/shape-errors.ts';
import { builtInType } from '../types/load.ts';
import { partRules } from './part-rules.ts';
import type { Container, PodSpec, Probe } from './pod-spec.ts';
import type { ShapeExceptions } from '../shape/shape-errors.ts';

/** The real server's (1.36) differences from the shape of the OpenAPI definitions of Pods. */
const shapeExceptions: ShapeExceptions = {
  unchecked: new Set([
    // May be empty.
    'v1.HTTPHeader.value',
    'v1.Sysctl.value',
    // Have a rule in part-rules.ts.
    'v1.HTTPHeader.name',
    'v1.HostAlias.ip',
    'v1.LabelSelectorRequirement.key',
    'v1.LabelSelectorRequirement.operator',
    'v1.PodAffinityTerm.topologyKey',
    'v1.Toleration.operator',
    'v1.TopologySpreadConstraint.topologyKey',
  ]),
  order: {
    'v1.DNSPolicy': ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'],
    'v1.PreemptionPolicy': ['PreemptLowerPriority', 'Never'],
    'v1.RestartPolicy': ['Always', 'OnFailure', 'Never'],
    'v1.TaintEffect': ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
    'v1.TerminationMessagePolicy': ['File', 'FallbackToLogsOnError'],
  },
};

const errorsOfParts = shapeErrors(partRules, shapeExceptions);

/**
 * The errors of the spec of a Pod (`isPod`) or of a template: its shape, its parts one by one, and
 * the rules between parts. For the fields in docs/sandbox/workload-fields.md, the messages are
 * those of a real 1.36. The order of several errors is our own.
 */
export function podSpecErrors(path: string, spec: PodSpec, isPod: boolean): Errors {
  const ofParts = errorsOfParts(path, podSpecType(), spec);
  const { volumes = [], containers, initContainers = [] } = spec;
  const names = volumes.map(({ name }) => name);
  const isValid = (index: number) => !ofParts.some((error) => error.path.startsWith(`${path}.volumes[${index}]`));
  const mountable = new Set(names.filter((_, index) => isValid(index)));
  return [
    ...ofParts,
    ...repeatedNames(`${path}.volumes`, names),
    ...(containers ?? []).flatMap((one, index) => [
      ...mountErrors(`${path}.containers[${index}]`, one, mountable),
      ...runningErrors(`${path}.containers[${index}]`, one),
    ]),
    ...initContainers.flatMap((one, index) => [
      ...mountErrors(`${path}.initContainers[${index}]`, one, mountable),
      ...(one.restartPolicy === 'Always' ? runningErrors : initErrors)(`${path}.initContainers[${index}]`, one),
    ]),
    ...repeatedNames(`${path}.containers`, (containers ?? []).map(nameOf)),
    ...repeatedNames(`${path}.initContainers`, initContainers.map(nameOf), (containers ?? []).map(nameOf)),
    ...hostPortErrors(`${path}.containers`, spec, isPod),
    ...labelsRule(`${path}.nodeSelector`, spec.nodeSelector ?? {}),
    ...when(
      spec.dnsPolicy === 'None' && spec.dnsConfig === undefined,
      required(`${path}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None'),
    ),
    ...inRange(`${path}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, [1, 2_147_483_647]),
    ...optionalText(`${path}.hostname`, spec.hostname, dnsLabel),
    ...optionalText(`${path}.subdomain`, spec.subdomain, dnsLabel),
    ...(['serviceAccountName', 'nodeName', 'priorityClassName', 'runtimeClassName'] as const).flatMap((field) =>
      optionalText(`${path}.${field}`, spec[field], dnsSubdomain),
    ),
  ];
}

/** The rules for containers that apply to Pods but not to templates. */
export function imageErrorsOfPod(path: string, containers: readonly Container[] = []): Errors {
  return containers.flatMap(({ image = '' }, index) =>
    when(
      image !== image.trim(),
      invalid(`${path}[${index}].image`, image, 'must not have leading or trailing whitespace'),
    ),
  );
}

function podSpecType() {
  const { spec } = builtInType('v1', 'Pod').fields;
  if (spec?.type.kind !== 'struct') throw new Error('the built-in types have no spec of Pods');
  return spec.type;
}

const nameOf = ({ name }: Container) => name;

/** `others`: names that are taken before. A name that is missing is an error of its own. */
function repeatedNames(path: string, names: readonly string[], others: readonly string[] = []): Errors {
  return names.flatMap((name, index) =>
    when(
      name !== '' && (others.includes(name) || names.indexOf(name) < index),
      duplicate(`${path}[${index}].name`, name),
    ),
  );
}

function mountErrors(path: string, { volumeMounts = [] }: Container, mountable: ReadonlySet<string>): Errors {
  const places = volumeMounts.map(({ mountPath }) => mountPath);
  return volumeMounts.flatMap(({ name, mountPath }, index) => {
    const at = `${path}.volumeMounts[${index}]`;
    return [
      ...when(!mountable.has(name), { path: `${at}.name`, type: 'NotFound', value: name, detail: '' }),
      ...when(places.indexOf(mountPath) < index, invalid(`${at}.mountPath`, mountPath, 'must be unique')),
    ];
  });
}

/** The errors of a container that keeps running. */
function runningErrors(path: string, { livenessProbe, readinessProbe, startupProbe }: Container): Errors {
  const onlyOne = (name: string, probe: Probe | undefined) =>
    when(
      probe !== undefined && probe.successThreshold !== 1,
      invalid(`${path}.${name}.successThreshold`, probe?.successThreshold ?? 0, 'must be 1'),
    );
  const grace = readinessProbe?.terminationGracePeriodSeconds;
  return [
    ...onlyOne('livenessProbe', livenessProbe),
    ...when(
      grace !== undefined,
      invalid(`${path}.readinessProbe.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'),
    ),
    ...onlyOne('startupProbe', startupProbe),
  ];
}

/** The errors of an init container that ends before the others start. */
function initErrors(path: string, container: Container): Errors {
  return (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const).flatMap((field) =>
    when(
      container[field] !== undefined,
      forbidden(`${path}.${field}`, 'may not be set for init containers without restartPolicy=Always'),
    ),
  );
}

/**
 * Two containers cannot have the same port of the node, and a Pod in its network has no other ports
 * than its own.
 */
function hostPortErrors(path: string, { containers, hostNetwork }: PodSpec, isPod: boolean): Errors {
  const taken = new Set<string>();
  return (containers ?? []).flatMap(({ ports = [] }, container) =>
    ports.flatMap(({ hostPort = 0, containerPort = 0, hostIP = '', protocol = '' }, index) => {
      const at = `${path}[${container}].ports[${index}].hostPort`;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      const isTaken = hostPort !== 0 && taken.has(key);
      taken.add(key);
      return [
        ...when(isTaken, duplicate(at, key)),
        ...when(
          hostNetwork === true && (isPod || hostPort !== 0) && hostPort !== containerPort,
          invalid(at, hostPort, 'must match `containerPort` when `hostNetwork` is true'),
        ),
      ];
    }),
  );
}
