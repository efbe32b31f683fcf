import { readFileSync } from 'node:fs';
import { blocksOf } from '../pages/blocks.ts';

interface ClusterDnsOptions {
  readonly namespace: string;
  /** Where kubelets send the queries of Pods. */
  readonly clusterIP: string;
  /** The ClusterIP of `isthmus dns`. */
  readonly forwardTo: string;
}

/**
 * CoreDNS as a cluster has it, with the block for `clusterset.local` of docs/guides/dns.md. Its
 * image is `localhost/isthmus-coredns:1`.
 */
export function clusterDns({ namespace, clusterIP, forwardTo }: ClusterDnsOptions): readonly object[] {
  const name = 'coredns';
  const labels = { 'k8s-app': 'kube-dns' };
  const Corefile = `.:53 {
    errors
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
    }
    cache 30
    loadbalance
}
${forwardingBlock(forwardTo)}`;
  const rule = (group: string, ...resources: readonly string[]) => ({
    apiGroups: [group],
    resources,
    verbs: ['list', 'watch'],
  });
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'system:coredns' },
      rules: [rule('', 'services', 'namespaces', 'endpoints', 'pods'), rule('discovery.k8s.io', 'endpointslices')],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'system:coredns' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:coredns' },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { Corefile } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace, labels },
      spec: {
        clusterIP,
        selector: labels,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        ],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: name,
            dnsPolicy: 'Default',
            containers: [
              {
                name,
                image: 'localhost/isthmus-coredns:1',
                // For port 53.
                securityContext: { runAsUser: 0, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } },
                args: ['-conf', '/etc/coredns/Corefile'],
                volumeMounts: [{ name: 'config', mountPath: '/etc/coredns', readOnly: true }],
                readinessProbe: { httpGet: { path: '/ready', port: 8181 }, timeoutSeconds: 30, periodSeconds: 1 },
              },
            ],
            volumes: [{ name: 'config', configMap: { name } }],
          },
        },
      },
    },
  ];
}

/**
 * The block that "Forward from CoreDNS" of docs/guides/dns.md adds to the Corefile. Errors: the
 * guide does not have it.
 */
function forwardingBlock(forwardTo: string): string {
  const guide = readFileSync(new URL('../../docs/guides/dns.md', import.meta.url), 'utf8');
  const block = blocksOf(guide).find(({ heading, info }) => heading === 'Forward from CoreDNS' && info === 'text');
  if (block === undefined) throw new Error('docs/guides/dns.md has no block for CoreDNS');
  return block.text.replace('DNS-SERVICE-IP', forwardTo);
}
