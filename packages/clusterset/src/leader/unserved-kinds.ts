import { ResourceExport, isResourceExportFinalizer } from '@isthmus/api';
import type { Access, Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import type { CommonArea } from './common-area.ts';
import { mergeKeys } from '../exchanges/service/leader/read-export.ts';

/** What this controller may do. */
export const unservedKindsAccess: readonly Access[] = [
  { at: 'local', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
];

/**
 * Lets go of deleted ResourceExports of kinds that this leader does not serve (yet: ClusterInfo, LabelIdentity and replicated policies come
 * later), so that a member that exports them can leave. Nothing was imported from them, so nothing is to be undone.
 */
export function unservedKindsController(area: CommonArea): Reconciler {
  return defineReconciler({
    name: 'unserved-kinds',
    sources: [from(area.exports.cache, (object) => (mergeKeys(object).length === 0 ? [keyOfObject(object)] : []))],
    access: unservedKindsAccess,
    async reconcile(key, { signal }) {
      const object = area.exports.cache.getByKey(key);
      if (object === undefined || object.metadata.deletionTimestamp === undefined) return done;
      const finalizers = (object.metadata.finalizers ?? []).filter((name) => !isResourceExportFinalizer(name));
      await area.exports.change(object, { ...object, metadata: { ...object.metadata, finalizers } }, signal);
      return done;
    },
  });
}
