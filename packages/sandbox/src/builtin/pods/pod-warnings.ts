import { addressWarnings } from '../address-rules.ts';
import type { Container, Labels, PodSpec } from './pod-spec.ts';
import { quantityValue } from './quantities.ts';

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

/** The `Warning` texts about a Pod or a template that is accepted. `path`: where the template stands, empty for a Pod. */
export function podWarnings(path: string, spec: PodSpec, annotations: Labels = {}): readonly string[] {
  const at = (rest: string) => (path === '' ? rest : `${path}.${rest}`);
  const { hostAliases = [], imagePullSecrets = [] } = spec;
  return [
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ labelSelector }, index) =>
      labelSelector === undefined
        ? [
            `${at(`spec.topologySpreadConstraints[${index}].labelSelector`)}: a null labelSelector results in matching no pod`,
          ]
        : [],
    ),
    ...Object.entries(deprecatedAnnotations)
      .filter(([key]) => annotations[key] !== undefined)
      .map(([key, why]) => `${at(`metadata.annotations[${key}]`)}: ${why}`),
    ...hostAliases.flatMap(({ ip = '' }, index) =>
      hostAliases.findIndex((other) => (other.ip ?? '') === ip) < index
        ? [`${at(`spec.hostAliases[${index}].ip`)}: duplicate ip ${JSON.stringify(ip)}`]
        : [],
    ),
    ...imagePullSecrets.flatMap(({ name = '' }, index) =>
      imagePullSecrets.findIndex((other) => (other.name ?? '') === name) < index
        ? [`${at(`spec.imagePullSecrets[${index}].name`)}: duplicate name ${JSON.stringify(name)}`]
        : [],
    ),
    ...imagePullSecrets.flatMap(({ name = '' }, index) =>
      name === '' ? [`${at(`spec.imagePullSecrets[${index}].name`)}: invalid empty name ""`] : [],
    ),
    ...containersOf(spec).flatMap(([container, place]) => containerWarnings(at(place), container)),
    ...portWarnings(spec, at),
    ...(spec.terminationGracePeriodSeconds !== undefined && spec.terminationGracePeriodSeconds < 0
      ? [
          `${at('spec.terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
    ...hostAliases.flatMap(({ ip = '' }, index) => addressWarnings(at(`spec.hostAliases[${index}].ip`), ip)),
  ];
}

function containersOf({ initContainers = [], containers }: PodSpec): readonly (readonly [Container, string])[] {
  return [
    ...initContainers.map((one, index) => [one, `spec.initContainers[${index}]`] as const),
    ...(containers ?? []).map((one, index) => [one, `spec.containers[${index}]`] as const),
  ];
}

function containerWarnings(path: string, { resources = {}, env = [] }: Container): readonly string[] {
  const fractions = (['memory', 'ephemeral-storage'] as const).flatMap((name) =>
    (['limits', 'requests'] as const).flatMap((list) => {
      const quantity = resources[list]?.[name];
      if (quantity === undefined || quantityValue(quantity) % 10n ** 9n === 0n) return [];
      return [
        `${path}.resources.${list}[${name}]: fractional byte value ${JSON.stringify(quantity)} is invalid, must be an integer`,
      ];
    }),
  );
  const hidden = env.flatMap(({ name, value = '', valueFrom }, index) => {
    if (env.findIndex((other) => other.name === name) === index) return [];
    const reference = `$(${name})`;
    // A value that goes on from the earlier one is meant so.
    if (valueFrom === undefined && value !== reference && value.includes(reference)) return [];
    return [
      `${path}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
  return [...fractions, ...hidden];
}

function portWarnings(spec: PodSpec, at: (rest: string) => string): readonly string[] {
  const warnings: string[] = [];
  const ports = containersOf(spec).flatMap(([{ ports: given = [] }, place]) =>
    given.map((port, index) => ({ port, place: at(`${place}.ports[${index}]`) })),
  );
  ports.forEach(({ port, place }, index) => {
    for (const other of ports.slice(0, index)) {
      const same = (field: 'containerPort' | 'protocol') => port[field] === other.port[field];
      if (!same('containerPort') || !same('protocol')) continue;
      const [ip, otherIP] = [port.hostIP ?? '', other.port.hostIP ?? ''];
      const [host, otherHost] = [port.hostPort ?? 0, other.port.hostPort ?? 0];
      if (ip === otherIP && host === otherHost)
        warnings.push(`${place}: duplicate port definition with ${other.place}`);
      else if (host === 0 || otherHost === 0)
        warnings.push(`${place}: overlapping port definition with ${other.place}`);
      else if (host === otherHost && (ip === '') !== (otherIP === '')) {
        warnings.push(`${place}: dangerously ambiguous port definition with ${other.place}`);
      }
    }
  });
  ports.forEach(({ port: { name = '' }, place }, index) => {
    const other = ports.findIndex(({ port }) => (port.name ?? '') === name);
    const first = ports[other]?.place;
    if (name === '' || other >= index || first === undefined) return;
    warnings.push(
      `${place}: duplicate port name ${JSON.stringify(name)} with ${first}, services and probes that select ports by name will use ${first}`,
    );
  });
  return warnings;
}
