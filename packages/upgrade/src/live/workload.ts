import { isRecord } from '@isthmus/machinery';
import type { KubernetesObject } from '@isthmus/machinery';

/**
 * A container of a Pod or of a template: the fields that identify its program, without its
 * environment.
 */
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
  /** For a Deployment: which of its ReplicaSets is the newest. */
  readonly revision: string;
  /**
   * For a Deployment: when its last rollout was complete, as RFC 3339; empty if no rollout is
   * complete.
   */
  readonly completedAt: string;
  /** The arguments that a person set, one line for each container. */
  readonly handSet: readonly string[];
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
  /** From its creation until it was ready; absent where it is not, or has restarted since. */
  readonly startedInSeconds?: number | undefined;
}

/** A ReplicaSet of a Deployment. */
export interface ReplicaSetFact {
  readonly namespace: string;
  readonly deployment: string;
  readonly revision: string;
  readonly createdAt: string;
}

/**
 * The parts of a ReplicaSet that matter here; undefined for one that no Deployment made, or that
 * was taken up again by a rollback.
 */
export function replicaSetFact({ metadata }: KubernetesObject): ReplicaSetFact | undefined {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'Deployment');
  const { 'deployment.kubernetes.io/revision': revision, 'deployment.kubernetes.io/revision-history': history } =
    textsOf(metadata.annotations);
  const createdAt = metadata.creationTimestamp;
  if (owner === undefined || revision === undefined || history !== undefined || createdAt === undefined)
    return undefined;
  return { namespace: metadata.namespace ?? '', deployment: owner.name, revision, createdAt };
}

/**
 * Whole seconds between two times; undefined where one is not a time, or they are in the wrong
 * order.
 */
export function secondsBetween(from: unknown, to: unknown): number | undefined {
  if (typeof from !== 'string' || typeof to !== 'string') return undefined;
  const seconds = Math.round((Date.parse(to) - Date.parse(from)) / 1000);
  return seconds >= 0 ? seconds : undefined;
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
    revision: textsOf(metadata.annotations)['deployment.kubernetes.io/revision'] ?? '',
    completedAt: completionOf(status),
    handSet: handSetOf(object, containersOf(recordAt(recordAt(spec, 'template'), 'spec'))),
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
  const readyAt = recordsAt(status, 'conditions').find((one) => one['type'] === 'Ready' && one['status'] === 'True');
  const hasRestarted = recordsAt(status, 'containerStatuses').some((one) => one['restartCount'] !== 0);
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    node,
    labels: textsOf(object.metadata.labels),
    containers: containersOf(spec),
    ready: readyAt !== undefined,
    startedInSeconds: hasRestarted
      ? undefined
      : secondsBetween(object.metadata.creationTimestamp, readyAt?.['lastTransitionTime']),
  };
}

/**
 * When the last rollout of a Deployment was complete: from then on its condition does not change
 * until the next one.
 */
function completionOf(status: Readonly<Record<string, unknown>>): string {
  const progressing = recordsAt(status, 'conditions').find(({ type }) => type === 'Progressing');
  return progressing?.['reason'] === 'NewReplicaSetAvailable' ? textAt(progressing, 'lastUpdateTime') : '';
}

/**
 * The containers whose arguments were last written with `kubectl edit`, `patch` or `set`, with the
 * names of their flags. Values are left out, because they may be secret.
 */
function handSetOf({ metadata }: KubernetesObject, containers: readonly ContainerFact[]): readonly string[] {
  const entries = Array.isArray(metadata.managedFields) ? (metadata.managedFields as readonly unknown[]) : [];
  return entries.filter(isRecord).flatMap((entry) => {
    const manager = textAt(entry, 'manager');
    if (!/^kubectl-(?:edit|patch|set)$/.test(manager)) return [];
    const path = ['f:spec', 'f:template', 'f:spec', 'f:containers'];
    const owned = path.reduce((fields, key) => recordAt(fields, key), recordAt(entry, 'fieldsV1'));
    return containers.flatMap(({ name, words }) => {
      const fields = recordAt(owned, `k:{"name":${JSON.stringify(name)}}`);
      if (fields['f:args'] === undefined && fields['f:command'] === undefined) return [];
      const flags = words.flatMap((one) => /^--?[A-Za-z][\w.-]*/.exec(one) ?? []);
      return [`container ${name}: ${flags.join(' ') || 'its command'} (${manager.replace('-', ' ')})`];
    });
  });
}

/** The metadata that a snapshot keeps of any object: names, labels, owners, and field managers. */
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

function recordsAt(
  value: Readonly<Record<string, unknown>>,
  key: string,
): readonly Readonly<Record<string, unknown>>[] {
  const list = value[key];
  return (Array.isArray(list) ? (list as readonly unknown[]) : []).filter(isRecord);
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
