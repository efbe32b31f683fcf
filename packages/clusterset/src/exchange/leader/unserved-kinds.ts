import { ResourceExport } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { keyOfObject } from '@isthmus/machinery';
import type { ControllerAccess } from '../controller-access.ts';
import type { CommonArea } from '../common-area.ts';
import type { Exchange } from '../exchange.ts';
import { isHeld, release } from './release.ts';

/** What this controller may do. */
export const unservedKindsAccess: readonly ControllerAccess[] = [
  { at: 'local', type: ResourceExport, scope: 'own', verbs: ['get', 'list', 'watch', 'patch'] },
];

/**
 * Releases deleted ResourceExports of kinds that no exchange of this leader serves, so that a member that exports them can leave. Nothing was
 * published for them, so nothing has to be withdrawn.
 */
export function unservedKindsController(area: CommonArea, exchanges: readonly Exchange[]): Reconciler {
  const isServed = (object: ResourceExport) => exchanges.some(({ leader }) => leader.exportKeys(object).length > 0);
  return defineReconciler({
    name: 'unserved-kinds',
    sources: [from(area.exports.cache, (object) => (isServed(object) ? [] : [keyOfObject(object)]))],
    access: unservedKindsAccess,
    async reconcile(key, { signal }) {
      const object = area.exports.cache.getByKey(key);
      if (object !== undefined && isHeld(object)) await release(area, object, signal);
      return done;
    },
  });
}
