import { isRecord } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';

/** A container of a Pod or of a template: what tells which program it runs, and nothing of its environment. */
export interface ContainerFact {
  readonly name: string;
  readonly image: string;
  /** Its command and its arguments. */
  readonly words: readonly string[];
}

/** A Deployment or DaemonSet. */
export interface WorkloadFact {
  readonly kind: 'Deployment' | 'DaemonSet';
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly selector: Readonly<Record<string, string>>;
  readonly containers: readonly ContainerFact[];
  readonly ready: boolean;
  /** The object as snapshots keep it. */
  readonly kept: Readonly<Record<string, unknown>>;
}

/** A Pod of a DaemonSet, or of the control plane. */
export interface PodFact {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly containers: readonly ContainerFact[];
  readonly ready: boolean;
}

/** The parts of a Deployment or DaemonSet that matter here. */
export function workloadFact(object: KubernetesObject): WorkloadFact {
  const { metadata } = object;
  const spec = recordAt(object, 'spec');
  const status = recordAt(object, 'status');
  const isDaemon = object.kind === 'DaemonSet';
  const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);
  const [wanted, ready] = isDaemon
    ? [number(status['desiredNumberScheduled'], 0), number(status['numberReady'], 0)]
    : [number(spec['replicas'], 1), number(status['readyReplicas'], 0)];
  return {
    kind: isDaemon ? 'DaemonSet' : 'Deployment',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    labels: textsOf(metadata.labels),
    annotations: textsOf(metadata.annotations),
    selector: textsOf(recordAt(spec, 'selector')['matchLabels']),
    containers: containersOf(recordAt(recordAt(spec, 'template'), 'spec')),
    ready: ready >= wanted,
    kept: { ...keptHead(object), spec: { selector: spec['selector'] } },
  };
}

/** The parts of a Pod that matter here; undefined for one that is on no Node yet or has ended. */
export function podFact(object: KubernetesObject): PodFact | undefined {
  const spec = recordAt(object, 'spec');
  const status = recordAt(object, 'status');
  const node = spec['nodeName'];
  const ended = status['phase'] === 'Succeeded' || status['phase'] === 'Failed';
  if (typeof node !== 'string' || node === '' || ended || object.metadata.deletionTimestamp !== undefined)
    return undefined;
  const conditions = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    node,
    labels: textsOf(object.metadata.labels),
    containers: containersOf(spec),
    ready: conditions.some((one) => isRecord(one) && one['type'] === 'Ready' && one['status'] === 'True'),
  };
}

/** What a snapshot keeps of the metadata of any object: names, labels, owners, and who manages its fields. */
export function keptHead({ apiVersion, kind, metadata }: KubernetesObject): Readonly<Record<string, unknown>> {
  const { name, namespace, labels, ownerReferences, deletionTimestamp, finalizers } = metadata;
  const entries = Array.isArray(metadata.managedFields) ? (metadata.managedFields as readonly unknown[]) : [];
  const managers = entries.flatMap((one) =>
    isRecord(one) && typeof one['manager'] === 'string' ? [one['manager']] : [],
  );
  return withoutUndefined({
    apiVersion,
    kind,
    metadata: withoutUndefined({
      name,
      namespace,
      labels,
      ownerReferences,
      deletionTimestamp,
      finalizers,
      managedFields:
        managers.length === 0 ? undefined : [...new Set(managers)].toSorted().map((manager) => ({ manager })),
    }),
  });
}

/** The members that are not undefined, in their order. */
export function withoutUndefined(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** A member that is an object; an empty one where it is anything else. */
export function recordAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}

function containersOf(podSpec: Readonly<Record<string, unknown>>): readonly ContainerFact[] {
  return ['initContainers', 'containers'].flatMap((list) => {
    const items = podSpec[list];
    return (Array.isArray(items) ? (items as readonly unknown[]) : []).filter(isRecord).map((one) => ({
      name: textAt(one, 'name'),
      image: textAt(one, 'image'),
      words: [one['command'], one['args']].flatMap((words) => (Array.isArray(words) ? words.map(String) : [])),
    }));
  });
}

function textAt(record: Readonly<Record<string, unknown>>, key: string): string {
  const found = record[key];
  return typeof found === 'string' ? found : '';
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  );
}
