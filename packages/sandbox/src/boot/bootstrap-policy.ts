import { rfc3339 } from '@isthmus/machinery';
import { uid } from '../objects/created-metadata.ts';
import type { Core } from '../core/core.ts';
import policy from './bootstrap-policy.json' with { type: 'json' };

/**
 * Creates the roles and bindings that every cluster has from the start: who may discover,
 * `cluster-admin`, `admin`, `edit`, `view`.
 */
export function createBootstrapPolicy({ store, clock, random }: Core): void {
  const creationTimestamp = rfc3339(clock.now());
  for (const object of policy) {
    const metadata = { ...object.metadata, uid: uid(random), creationTimestamp };
    const storageKey = `rbac.authorization.k8s.io/${object.kind.toLowerCase()}s`;
    store.put(storageKey, { ...object, metadata });
  }
}
