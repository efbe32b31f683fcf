import { FixedName, ValidatingAdmissionPolicyBinding } from '@isthmus/api';
import type { Client } from '@isthmus/kube';
import { isAlreadyExists } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { installObjects, readManifest } from '@isthmus/testkit';

export const leader: string = FixedName.leaderNamespace;
export const member: string = FixedName.memberNamespace;
export const multicluster = '/apis/multicluster.crd.antrea.io';
export const inLeader = `${multicluster}/v1alpha1/namespaces/${leader}`;
export const clusterID = 'multicluster.antrea.io/cluster-id';
export const suspended = 'isthmus.dev/suspended';
const joinedAs = 'isthmus.dev/joined-as';

/** The accounts of the leader's Namespace: the cluster that each names, and more annotations. */
const accounts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'member-east': { [clusterID]: 'east', 'isthmus.dev/cluster-accounts': 'member-east' },
  'member-west': { [clusterID]: 'west' },
  'member-eu': { [clusterID]: 'east-eu' },
  'member-south': { [clusterID]: 'south', [suspended]: '99 MB in a minute' },
  unnamed: {},
};

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
const clusterSet = (name: string, namespace: string, more: object) => ({
  path: `${multicluster}/v1alpha2/namespaces/${namespace}/clustersets`,
  object: { metadata: { name, ...more }, spec: { leaders: [{ clusterID: 'north' }], namespace: leader } },
});
const leaderSet = (name: string) => {
  const { path, object } = clusterSet(name, leader, {});
  return { path, object: { ...object, spec: { ...object.spec, clusterID: 'north' } } };
};
const announcement = (cluster: string) => ({
  path: `${inLeader}/memberclusterannounces`,
  object: {
    metadata: { name: `member-announce-from-${cluster}` },
    clusterID: cluster,
    clusterSetID: 'fleet',
    leaderClusterID: 'north',
  },
});

/** What exists before the policies: some of it they would reject. */
const before = [
  ...[leader, 'shop'].map((name) => ({ path: '/api/v1/namespaces', object: { metadata: { name } } })),
  ...Object.entries(accounts).map(([name, annotations]) => ({
    path: `/api/v1/namespaces/${leader}/serviceaccounts`,
    object: { metadata: { name, annotations } },
  })),
  ...['member-east', 'gitops'].map((name) => ({
    path: '/api/v1/namespaces/shop/serviceaccounts',
    object: { metadata: { name } },
  })),
  { path: `/api/v1/namespaces/${leader}/secrets`, object: { metadata: { name: 'member-east' } } },
];

const after = [
  {
    path: `${rbac}/namespaces/${leader}/roles`,
    object: {
      metadata: { name: 'more' },
      rules: [{ apiGroups: [''], resources: ['events', 'serviceaccounts/token'], verbs: ['*'] }],
    },
  },
  ...[roleRef('Role', FixedName.memberRole), roleRef('Role', 'more')].map((ref) => ({
    path: `${rbac}/namespaces/${leader}/rolebindings`,
    object: {
      metadata: { name: `all-${ref.name}` },
      roleRef: ref,
      subjects: [
        ...Object.keys(accounts).map((name) => ({ kind: 'ServiceAccount', name, namespace: leader })),
        { kind: 'ServiceAccount', name: 'member-east', namespace: 'shop' },
      ],
    },
  })),
  {
    path: `${rbac}/clusterrolebindings`,
    object: {
      metadata: { name: 'gitops' },
      roleRef: roleRef('ClusterRole', 'cluster-admin'),
      subjects: [{ kind: 'ServiceAccount', name: 'gitops', namespace: 'shop' }],
    },
  },
];

const objects = [
  leaderSet('fleet'),
  leaderSet('other'),
  clusterSet('fleet', member, { annotations: { [joinedAs]: 'east' } }),
  announcement('west'),
  announcement('south'),
  ...['east', 'fleet'].map((value) => ({
    path: `${multicluster}/v1alpha2/namespaces/${member}/clusterclaims`,
    object: { metadata: { name: value === 'east' ? 'id.k8s.io' : 'clusterset.k8s.io' }, value },
  })),
  ...['cart', 'antrea-mc-cart'].map((name) => ({
    path: '/api/v1/namespaces/shop/services',
    object: {
      metadata: { name, labels: name === 'cart' ? {} : { 'app.kubernetes.io/managed-by': 'isthmus' } },
      spec: { ports: [{ name: 'http', port: 80 }] },
    },
  })),
];

const manifests = ['leader', 'leader-strict', 'member', 'agent'].map((name) => `deploy/${name}.yaml`);

/**
 * A server names one of the policies that reject a request, any of them. Warnings name them all:
 * each binding has a second one that warns.
 */
function withWarnings(object: KubernetesObject): readonly KubernetesObject[] {
  if (object.kind !== ValidatingAdmissionPolicyBinding.kind) return [object];
  const { spec, metadata } = object as ValidatingAdmissionPolicyBinding;
  const warns = { ...metadata, name: `${metadata.name}-warns` };
  return [object, { ...object, metadata: warns, spec: { ...spec, validationActions: ['Warn'] } } as KubernetesObject];
}

/**
 * A cluster that is leader and member, with the manifests as they are shipped, and the objects that
 * the requests are about. Returns the names of the policies.
 */
export async function buildPolicyWorld(admin: Client): Promise<readonly string[]> {
  const post = async ({ path, object }: { readonly path: string; readonly object: object }) => {
    const headers = { 'content-type': 'application/json' };
    const { apiVersion, kind } = typeOf(path);
    const body = JSON.stringify({ apiVersion, kind, ...object });
    await admin.request({ method: 'POST', path, headers, body }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  };
  for (const one of before) await post(one);
  const shipped = (await Promise.all(manifests.map((path) => readManifest(path)))).flat();
  const isPolicy = ({ kind = '' }: { readonly kind?: string | undefined }) =>
    kind.startsWith('ValidatingAdmissionPolicy');
  await installObjects(
    admin,
    shipped.filter((object) => !isPolicy(object) && object.kind !== 'DaemonSet'),
  );
  for (const one of [...after, ...objects]) await post(one);
  await installObjects(admin, shipped.filter(isPolicy).flatMap(withWarnings));
  return shipped.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy').map(({ metadata }) => metadata.name);
}

/** The type of the objects of a collection that a request needs to name. */
export function typeOf(path: string): { readonly apiVersion: string; readonly kind: string } {
  const [, root, ...parts] = path.split('/');
  const plural = parts.at(-1) ?? '';
  if (plural === 'token') return { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
  const apiVersion = root === 'api' ? (parts[0] ?? '') : parts.slice(0, 2).join('/');
  return { apiVersion, kind: kinds[plural] ?? '' };
}

const kinds: Readonly<Record<string, string>> = {
  namespaces: 'Namespace',
  serviceaccounts: 'ServiceAccount',
  secrets: 'Secret',
  services: 'Service',
  events: 'Event',
  leases: 'Lease',
  roles: 'Role',
  rolebindings: 'RoleBinding',
  clusterrolebindings: 'ClusterRoleBinding',
  clustersets: 'ClusterSet',
  clusterclaims: 'ClusterClaim',
  gateways: 'Gateway',
  knownclusters: 'KnownCluster',
  memberclusterannounces: 'MemberClusterAnnounce',
  resourceexports: 'ResourceExport',
};
