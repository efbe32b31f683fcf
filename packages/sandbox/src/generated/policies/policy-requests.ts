import type { ApiRequest } from '@isthmus/kube';
import fc from 'fast-check';
import { clusterID, inLeader, leader, member, multicluster, suspended, typeOf } from './policy-world.ts';

/** A request to a cluster with our policies. */
export interface PolicyRequest {
  readonly as: Sender;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Absent for DELETE. */
  readonly body?: object;
}

const account = (namespace: string, name: string) => ({ user: `system:serviceaccount:${namespace}:${name}` });

/** The senders: an administrator, controllers, accounts of members and of others. */
const senders = {
  admin: { user: 'admin', group: 'system:masters' },
  controller: account(leader, 'antrea-mc-controller'),
  'member-controller': account(member, 'antrea-mc-controller'),
  east: account(leader, 'member-east'),
  west: account(leader, 'member-west'),
  south: account(leader, 'member-south'),
  unnamed: account(leader, 'unnamed'),
  elsewhere: account('shop', 'member-east'),
  gitops: account('shop', 'gitops'),
  agent: { ...account(member, 'isthmus-agent'), node: 'n1' },
} as const;
type Sender = keyof typeof senders;

/** The request as it is sent: for its sender, as a dry run. */
export function sentAs({ as, method, path, body }: PolicyRequest): ApiRequest {
  const { user, group, node } = senders[as] as {
    readonly user: string;
    readonly group?: string;
    readonly node?: string;
  };
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return {
    method,
    path,
    query: { dryRun: 'All' },
    headers: {
      'content-type': type,
      'impersonate-user': user,
      ...(group !== undefined && { 'impersonate-group': group }),
      ...(node !== undefined && { 'impersonate-extra-authentication.kubernetes.io%2fnode-name': node }),
    },
    ...(body !== undefined && { body: JSON.stringify(method === 'POST' ? { ...typeOf(path), ...body } : body) }),
  };
}

const post = (as: Sender, path: string, body: object): PolicyRequest => ({ as, method: 'POST', path, body });
const patch = (as: Sender, path: string, body: object): PolicyRequest => ({ as, method: 'PATCH', path, body });
const remove = (as: Sender, path: string): PolicyRequest => ({ as, method: 'DELETE', path });

const finalizers = ['resourceexport.antrea.io/finalizer'];
const exported = (cluster: string, { name = 'cart', namespace = 'shop', suffix = 'service', ...metadata } = {}) => ({
  metadata: {
    name: `${cluster}-${namespace}-${name}-${suffix}`,
    finalizers,
    labels: { sourceClusterID: cluster, sourceKind: 'Service', sourceName: name, sourceNamespace: namespace },
    ...metadata,
  },
  spec: { clusterID: cluster, kind: 'Service', namespace, name, service: { serviceSpec: {} } },
});
const policyExport = {
  metadata: { name: 'strict', finalizers },
  spec: { kind: 'AntreaClusterNetworkPolicy', name: 'strict', clusterNetworkPolicy: { priority: 1 } },
};
const announced = (cluster: string, more: object = {}, metadata: object = {}) => ({
  metadata: { name: `member-announce-from-${cluster}`, ...metadata },
  clusterID: cluster,
  clusterSetID: 'fleet',
  leaderClusterID: 'north',
  ...more,
});
const event = (kind: string, name: string) => ({
  metadata: { name: 'e' },
  involvedObject: { kind, name, namespace: leader },
  reason: 'r',
  message: 'm',
  type: 'Normal',
});
const token = (boundTo: string) => ({
  spec: {
    audiences: ['x'],
    expirationSeconds: 3600,
    boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: boundTo },
  },
});
const service = (name: string) => ({
  metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'isthmus' } },
  spec: { ports: [{ name: 'http', port: 80 }] },
});
const annotated = (annotations: object) => ({ metadata: { annotations } });
const setOf = (namespace: string, name = 'fleet') =>
  `${multicluster}/v1alpha2/namespaces/${namespace}/clustersets/${name}`;

