import type { Reconciler } from '@isthmus/kube';
import { again, defineReconciler, done, eventAccess, from, isNamespaceTerminating } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import { ControllerRevision, Pod, StatefulSet } from '../kinds.ts';
import { availableInMs, isReady, isTerminating, nextAvailableMs } from '../pod-state.ts';
import type { SharedCaches } from '../shared-caches.ts';
import type { Note, TellingWorld } from '../telling.ts';
import { claim, referenceTo, workloadsOf } from './claim.ts';
import { counted } from './replica-set.ts';
import { currentRevision } from './revisions.ts';
import { decideStatefulSet, ordinalOf } from './stateful-set-step.ts';
import { podFromTemplate, revisionHashLabel } from './template.ts';

/**
 * Keeps numbered Pods. Left out: `volumeClaimTemplates` and their retention policy (no volumes are
 * served), and `maxUnavailable` of a rolling update (one Pod at a time is replaced).
 */
export function statefulSetController(caches: SharedCaches, { clock, tell }: TellingWorld): Reconciler {
  const sets = caches.of(StatefulSet);
  const pods = caches.of(Pod);
  const revisions = caches.of(ControllerRevision);
  return defineReconciler({
    name: 'stateful-set',
    sources: [
      from(sets.cache, (set) => [keyOfObject(set)]),
      from(pods.cache, workloadsOf(sets)),
      // The revisions of a workload are read with it.
      from(revisions.cache, () => []),
    ],
    access: [
      { at: 'local', type: StatefulSet, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: StatefulSet, subresource: 'status', scope: 'all', verbs: ['patch'] },
      { at: 'local', type: ControllerRevision, scope: 'all', verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
      { at: 'local', type: Pod, scope: 'all', verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
      ...eventAccess('all'),
    ],
    async reconcile(key, { signal }) {
      const set = sets.cache.getByKey(key);
      if (set?.spec === undefined || set.metadata.deletionTimestamp !== undefined) return done;
      const { selector, template, minReadySeconds = 0, revisionHistoryLimit } = set.spec;
      const { name, namespace } = set.metadata;
      const owner = { type: StatefulSet, object: set };
      const owned = (await claim({ ...owner, selector }, pods, signal)).filter(isNumbered);
      const inUse = new Set([set.status?.currentRevision ?? '', ...owned.map(revisionOf)]);
      const revision = {
        ...owner,
        template,
        hashLabel: 'controller.kubernetes.io/hash',
        limit: revisionHistoryLimit,
        inUse,
      };
      try {
        const update = (await currentRevision(revisions, revision, signal)).metadata.name;
        const current = set.status?.currentRevision ?? update;
        const step = decideStatefulSet({ set, pods: owned, current, update, nowMs: clock.now() });
        for (const { ordinal, revision: wanted } of step.create) {
          const pod = numberedPod(set, ordinal, templateOf(wanted));
          await pods.create(
            { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [revisionHashLabel]: wanted } } },
            signal,
          );
          tellOf('SuccessfulCreate', 'Create', pod);
        }
        for (const pod of step.delete) {
          await pods.delete(pod, signal);
          tellOf('SuccessfulDelete', 'Delete', pod);
        }
        const now = pods.cache
          .list(namespace)
          .filter((pod) => pod.metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid));
        await sets.changeStatus(set, statefulSetStatus(set, now, { current, update, nowMs: clock.now() }), signal);
        const next = nextAvailableMs(now, minReadySeconds, clock.now());
        return next === undefined ? done : again(next, 'a Pod is ready, and not available yet');
      } catch (error) {
        if (isNamespaceTerminating(error)) return done;
        throw error;
      }

      function tellOf(reason: Note['reason'], verb: string, pod: Pod): void {
        const message = `${verb} Pod ${pod.metadata.name} in StatefulSet ${name} successful`;
        tell(owner, { reason, message });
      }
      function isNumbered(pod: Pod): boolean {
        return pod.metadata.name === `${name}-${ordinalOf(pod)}`;
      }
      function templateOf(wanted: string) {
        const data = revisions.cache.get({ namespace, name: wanted })?.data as
          | { spec?: { template?: typeof template } }
          | undefined;
        return data?.spec?.template ?? template;
      }
    },
  });
}

/** The Pod of one ordinal, with the labels and the host name that identify it. */
function numberedPod(set: StatefulSet, ordinal: number, template: NonNullable<StatefulSet['spec']>['template']): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = { 'apps.kubernetes.io/pod-index': String(ordinal), 'statefulset.kubernetes.io/pod-name': name };
  const pod = podFromTemplate(template, {
    name,
    generateName: `${set.metadata.name}-`,
    namespace: set.metadata.namespace,
    labels,
    ownerReferences: referenceTo({ type: StatefulSet, object: set }),
  });
  const subdomain = set.spec?.serviceName ?? '';
  return { ...pod, spec: pod.spec && { ...pod.spec, hostname: name, ...(subdomain !== '' && { subdomain }) } };
}

function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.[revisionHashLabel] ?? '';
}

function statefulSetStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  { current, update, nowMs }: { readonly current: string; readonly update: string; readonly nowMs: number },
): Readonly<Record<string, unknown>> {
  const { replicas = 1, minReadySeconds = 0 } = set.spec ?? {};
  const live = pods.filter((pod) => !isTerminating(pod));
  const ready = live.filter(isReady);
  const updated = live.filter((pod) => revisionOf(pod) === update);
  const isUpdated = updated.length === replicas && ready.length === replicas && pods.length === replicas;
  const settled = isUpdated ? update : current;
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...counted('readyReplicas', ready.length),
    availableReplicas: live.filter((pod) => availableInMs(pod, minReadySeconds, nowMs) === 0).length,
    ...counted('currentReplicas', live.filter((pod) => revisionOf(pod) === settled).length),
    ...counted('updatedReplicas', updated.length),
    currentRevision: settled,
    updateRevision: update,
    collisionCount: 0,
  };
}
