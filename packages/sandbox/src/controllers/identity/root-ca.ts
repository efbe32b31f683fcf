import { ConfigMap } from '@isthmus/api';
import type { Reconciler } from '@isthmus/kube';
import { defineReconciler, done, from } from '@isthmus/kube';
import { equal } from '@isthmus/machinery';
import { Namespace } from '../kinds.ts';
import type { SharedCaches } from '../shared-caches.ts';

/** The ConfigMap with the authority's certificate, in every Namespace. */
export const rootCaName = 'kube-root-ca.crt';

/** The annotation that a real cluster puts there, word for word. */
const annotations = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
};

/**
 * Keeps the certificate of the authority (`caData`, PEM) in every Namespace, as `kube-root-ca.crt`.
 */
export function rootCaController(caches: SharedCaches, caData: string): Reconciler {
  const namespaces = caches.of(Namespace);
  const maps = caches.of(ConfigMap);
  const data = { 'ca.crt': caData };
  return defineReconciler({
    name: 'root-ca-publisher',
    sources: [
      from(namespaces.cache, ({ metadata }) => [metadata.name]),
      from(maps.cache, ({ metadata }) => (metadata.name === rootCaName ? [metadata.namespace ?? ''] : [])),
    ],
    access: [
      { at: 'local', type: Namespace, scope: 'all', verbs: ['list', 'watch'] },
      { at: 'local', type: ConfigMap, scope: 'all', verbs: ['list', 'watch', 'create', 'patch'] },
    ],
    async reconcile(namespace, { signal }) {
      const found = namespaces.cache.getByKey(namespace);
      if (found === undefined || found.metadata.deletionTimestamp !== undefined) return done;
      const current = maps.cache.get({ namespace, name: rootCaName });
      if (current === undefined)
        await maps.create({ metadata: { name: rootCaName, namespace, annotations }, data }, signal);
      else if (!equal(current.data, data)) await maps.change(current, { ...current, data }, signal);
      return done;
    },
  });
}