const exports = `${inLeader}/resourceexports`;
const announces = `${inLeader}/memberclusterannounces`;
const accounts = `/api/v1/namespaces/${leader}/serviceaccounts`;
const events = `/api/v1/namespaces/${leader}/events`;
const leases = `/apis/coordination.k8s.io/v1/namespaces/${member}/leases`;
const services = '/api/v1/namespaces/shop/services';
const claims = (namespace: string) => `${multicluster}/v1alpha2/namespaces/${namespace}/clusterclaims`;
const known = `/apis/isthmus.dev/v1alpha1/namespaces/${leader}/knownclusters`;
const gateways = `${multicluster}/v1alpha1/namespaces/${member}/gateways`;
const sets = (namespace: string) => `${multicluster}/v1alpha2/namespaces/${namespace}/clustersets`;

/** Of each rule a request that it accepts and one that it rejects. */
export const requestsOfRules: Readonly<
  Record<string, { readonly accepted: PolicyRequest; readonly refused: PolicyRequest }>
> = {
  'policy-exports': {
    accepted: post('gitops', exports, policyExport),
    refused: post('unnamed', exports, policyExport),
  },
  'own-exports': {
    accepted: post('east', exports, exported('east')),
    refused: post('east', exports, exported('east', { suffix: 'wrong' })),
  },
  'export-names': {
    accepted: post('east', exports, exported('east', { namespace: 'us' })),
    refused: post('east', exports, exported('east', { namespace: 'eu', name: 'shop' })),
  },
  'cluster-id-pairs': {
    accepted: post('admin', accounts, { metadata: { name: 'a', annotations: { [clusterID]: 'central' } } }),
    refused: post('admin', accounts, { metadata: { name: 'a', annotations: { [clusterID]: 'west-2' } } }),
  },
  'own-announcement': {
    accepted: post('east', announces, announced('east')),
    refused: post('west', announces, announced('free')),
  },
  'bound-clusters': {
    accepted: post('east', announces, announced('east')),
    refused: post('unnamed', announces, announced('east')),
  },
  'announced-leader': {
    accepted: post('east', announces, announced('east')),
    refused: post('east', announces, announced('east', { leaderClusterID: 'wrong' })),
  },
  'announced-by': {
    accepted: post(
      'east',
      announces,
      announced('east', {}, annotated({ 'isthmus.dev/announced-by': `${senders.east.user} uid` }).metadata),
    ),
    refused: post('east', announces, announced('east', {}, annotated({ 'isthmus.dev/announced-by': 'x y' }).metadata)),
  },
  'account-bindings': {
    accepted: patch('controller', `${accounts}/unnamed`, annotated({ [suspended]: 'busy' })),
    refused: patch('controller', `${accounts}/unnamed`, { metadata: { labels: { a: 'b' } } }),
  },
  'strict-bindings': {
    accepted: patch('controller', `${accounts}/unnamed`, annotated({ [suspended]: 'busy' })),
    refused: patch('controller', `${accounts}/unnamed`, annotated({ [clusterID]: 'free' })),
  },
  'strict-identity': {
    accepted: post('east', announces, announced('east')),
    refused: post('unnamed', announces, announced('free')),
  },
  'members-elsewhere': {
    accepted: post('gitops', announces, announced('free')),
    refused: post('elsewhere', announces, announced('free')),
  },
  'member-metadata': {
    accepted: post('east', exports, exported('east')),
    refused: post('east', announces, announced('east', {}, { finalizers: ['example.com/x'] })),
  },
  'member-sizes': {
    accepted: post('east', announces, announced('east')),
    refused: post('east', announces, announced('east', {}, annotated({ text: 'x'.repeat(70_000) }).metadata)),
  },
  'member-events': {
    accepted: post('east', events, event('MemberClusterAnnounce', 'member-announce-from-east')),
    refused: post('east', events, event('Pod', 'x')),
  },
  'member-tokens': {
    accepted: post('east', `${accounts}/member-east/token`, token('member-east')),
    refused: post('east', `${accounts}/member-east/token`, token('other')),
  },
  'suspended-members': {
    accepted: patch('gitops', `${announces}/member-announce-from-south`, annotated({ a: 'b' })),
    refused: patch('south', `${announces}/member-announce-from-south`, annotated({ a: 'b' })),
  },
  'one-cluster-set': {
    accepted: post('admin', sets(member), { metadata: { name: 'fleet' }, spec: { leaders: [{ clusterID: 'north' }] } }),
    refused: post('admin', sets(leader), { metadata: { name: 'third' }, spec: { leaders: [{ clusterID: 'north' }] } }),
  },
  'leader-ids': {
    accepted: patch('admin', setOf(leader), annotated({ a: 'b' })),
    refused: patch('admin', setOf(leader), { spec: { clusterID: 'west' } }),
  },
  'leader-in-use': {
    accepted: remove('admin', setOf(leader, 'other')),
    refused: remove('admin', setOf(leader)),
  },
  'member-ids': {
    accepted: patch('admin', setOf(member), annotated({ a: 'b' })),
    refused: patch('admin', setOf(member), { spec: { leaders: [{ clusterID: 'west' }] } }),
  },
  'known-clusters': {
    accepted: post('controller', known, {
      metadata: { name: 'east' },
      spec: { clusterID: 'east', origin: 'Observed' },
    }),
    refused: post('controller', known, { metadata: { name: 'east' }, spec: { clusterID: 'east', origin: 'Granted' } }),
  },
  'cluster-claims': {
    accepted: post('admin', claims(leader), { metadata: { name: 'id.k8s.io' }, value: 'north' }),
    refused: post('admin', claims(leader), { metadata: { name: 'east' }, value: 'north' }),
  },
  'claims-in-use': {
    accepted: remove('admin', `${claims(member)}/id.k8s.io`),
    refused: remove('admin', `${claims(member)}/clusterset.k8s.io`),
  },
  gateways: {
    accepted: post('member-controller', gateways, { metadata: { name: 'n1' }, gatewayIP: '192.0.2.1' }),
    refused: post('gitops', gateways, { metadata: { name: 'n1' }, gatewayIP: '192.0.2.1' }),
  },
  'own-objects': {
    accepted: post('member-controller', services, service('antrea-mc-web')),
    refused: remove('member-controller', `${services}/cart`),
  },
  'agent-leases': {
    accepted: post('agent', leases, { metadata: { name: 'isthmus-gateway-n1' }, spec: {} }),
    refused: post('agent', leases, { metadata: { name: 'isthmus-gateway-n2' }, spec: {} }),
  },
};

