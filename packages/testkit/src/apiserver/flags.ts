/** The processes of one cluster. */
export type Component = 'etcd' | 'kube-apiserver' | 'kube-controller-manager';

/**
 * Flags without their dashes. A later set overrides an earlier one: `{ ...defaults, ...wanted }`.
 */
export type Flags = Readonly<Record<string, string>>;

/**
 * Files of a cluster, relative to its directory, which is the working directory of its processes.
 */
export const files = {
  etcdSocket: 'etcd:0',
  caCertificate: 'ca.crt',
  servingCertificate: 'apiserver.crt',
  servingKey: 'apiserver.key',
  serviceAccountKey: 'sa.key',
  serviceAccountPublicKey: 'sa.pub',
  auditPolicy: 'audit-policy.yaml',
  auditLog: 'audit.log',
  /** The administrator's, for requests of kube-apiserver to kubelets. */
  adminCertificate: 'admin.crt',
  adminKey: 'admin.key',
  adminKubeconfig: 'admin.kubeconfig',
  controllerManagerKubeconfig: 'controller-manager.kubeconfig',
} as const;

/** One line per answered request, with user, verb, object and code, without bodies. */
export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`;

/**
 * The controllers of kube-controller-manager that a ClusterSet needs: ServiceAccounts, their token
 * Secrets and `kube-root-ca.crt`, removal of Namespaces and of owned objects, EndpointSlices, Pods
 * from Deployments, aggregated ClusterRoles.
 */
export const defaultControllers: readonly string[] = [
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'namespace-controller',
  'garbage-collector-controller',
  'endpointslice-controller',
  'deployment-controller',
  'replicaset-controller',
  'clusterrole-aggregation-controller',
];

/** Listens only on Unix sockets: another process cannot take a port first. */
export function etcdFlags(): Flags {
  return {
    name: 'default',
    'data-dir': 'etcd',
    'listen-client-urls': `unix://${files.etcdSocket}`,
    'advertise-client-urls': `unix://${files.etcdSocket}`,
    'listen-peer-urls': 'unix://etcd-peer:0',
    'initial-advertise-peer-urls': 'unix://etcd-peer:0',
    'initial-cluster': 'default=unix://etcd-peer:0',
    'unsafe-no-fsync': 'true',
    'log-level': 'warn',
  };
}

/**
 * With an audit log. Without admission by ServiceAccount if no controller creates ServiceAccounts,
 * because otherwise no Pod could be created.
 */
export function apiServerFlags(input: {
  readonly port: number;
  readonly serviceCIDR: string;
  readonly controllerManager: boolean;
}): Flags {
  return {
    'etcd-servers': `unix://${files.etcdSocket}`,
    'bind-address': '127.0.0.1',
    'secure-port': String(input.port),
    'advertise-address': '127.0.0.1',
    'endpoint-reconciler-type': 'none',
    'service-cluster-ip-range': input.serviceCIDR,
    'authorization-mode': 'RBAC',
    'client-ca-file': files.caCertificate,
    'tls-cert-file': files.servingCertificate,
    'tls-private-key-file': files.servingKey,
    'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
    'service-account-signing-key-file': files.serviceAccountKey,
    'service-account-key-file': files.serviceAccountPublicKey,
    'audit-policy-file': files.auditPolicy,
    'audit-log-path': files.auditLog,
    ...(input.controllerManager ? {} : { 'disable-admission-plugins': 'ServiceAccount' }),
  };
}

/** Without the root CA file and the ServiceAccount key, token Secrets would stay empty. */
export function controllerManagerFlags(controllers: readonly string[]): Flags {
  return {
    kubeconfig: files.controllerManagerKubeconfig,
    controllers: controllers.join(','),
    'leader-elect': 'false',
    'root-ca-file': files.caCertificate,
    'service-account-private-key-file': files.serviceAccountKey,
    'use-service-account-credentials': 'true',
    'secure-port': '0',
  };
}

/** The command-line arguments of a set of flags. */
export function renderFlags(flags: Flags): readonly string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
