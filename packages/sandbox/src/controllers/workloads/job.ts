import type { Reconciler, World } from '@isthmus/kube';
import { defineReconciler, done, from, isNamespaceTerminating } from '@isthmus/kube';
import { controllerOf, keyOf, keyOfObject, rfc3339 } from '@isthmus/machinery';
import { Job, Pod } from '../kinds.ts';
import type { SharedCaches } from '../shared-caches.ts';
import { Index } from '../shared-caches.ts';
import { referenceTo } from './claim.ts';
import { decideJob, isOver } from './decide-job.ts';
import { podFromTemplate } from './template.ts';

/**
 * Creates the Pods of Jobs, and counts those that have succeeded: a simulated Pod of a Job always
 * succeeds. Left out: failures and their limits, indexes, suspension of running Pods, adoption,
 * deletion after a time, the finalizer by which Pods are counted, and Events.
 */
export function jobController(caches: SharedCaches, { clock }: World): Reconciler {
  const jobs = caches.of(Job);
  const pods = caches.of(Pod);
  const jobOf = (pod: Pod): readonly string[] => {
    const owner = controllerOf(pod);
    const { namespace } = pod.metadata;
    return owner?.kind === 'Job' ? [keyOf({ namespace, name: owner.name })] : [];
  };
  return defineReconciler({
    name: 'job',
    sources: [from(jobs.cache, (job) => [keyOfObject(job)]), from(pods.cache, jobOf)],
    access: [
      { at: 'local', type: Job, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: Job, subresource: 'status', scope: 'all', verbs: ['patch'] },
      { at: 'local', type: Pod, scope: 'all', verbs: ['list', 'watch', 'create'] },
    ],
    async reconcile(key, { signal }) {
      const job = jobs.cache.getByKey(key);
      if (job?.spec === undefined || job.metadata.deletionTimestamp !== undefined || isOver(job)) return done;
      const owned = pods.cache.byIndex(Index.controller, job.metadata.uid ?? '');
      const { create, status } = decideJob(job, owned, rfc3339(clock.now()));
      const { name, namespace } = job.metadata;
      const ownerReferences = referenceTo({ type: Job, object: job });
      try {
        for (let count = 0; count < create; count++) {
          const metadata = { name: '', generateName: `${name}-`, namespace, ownerReferences };
          await pods.create(podFromTemplate(job.spec.template, metadata), signal);
        }
      } catch (error) {
        if (!isNamespaceTerminating(error)) throw error;
        return done;
      }
      await jobs.changeStatus(job, status, signal);
      return done;
    },
  });
}