const replacements = [
  ['east', 'west'],
  ['east', 'south'],
  ['west', 'east'],
  ['free', 'east'],
  ['north', 'south'],
  ['shop', 'eu'],
  ['cart', 'antrea-mc-cart'],
  ['n2', 'n1'],
  ['Service', 'Endpoints'],
  ['finalizer', 'other'],
  ['Observed', 'Granted'],
] as const;

const templates = Object.values(requestsOfRules).flatMap(({ accepted, refused }) => [accepted, refused]);

/** Requests of rules, by other senders and with other texts. */
const generated = fc
  .record({
    template: fc.constantFrom(...templates.filter(({ body }) => JSON.stringify(body ?? '').length < 10_000)),
    as: fc.option(fc.constantFrom(...(Object.keys(senders) as readonly Sender[])), { freq: 1 }),
    replaced: fc.subarray([...replacements], { maxLength: 2 }),
  })
  .map(({ template, as, replaced }): PolicyRequest => {
    const { as: sender, ...rest } = template;
    const { path, ...fields } = rest;
    // The path stays as it is.
    const changed = replaced.reduce((text, [from, to]) => text.replaceAll(from, to), JSON.stringify(fields));
    return { ...(JSON.parse(changed) as typeof fields), path, as: as ?? sender };
  });

/** 200 requests, the same in every run. */
export const generatedRequests: readonly PolicyRequest[] = fc.sample(generated, { seed: 20_261_121, numRuns: 200 });
