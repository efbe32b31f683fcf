import { ClusterRole, ClusterRoleBinding, FixedName } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import { agent } from '../roles/agent.ts';
import { controllerLabels, controllerNames } from '../roles/controller-names.ts';
import { dns } from '../roles/dns.ts';
import type { InstalledNames } from '../roles/role.ts';

/** The ClusterRole of those who may read metrics; one in a cluster. */
export function metricsReader(): ClusterRole {
  return {
    apiVersion: apiVersionOf(ClusterRole),
    kind: ClusterRole.kind,
    metadata: { name: FixedName.metricsReader, labels: controllerLabels },
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  };
}

/** What serves metrics, by the beginning of the name of its binding. None of them ends in what another one begins with, so that no two Namespaces give one name. */
const servers = {
  controller: { prefix: 'isthmus-metrics-auth', installedAs: controllerNames },
  agent: { prefix: 'isthmus-agent-metrics-auth', installedAs: agent.installedAs },
  dns: { prefix: 'isthmus-dns-metrics-auth', installedAs: dns.installedAs },
} satisfies Readonly<Record<string, { readonly prefix: string; readonly installedAs: InstalledNames }>>;

/**
 * What a process in `namespace` needs to ask the API server who may read its metrics: Kubernetes' own role for that. Apart from the rest, because it has no such right in the whole
 * cluster unless somebody wants to read metrics.
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
