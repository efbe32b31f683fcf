import type { CaseApi, Json, RequestOptions } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

const group = 'rbac.authorization.k8s.io';
const rbac = `/apis/${group}/v1`;
const authorization = '/apis/authorization.k8s.io/v1';

/**
 * Prevention of privilege escalation. Bob may write the RBAC objects of his Namespace, and read
 * ConfigMaps.
 */
export const escalation = contractArea('escalation', [
  {
    title: 'who may escalate writes any rule',
    async run(api) {
      await grant(api, [
        rule('configmaps', ['get']),
        write('roles'),
        { ...write('roles'), verbs: ['escalate'], resourceNames: ['r'] },
      ]);
      await api.post(roles(api), role('r', [rule('secrets', ['*'])]), bob);
      await api.patch(`${roles(api)}/granted`, 'merge', { rules: [rule('secrets', ['*'])] }, bob);
      await api.quietly.post(roles(api), role('r', []));
      await api.patch(`${roles(api)}/r`, 'merge', { rules: [rule('secrets', ['*'])] }, bob);
      await api.patch(`${roles(api)}/r`, 'merge', { rules: [rule('*', ['*'])] }, bob);
    },
  },
  {
    title: 'a refusal names the roles of bindings that are not there',
    async run(api) {
      await grant(api, [write('roles')]);
      const subjects = [{ kind: 'User', apiGroup: group, name: 'bob' }];
      await api.quietly.post(bindings(api), { ...binding('dangling', 'gone'), subjects });
      await api.quietly.post(bindings(api), { ...binding('other', 'gone-too', 'ClusterRole'), subjects });
      await api.pass(300);
      await api.post(roles(api), role('r', [rule('secrets', ['get'])]), bob);
    },
  },
  {
    title: 'a rule is covered by several that one has, and by stars',
    async run(api) {
      await grant(api, [
        rule('configmaps', ['get', 'list']),
        rule('configmaps', ['watch']),
        { apiGroups: ['apps'], resources: ['*'], verbs: ['get'] },
        write('roles'),
      ]);
      const post = (name: string, ...rules: readonly object[]) => api.post(roles(api), role(name, rules), bob);
      await post('both', rule('configmaps', ['get', 'list', 'watch']));
      await post('named', { ...rule('configmaps', ['get']), resourceNames: ['a', 'b'] });
      await post('group', { apiGroups: ['apps'], resources: ['deployments', 'deployments/status'], verbs: ['get'] });
      await post('star', { apiGroups: ['apps'], resources: ['*'], verbs: ['get'] });
      await post('stars', { apiGroups: ['apps'], resources: ['*'], verbs: ['*'] });
      await post('sub', rule('configmaps/status', ['get']));
      await post('any', rule('*/status', ['get']));
    },
  },
  {
    title: 'what one has for one name is not had for all',
    async run(api) {
      await grant(api, [{ ...rule('configmaps', ['get']), resourceNames: ['a'] }, write('roles')]);
      await api.post(roles(api), role('all', [rule('configmaps', ['get'])]), bob);
      await api.post(roles(api), role('one', [{ ...rule('configmaps', ['get']), resourceNames: ['a'] }]), bob);
      await api.post(roles(api), role('two', [{ ...rule('configmaps', ['get']), resourceNames: ['a', 'b'] }]), bob);
    },
  },
  {
    title: 'a role that is replaced or applied is judged as one that is made',
    async run(api) {
      await grant(api, [rule('configmaps', ['get']), write('roles')]);
      await api.quietly.post(roles(api), role('r', [rule('configmaps', ['get'])]));
      await api.put(`${roles(api)}/r`, role('r', [rule('secrets', ['get'])]), bob);
      await api.put(`${roles(api)}/new`, role('new', [rule('secrets', ['get'])]), bob);
      const body = { apiVersion: `${group}/v1`, kind: 'Role', ...role('r', [rule('secrets', ['get'])]) };
      await api.patch(`${roles(api)}/r`, 'apply', body, { ...bob, query: { fieldManager: 'me', force: 'true' } });
      await api.patch(`${roles(api)}/r`, 'json', [{ op: 'add', path: '/rules/0/verbs/-', value: 'list' }], bob);
      await api.post(roles(api), role('dry', [rule('secrets', ['get'])]), { ...bob, query: { dryRun: 'All' } });
    },
  },
  {
    title: 'a role that takes away is not judged, nor one that stays as it is',
    async run(api) {
      await grant(api, [rule('configmaps', ['get']), write('roles')]);
      await api.quietly.post(roles(api), role('r', [rule('secrets', ['get', 'list'])]));
      await api.patch(`${roles(api)}/r`, 'merge', { metadata: { annotations: { a: 'b' } } }, bob);
      await api.patch(`${roles(api)}/r`, 'merge', { rules: [rule('secrets', ['get'])] }, bob);
      await api.patch(`${roles(api)}/r`, 'merge', { rules: [] }, bob);
    },
  },
  {
    title: 'the subjects of a binding are given by who has what it gives',
    async run(api) {
      await grant(api, [rule('configmaps', ['get']), write('rolebindings')]);
      await api.quietly.post(roles(api), role('r', [rule('secrets', ['get'])]));
      await api.quietly.post(bindings(api), binding('b', 'r'));
      const eve = { kind: 'User', apiGroup: group, name: 'eve' };
      await api.patch(`${bindings(api)}/b`, 'merge', { subjects: [eve] }, bob);
      await api.patch(`${bindings(api)}/b`, 'merge', { metadata: { labels: { a: 'b' } } }, bob);
      await api.post(bindings(api), binding('own', 'granted'), bob);
      await api.delete(`${bindings(api)}/b`, bob);
    },
  },
  {
    title: 'a ClusterRole is bound in a Namespace by who has its rules there',
    async run(api) {
      await grant(api, [rule('configmaps', ['get']), write('rolebindings')]);
      const name = `${api.namespace}-r`;
      await api.quietly.post(`${rbac}/clusterroles`, role(name, [rule('configmaps', ['get'])]));
      await api.post(bindings(api), binding('b', name, 'ClusterRole'), bob);
      await api.quietly.patch(`${rbac}/clusterroles/${name}`, 'merge', { rules: [rule('nodes', ['get'])] });
      await api.settled(async () => {
        const { body } = await api.quietly.get(`${rbac}/clusterroles/${name}`);
        return body.rules[0].resources[0] === 'nodes';
      });
      await api.pass(300);
      await api.post(bindings(api), binding('c', name, 'ClusterRole'), bob);
      await api.quietly.delete(`${rbac}/clusterroles/${name}`);
    },
  },
  {
    title: 'the roles that a cluster has from the start can be bound',
    async run(api) {
      const name = `${api.namespace}-d`;
      const clerk = await bindEverywhere(api, name, 'system:auth-delegator');
      await allowed(api, { verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews' }, clerk);
      const reader = `${rbac}/namespaces/kube-system/roles/extension-apiserver-authentication-reader`;
      for (const path of [`${rbac}/clusterroles/system:auth-delegator`, reader]) {
        const { body } = await api.quietly.get(path);
        api.note(`the rules of ${body.metadata.name}`, body.rules);
      }
      const { body } = await api.quietly.get(`${rbac}/clusterroles`, { query: { labelSelector: bootstrapped } });
      api.note(
        'the roles of every cluster',
        body.items.map((one: Json) => [one.metadata.name, one.rules?.length]),
      );
      await api.quietly.delete(`${rbac}/clusterrolebindings/${name}`);
    },
  },
  {
    title: 'a rule about paths is had or not',
    async run(api) {
      const name = `${api.namespace}-p`;
      const paths = (...nonResourceURLs: readonly string[]) => ({ nonResourceURLs, verbs: ['get'] });
      await api.quietly.post(
        `${rbac}/clusterroles`,
        role(name, [paths('/logs/*', '/metrics'), { ...write('clusterroles'), verbs: ['create'] }]),
      );
      const clerk = await bindEverywhere(api, name, name);
      await allowed(api, { verb: 'create', group, resource: 'clusterroles' }, clerk);
      const post = (...rules: readonly object[]) =>
        api.post(`${rbac}/clusterroles`, role(`${name}-2`, rules), { ...clerk, query: { dryRun: 'All' } });
      await post(paths('/metrics'));
      await post(paths('/logs/a', '/logs/b/*'));
      await post(paths('/logs', '/x'));
      await post({ nonResourceURLs: ['/metrics'], verbs: ['*'] });
      await api.quietly.delete(`${rbac}/clusterrolebindings/${name}`);
      await api.quietly.delete(`${rbac}/clusterroles/${name}`);
    },
  },
  {
    title: 'what an aggregated role collects needs the star of everything',
    async run(api) {
      const name = `${api.namespace}-a`;
      await api.quietly.post(`${rbac}/clusterroles`, role(name, [{ ...write('clusterroles'), verbs: ['create'] }]));
      const clerk = await bindEverywhere(api, name, name);
      await allowed(api, { verb: 'create', group, resource: 'clusterroles' }, clerk);
      const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
      await api.post(
        `${rbac}/clusterroles`,
        { ...role(`${name}-2`, []), aggregationRule },
        { ...clerk, query: { dryRun: 'All' } },
      );
      await api.post(`${rbac}/clusterroles`, role(`${name}-2`, []), { ...clerk, query: { dryRun: 'All' } });
      await api.quietly.delete(`${rbac}/clusterrolebindings/${name}`);
      await api.quietly.delete(`${rbac}/clusterroles/${name}`);
    },
  },
]);

const roles = ({ namespace }: CaseApi) => `${rbac}/namespaces/${namespace}/roles`;
const bindings = ({ namespace }: CaseApi) => `${rbac}/namespaces/${namespace}/rolebindings`;
const bootstrapped = 'kubernetes.io/bootstrapping=rbac-defaults';
const bob: RequestOptions = { headers: { 'impersonate-user': 'bob' } };
const bobs = [{ kind: 'User', apiGroup: group, name: 'bob' }];

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
}

const rule = (resource: string, verbs: readonly string[]): Rule => ({ apiGroups: [''], resources: [resource], verbs });
const write = (resource: string): Rule => ({
  apiGroups: [group],
  resources: [resource],
  verbs: ['create', 'update', 'patch', 'delete'],
});
const role = (name: string, rules: readonly object[]) => ({ metadata: { name }, rules });

function binding(name: string, to: string, kind = 'Role', subjects: readonly object[] = bobs): object {
  return { metadata: { name }, roleRef: { apiGroup: group, kind, name: to }, subjects };
}

/**
 * Grants the rules of a ClusterRole in the whole cluster to a user of this case alone. Other cases
 * run on the same server: a grant to bob in all Namespaces would apply in theirs.
 */
async function bindEverywhere(api: CaseApi, name: string, to: string): Promise<RequestOptions> {
  const user = `${api.namespace}-clerk`;
  const subjects = [{ kind: 'User', apiGroup: group, name: user }];
  await api.quietly.post(`${rbac}/clusterrolebindings`, binding(name, to, 'ClusterRole', subjects));
  return { headers: { 'impersonate-user': user } };
}

/** Gives bob these rules in the Namespace of the case, by a Role `granted`. */
async function grant(api: CaseApi, rules: readonly Rule[]): Promise<void> {
  await api.quietly.post(roles(api), role('granted', rules));
  await api.quietly.post(bindings(api), binding('granted', 'granted'));
  const [last] = rules.slice(-1);
  await allowed(api, {
    namespace: api.namespace,
    verb: last?.verbs[0],
    group: last?.apiGroups[0],
    resource: last?.resources[0],
    name: last?.resourceNames?.[0],
  });
}

/** The real server's authorizer sees roles and bindings a moment after they are written. */
function allowed(api: CaseApi, resourceAttributes: object, user = bob): Promise<void> {
  return api.settled(async () => {
    const { body } = await api.quietly.post(
      `${authorization}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes } },
      user,
    );
    return body.status.allowed === true;
  });
}
