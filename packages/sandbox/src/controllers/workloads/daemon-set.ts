import type { Reconciler } from '@isthmus/kube';
import { again, defineReconciler, done, eventAccess, from, isNamespaceTerminating } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import { ControllerRevision, DaemonSet, Node, Pod } from '../kinds.ts';
import type { PodTemplate, Toleration } from '../kinds.ts';
import { isTolerated, matchesNode } from '../nodes/placement.ts';
import { availableInMs, isFinished, isReady, isTerminating, nextAvailableMs } from '../pod-state.ts';
import type { SharedCaches } from '../shared-caches.ts';
import type { TellingWorld } from '../telling.ts';
import { claim, referenceTo, workloadsOf } from './claim.ts';
import { counted } from './replica-set.ts';
import { currentRevision, hashOf } from './revisions.ts';
import { countOf } from './rollout.ts';
import { podFromTemplate, revisionHashLabel } from './template.ts';

const generationAnnotation = 'deprecated.daemonset.template.generation';
const generationLabel = 'pod-template-generation';

/**
 * Keeps one Pod on each Node that fits; the scheduler binds it. Left out: `maxSurge` (an old Pod is
 * deleted before its replacement is created), and back-off between Pods that fail on one Node.
 */
export function daemonSetController(caches: SharedCaches, { clock, tell }: TellingWorld): Reconciler {
  const sets = caches.of(DaemonSet);
  const pods = caches.of(Pod);
  const nodes = caches.of(Node);
  const revisions = caches.of(ControllerRevision);
  return defineReconciler({
    name: 'daemon-set',
    sources: [
      from(sets.cache, (set) => [keyOfObject(set)]),
      from(pods.cache, workloadsOf(sets)),
      from(nodes.cache, () => sets.cache.list().map(keyOfObject)),
      from(revisions.cache, () => []),
    ],
    access: [
      { at: 'local', type: DaemonSet, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: DaemonSet, subresource: 'status', scope: 'all', verbs: ['patch'] },
      { at: 'local', type: Node, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: ControllerRevision, scope: 'all', verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
      { at: 'local', type: Pod, scope: 'all', verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
      ...eventAccess('all'),
    ],
    async reconcile(key, { signal }) {
      const set = sets.cache.getByKey(key);
      if (set?.spec === undefined || set.metadata.deletionTimestamp !== undefined) return done;
      const { selector, template, minReadySeconds = 0, revisionHistoryLimit } = set.spec;
      const owner = { type: DaemonSet, object: set };
      try {
        const owned = await claim({ ...owner, selector }, pods, signal);
        const inUse = new Set(owned.map((pod) => `${set.metadata.name}-${pod.metadata.labels?.[revisionHashLabel]}`));
        const revision = await currentRevision(
          revisions,
          { ...owner, template, hashLabel: revisionHashLabel, limit: revisionHistoryLimit, inUse },
          signal,
        );
        const hash = hashOf(revision, set);
        const decision = decideDaemonSet({ set, pods: owned, nodes: nodes.cache.list(), hash, nowMs: clock.now() });
        for (const node of decision.create) {
          const { metadata } = await pods.create(daemonPod(set, node, hash), signal);
          tell(owner, { reason: 'SuccessfulCreate', message: `Created pod: ${metadata.name}` });
        }
        for (const pod of decision.delete) {
          await pods.delete(pod, signal);
          tell(owner, { reason: 'SuccessfulDelete', message: `Deleted pod: ${pod.metadata.name}` });
        }
        const now = pods.cache
          .list(set.metadata.namespace)
          .filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid));
        const status = decideDaemonSet({ set, pods: now, nodes: nodes.cache.list(), hash, nowMs: clock.now() }).status;
        await sets.changeStatus(set, status, signal);
        const next = nextAvailableMs(now, minReadySeconds, clock.now());
        return next === undefined ? done : again(next, 'a Pod is ready, and not available yet');
      } catch (error) {
        if (isNamespaceTerminating(error)) return done;
        throw error;
      }
    },
  });
}

export interface DaemonSetInput {
  readonly set: DaemonSet;
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  /** The hash of the current template. */
  readonly hash: string;
  readonly nowMs: number;
}

