import { ClusterRole, ClusterRoleBinding, FixedName } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import { agent } from '../roles/agent.ts';
import { controllerLabels, controllerNames } from '../roles/controller-names.ts';
import { dns } from '../roles/dns.ts';
import type { InstalledNames } from '../roles/role.ts';

/** The ClusterRole for readers of metrics; one in a cluster. */
export function metricsReader(): ClusterRole {
  return {
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: { name: FixedName.metricsReader, labels: controllerLabels },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  };
}

/**
 * The processes that serve metrics, by the beginning of the names of their bindings. No name ends
 * with the beginning of another one, so that two Namespaces never give one name.
 */
const servers = {
  controller: { prefix: 'isthmus-metrics-auth', installedAs: controllerNames },
  agent: { prefix: 'isthmus-agent-metrics-auth', installedAs: agent.installedAs },
  dns: { prefix: 'isthmus-dns-metrics-auth', installedAs: dns.installedAs },
} satisfies Readonly<Record<string, { readonly prefix: string; readonly installedAs: InstalledNames }>>;

/**
 * The binding of Kubernetes' own role to a process in `namespace`, which uses it to ask the API
 * server whether a client may read its metrics. It is separate from the rest: without it, the
 * process has no such right in the whole cluster, and needs it only for metrics.
 */
export function metricsReview(server: keyof typeof servers, namespace: string): ClusterRoleBinding {
  const { prefix, installedAs } = servers[server];
  return {
    apiVersion: apiVersionOf(ClusterRoleBinding),
    kind: ClusterRoleBinding.kind,
    metadata: { name: `${prefix}-${namespace}`, labels: installedAs.labels },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'system:auth-delegator' },
    subjects: [{ kind: 'ServiceAccount', name: installedAs.serviceAccount, namespace }],
  };
}
