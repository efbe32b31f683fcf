import { labelName } from '../define.ts';
import type { Container, ContainerPort, PodSpec } from './pod-spec.ts';
import { mostWarnings } from '../../answer/answer.ts';
import { quantityValue } from './quantities.ts';

/**
 * The `Warning` texts for a Pod or a template that is accepted. `path`: the place of the template,
 * empty for a Pod.
 */
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
  const defined = new Set<string | undefined>();
  const hidden = env.flatMap(({ name, value = '', valueFrom }, index) => {
    const isFirst = !defined.has(name);
    defined.add(name);
    if (isFirst) return [];
    const reference = `$(${name})`;
    // A value that extends the earlier one hides it on purpose.
    if (valueFrom === undefined && value !== reference && value.includes(reference)) return [];
    return [
      `${path}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
  return [...fractions, ...hidden];
}

interface PlacedPort extends ContainerPort {
  /** Its number in the Pod. */
  readonly index: number;
  readonly place: string;
}

/**
 * Warns of ports of a Pod that are equal or have the same name. The warning names the later port.
 */
function portWarnings(spec: PodSpec, at: (rest: string) => string): readonly string[] {
  const ports = containersOf(spec)
    .flatMap(([{ ports: given = [] }, place]) =>
      given.map((port, index) => ({ ...port, place: at(`${place}.ports[${index}]`) })),
    )
    .map((port, index): PlacedPort => ({ ...port, index }));
  return [...Iterator.from(definitionWarnings(ports)).take(mostWarnings), ...nameWarnings(ports)];
}

/** Each pair of ports of one number may be worth a warning: the caller stops when it has enough. */
function* definitionWarnings(ports: readonly PlacedPort[]): Generator<string> {
  const groups = new Map<string, PlacedPort[]>();
  const grouped = (key: readonly unknown[]): PlacedPort[] => {
    const text = JSON.stringify(key);
    const group = groups.get(text) ?? [];
    groups.set(text, group);
    return group;
  };
  for (const port of ports) {
    const { containerPort, protocol, hostIP = '', hostPort = 0, place } = port;
    const of = (...where: readonly unknown[]) => grouped([containerPort, protocol, ...where]);
    const found =
      hostPort === 0 || of().length === 0
        ? of()
        : [
            ...of('at', hostIP, hostPort),
            ...of('anywhere'),
            ...of(hostIP === '' ? 'at one IP' : 'at each IP', hostPort),
          ];
    for (const other of found.toSorted((a, b) => a.index - b.index))
      yield `${place}: ${relationOf(port, other)} port definition with ${other.place}`;
    of().push(port);
    of('at', hostIP, hostPort).push(port);
    if (hostPort === 0) of('anywhere').push(port);
    else of(hostIP === '' ? 'at each IP' : 'at one IP', hostPort).push(port);
  }
}

function relationOf(a: ContainerPort, b: ContainerPort): string {
  const [portA, portB] = [a.hostPort ?? 0, b.hostPort ?? 0];
  if (portA === portB && (a.hostIP ?? '') === (b.hostIP ?? '')) return 'duplicate';
  return portA === 0 || portB === 0 ? 'overlapping' : 'dangerously ambiguous';
}

function nameWarnings(ports: readonly PlacedPort[]): readonly string[] {
  const places = new Map<string, string>();
  return ports.flatMap(({ name = '', place }) => {
    const first = places.get(name);
    if (first === undefined) places.set(name, place);
    if (name === '' || first === undefined) return [];
    return [
      `${place}: duplicate port name ${JSON.stringify(name)} with ${first}, services and probes that select ports by name will use ${first}`,
    ];
  });
}

/**
 * Warns of a name that is not a DNS label: Pods named after it cannot have it as their host name.
 * `use`: what the name is used in.
 */
export function hostNameWarnings(name: string, use: string): readonly string[] {
  const why = labelName(name, false);
  if (why.length === 0) return [];
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${why.join(' ')}]`,
  ];
}
