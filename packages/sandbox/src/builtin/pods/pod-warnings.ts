import type { Container, ContainerPort, PodSpec } from './pod-spec.ts';
import { quantityValue } from './quantities.ts';

/** The `Warning` texts about a Pod or a template that is accepted. `path`: where the template stands, empty for a Pod. */
export function podWarnings(path: string, spec: PodSpec): readonly string[] {
  const at = (rest: string) => (path === '' ? rest : `${path}.${rest}`);
  const { terminationGracePeriodSeconds: graceSeconds = 0 } = spec;
  return [
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ labelSelector }, index) =>
      labelSelector === undefined
        ? [
            `${at(`spec.topologySpreadConstraints[${index}].labelSelector`)}: a null labelSelector results in matching no pod`,
          ]
        : [],
    ),
    ...containersOf(spec).flatMap(([container, place]) => containerWarnings(at(place), container)),
    ...portWarnings(spec, at),
    ...(graceSeconds < 0
      ? [
          `${at('spec.terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
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

/** Of two ports of a Pod that are the same, or have the same name, the later one. */
function portWarnings(spec: PodSpec, at: (rest: string) => string): readonly string[] {
  const ports = containersOf(spec).flatMap(([{ ports: given = [] }, place]) =>
    given.map((port, index) => ({ ...port, place: at(`${place}.ports[${index}]`) })),
  );
  const keys = ports.map(({ containerPort, protocol }) => JSON.stringify([containerPort, protocol]));
  return [
    ...ports.flatMap(({ place, ...port }, index) =>
      ports
        .slice(0, index)
        .filter((_, other) => keys[other] === keys[index])
        .flatMap((other) => {
          if (onNode(port) === onNode(other)) return [`${place}: duplicate port definition with ${other.place}`];
          const overlaps = (port.hostPort ?? 0) === 0 || (other.hostPort ?? 0) === 0;
          return overlaps ? [`${place}: overlapping port definition with ${other.place}`] : [];
        }),
    ),
    ...ports.flatMap(({ name = '', place }, index) => {
      const first = ports.slice(0, index).find((other) => other.name === name)?.place;
      if (name === '' || first === undefined) return [];
      return [
        `${place}: duplicate port name ${JSON.stringify(name)} with ${first}, services and probes that select ports by name will use ${first}`,
      ];
    }),
  ];
}

function onNode({ hostIP = '', hostPort = 0 }: ContainerPort): string {
  return `${hostIP}:${hostPort}`;
}
