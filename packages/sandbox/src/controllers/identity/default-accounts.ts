import { ServiceAccount } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { Namespace } from '../kinds.ts';
import type { SharedCaches } from '../shared-caches.ts';

const accountName = 'default';

/** Keeps a ServiceAccount `default` in every Namespace that is not going. */
export function defaultAccountController(caches: SharedCaches): Reconciler {
  const namespaces = caches.of(Namespace);
  const accounts = caches.of(ServiceAccount);
  return defineReconciler({
    name: 'default-service-account',
    sources: [
      from(namespaces.cache, ({ metadata }) => [metadata.name]),
      from(accounts.cache, ({ metadata }) => (metadata.name === accountName ? [metadata.namespace ?? ''] : [])),
    ],
    access: [
      { at: 'local', type: Namespace, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: ServiceAccount, scope: 'all', verbs: ['list', 'watch', 'create'] },
    ],
    async reconcile(namespace, { signal }) {
      const found = namespaces.cache.getByKey(namespace);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return done;
      if (accounts.cache.get({ namespace, name: accountName }) !== undefined) return done;
      await accounts.create({ metadata: { name: accountName, namespace } }, signal);
      return done;
    },
  });
}