export interface DaemonSetDecision {
  /** The names of the Nodes that lack a Pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  readonly status: Readonly<Record<string, unknown>>;
}

/**
 * The Nodes that lack a Pod, and the Pods to delete. With a new template, old Pods are deleted as
 * far as `maxUnavailable` allows.
 */
export function decideDaemonSet({ set, pods, nodes, hash, nowMs }: DaemonSetInput): DaemonSetDecision {
  const { template, updateStrategy, minReadySeconds = 0 } = set.spec ?? {};
  const namesOf = (fit: Fit) => nodes.filter((node) => fits(template, node, fit)).map(({ metadata }) => metadata.name);
  const wanted = namesOf('comes');
  const kept = namesOf('stays');
  const byNode = Map.groupBy(pods, (pod) => targetNode(pod) ?? '');
  const isNew = (pod: Pod) => pod.metadata.labels?.[revisionHashLabel] === hash;
  const isAvailable = (pod: Pod) => !isTerminating(pod) && availableInMs(pod, minReadySeconds, nowMs) === 0;
  const create = wanted.filter((node) => (byNode.get(node) ?? []).length === 0);
  const surplus = pods.filter((pod) => {
    if (isTerminating(pod)) return false;
    const here = (byNode.get(targetNode(pod) ?? '') ?? []).filter((one) => !isTerminating(one));
    return !kept.includes(targetNode(pod) ?? '') || isFinished(pod) || here[0] !== pod;
  });
  const placed = wanted.flatMap((node) => byNode.get(node)?.find((pod) => !isTerminating(pod)) ?? []);
  const unavailable = wanted.length - placed.filter(isAvailable).length;
  const limit = countOf(updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, wanted.length, Math.ceil);
  const old = updateStrategy?.type === 'OnDelete' ? [] : placed.filter((pod) => !isNew(pod));
  const broken = old.filter((pod) => !isAvailable(pod));
  const replaced = [...broken, ...old.filter(isAvailable).slice(0, Math.max(0, limit - unavailable))];
  const available = placed.filter(isAvailable).length;
  return {
    create,
    delete: [...surplus, ...replaced.filter((pod) => !surplus.includes(pod))],
    status: {
      currentNumberScheduled: placed.length,
      numberMisscheduled: pods.filter((pod) => !wanted.includes(targetNode(pod) ?? '') && !isTerminating(pod)).length,
      desiredNumberScheduled: wanted.length,
      numberReady: placed.filter(isReady).length,
      observedGeneration: set.metadata.generation,
      ...counted('updatedNumberScheduled', placed.filter(isNew).length),
      ...counted('numberAvailable', available),
      ...counted('numberUnavailable', wanted.length - available),
    },
  };
}

/** The tolerations that a real cluster adds to every Pod of a DaemonSet. */
const tolerations: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

/**
 * `comes`: the Pod tolerates the taints of the Node. `stays`: it tolerates those with effect
 * `NoExecute`.
 */
type Fit = 'comes' | 'stays';

/** Nodes that are cordoned count too. */
function fits(template: PodTemplate | undefined, node: Node, fit: Fit): boolean {
  const spec = (template?.spec ?? {}) as NonNullable<Pod['spec']>;
  if (!matchesNode(spec, node)) return false;
  const tolerated = [...tolerations, ...(spec.tolerations ?? [])];
  return (node.spec?.taints ?? []).every(
    (taint) =>
      taint.effect === 'PreferNoSchedule' ||
      (taint.effect === 'NoSchedule' && fit === 'stays') ||
      isTolerated(taint, tolerated),
  );
}

function daemonPod(set: DaemonSet, node: string, hash: string): Pod {
  const { name, namespace, annotations = {} } = set.metadata;
  const generation = annotations[generationAnnotation];
  const labels = { [revisionHashLabel]: hash, ...(generation !== undefined && { [generationLabel]: generation }) };
  const ownerReferences = referenceTo({ type: DaemonSet, object: set });
  const pod = podFromTemplate(set.spec?.template ?? {}, {
    name: '',
    generateName: `${name}-`,
    namespace,
    labels,
    ownerReferences,
  });
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } };
  return {
    ...pod,
    spec: pod.spec && { ...pod.spec, affinity, tolerations: [...(pod.spec.tolerations ?? []), ...tolerations] },
  };
}

/** The Node that a Pod of a DaemonSet is on, or is for. */
function targetNode({ spec }: Pod): string | undefined {
  if (spec?.nodeName !== undefined) return spec.nodeName;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms[0]?.matchFields?.[0]?.values?.[0];
}
