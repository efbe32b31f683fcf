import type { Reconciler } from '@isthmus/kube';
import { again, ApiError, defineReconciler, done, eventAccess, from, isNamespaceTerminating } from '@isthmus/kube';
import { conditionOf, keyOfObject, parseRfc3339, rfc3339 } from '@isthmus/machinery';
import type { WorkloadCondition } from '../kinds.ts';
import { Pod, ReplicaSet } from '../kinds.ts';
import { availableInMs, isActive, isFinished, isReady, isTerminating, nextAvailableMs } from '../pod-state.ts';
import type { SharedCaches } from '../shared-caches.ts';
import type { TellingWorld } from '../telling.ts';
import { claim, referenceTo, workloadsOf } from './claim.ts';
import { podFromTemplate } from './template.ts';

/**
 * Keeps the wanted number of Pods of a template. If the server rejects a Pod, the condition
 * `ReplicaFailure` and an Event report the reason, and the controller tries again. Left out: the
 * annotation `controller.kubernetes.io/pod-deletion-cost`. kube-controller-manager also chooses the
 * Pods to delete by more than their Node, readiness and age.
 */
export function replicaSetController(caches: SharedCaches, { clock, tell }: TellingWorld): Reconciler {
  const sets = caches.of(ReplicaSet);
  const pods = caches.of(Pod);
  return defineReconciler({
    name: 'replica-set',
    sources: [from(sets.cache, (set) => [keyOfObject(set)]), from(pods.cache, workloadsOf(sets))],
    access: [
      { at: 'local', type: ReplicaSet, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: ReplicaSet, subresource: 'status', scope: 'all', verbs: ['patch'] },
      { at: 'local', type: Pod, scope: 'all', verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
      ...eventAccess('all'),
    ],
    async reconcile(key, { signal }) {
      const set = sets.cache.getByKey(key);
      if (set?.spec === undefined) return done;
      const { selector, template, replicas = 1, minReadySeconds = 0 } = set.spec;
      const owner = { type: ReplicaSet, object: set };
      const owned = await claim({ ...owner, selector }, pods, signal);
      const all = [...owned];
      let refusal: string | undefined;
      if (set.metadata.deletionTimestamp === undefined) {
        const active = owned.filter(isActive);
        try {
          for (let count = active.length; count < replicas; count++) {
            const { name, namespace } = set.metadata;
            const metadata = {
              name: '',
              generateName: `${name}-`,
              namespace,
              ownerReferences: referenceTo({ type: ReplicaSet, object: set }),
            };
            const pod = await pods.create(podFromTemplate(template, metadata), signal);
            tell(owner, { reason: 'SuccessfulCreate', message: `Created pod: ${pod.metadata.name}` });
            all.push(pod);
          }
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          if (!isNamespaceTerminating(error)) {
            refusal = error.status.message ?? error.reason;
            tell(owner, { type: 'Warning', reason: 'FailedCreate', message: `Error creating: ${refusal}` });
          }
        }
        for (const pod of active.toSorted(leastMissed).slice(0, Math.max(0, active.length - replicas))) {
          await pods.delete(pod, signal);
          tell(owner, { reason: 'SuccessfulDelete', message: `Deleted pod: ${pod.metadata.name}` });
        }
      }
      const now = all.flatMap((pod) => pods.cache.getByKey(keyOfObject(pod)) ?? []);
      const failure = refusal === undefined ? undefined : failureOf(set, refusal, clock.now());
      const counts = replicaSetStatus({ ...set, spec: set.spec }, now, clock.now());
      await sets.changeStatus(set, { ...counts, ...(failure && { conditions: [failure] }) }, signal);
      if (failure !== undefined) {
        const sinceMs = clock.now() - (parseRfc3339(failure.lastTransitionTime) ?? 0);
        return again(Math.min(Math.max(sinceMs, soonestMs), latestMs), 'a Pod was refused');
      }
      const next = nextAvailableMs(now.filter(isActive), minReadySeconds, clock.now());
      return next === undefined ? done : again(next, 'a Pod is ready, and not available yet');
    },
  });
}

/** The delay of the next attempt is the time since the first rejection, within these bounds. */
const soonestMs = 100;
const latestMs = 60_000;

/** The condition as it was first reported. */
function failureOf({ status }: ReplicaSet, message: string, nowMs: number): WorkloadCondition {
  const type = 'ReplicaFailure';
  const before = conditionOf(status?.conditions, type);
  return before ?? { type, status: 'True', lastTransitionTime: rfc3339(nowMs), reason: 'FailedCreate', message };
}

/**
 * The status of a ReplicaSet from its Pods. Counts of 0 are left out, except two that a real
 * cluster always writes.
 */
function replicaSetStatus(set: ReplicaSet, pods: readonly Pod[], nowMs: number): ReplicaSet['status'] {
  const active = pods.filter(isActive);
  const labels = Object.entries(set.spec?.template.metadata?.labels ?? {});
  const isLabeled = ({ metadata }: Pod) => labels.every(([key, value]) => metadata.labels?.[key] === value);
  const { minReadySeconds = 0 } = set.spec ?? {};
  return {
    replicas: active.length,
    ...counted('fullyLabeledReplicas', active.filter(isLabeled).length),
    ...counted('readyReplicas', active.filter(isReady).length),
    ...counted('availableReplicas', active.filter((pod) => availableInMs(pod, minReadySeconds, nowMs) === 0).length),
    terminatingReplicas: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
    observedGeneration: set.metadata.generation,
  };
}

/** A count for a status, which has it only if it is not 0. */
export function counted(name: string, count: number): Readonly<Record<string, number>> {
  return count === 0 ? {} : { [name]: count };
}

/**
 * The order in which Pods are deleted: without a Node, then not running, then not ready, then the
 * younger one.
 */
function leastMissed(a: Pod, b: Pod): number {
  const rank = ({ spec, status }: Pod) =>
    (spec?.nodeName === undefined ? 0 : 4) + (status?.phase === 'Running' ? 2 : 0);
  const [rankA, rankB] = [rank(a) + Number(isReady(a)), rank(b) + Number(isReady(b))];
  if (rankA !== rankB) return rankA - rankB;
  const [timeA = '', timeB = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (timeA !== timeB) return timeA > timeB ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
