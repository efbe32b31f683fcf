import type { CaseApi, Json, RequestOptions } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const authorization = '/apis/authorization.k8s.io/v1';

/** Authorization by RBAC, impersonation, escalation, and the reviews about them. */
export const access = contractArea('access', [
  {
    title: 'who has no rule may do nothing, and is told what was not allowed',
    async run(api) {
      const { namespace: ns } = api;
      await api.get(`/api/v1/namespaces/${ns}/pods`, bob);
      await api.get(`/api/v1/namespaces/${ns}/pods/x`, bob);
      await api.post(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'x' } }, bob);
      await api.delete(`/apis/apps/v1/namespaces/${ns}/deployments/x`, bob);
      await api.delete(`/apis/apps/v1/namespaces/${ns}/deployments`, bob);
      await api.get('/api/v1/nodes', bob);
      await api.get('/api/v1/namespaces', bob);
      await api.get(`/api/v1/namespaces/${ns}`, bob);
      await api.get(`/api/v1/namespaces/${ns}/pods/x/status`, bob);
      await api.get('/metrics', bob);
      await api.get(`/apis/example.org/v1/namespaces/${ns}/nothings`, bob);
    },
  },
  {
    title: 'a Role holds in its Namespace alone',
    async run(api) {
      await grant(api, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]);
      await api.get(maps(api), { ...bob, query: { fieldSelector: 'metadata.name=none' } });
      await api.get('/api/v1/namespaces/default/configmaps', bob);
      await api.get('/api/v1/configmaps', bob);
      await api.post(maps(api), { metadata: { name: 'x' } }, bob);
      await api.get(`/api/v1/namespaces/${api.namespace}/secrets`, bob);
    },
  },
  {
    title: 'a rule can name objects: a list is allowed where its field selector names one of them',
    async run(api) {
      await grant(api, [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'delete'], resourceNames: ['one'] },
      ]);
      await api.get(`${maps(api)}/one`, bob);
      await api.get(`${maps(api)}/two`, bob);
      await api.get(maps(api), bob);
      await api.get(maps(api), { ...bob, query: { fieldSelector: 'metadata.name=one' } });
      await api.get(maps(api), { ...bob, query: { fieldSelector: 'metadata.name=two' } });
      await api.get(maps(api), { ...bob, query: { fieldSelector: 'metadata.name!=one' } });
      await api.delete(`${maps(api)}/one`, bob);
    },
  },
  {
    title: 'a write that would create its object needs the right to create too',
    async run(api) {
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`;
      const verbs = ['get', 'update', 'patch'];
      await grant(api, [{ apiGroups: ['', 'coordination.k8s.io'], resources: ['configmaps', 'leases'], verbs }]);
      const query = { fieldManager: 'bob' };
      const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } };
      await api.patch(`${maps(api)}/made`, 'apply', made, { ...bob, query });
      await api.put(`${leases}/made`, { metadata: { name: 'made' } }, bob);
      await api.put(`${leases}/made`, { metadata: { name: 'made' }, spec: { leaseDurationSeconds: -1 } }, bob);
      await grant(
        api,
        [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'], resourceNames: ['made'] }],
        'c',
      );
      await api.patch(`${maps(api)}/made`, 'apply', made, { ...bob, query });
    },
  },
  {
    title: 'the name of an impersonated extra is unescaped, where it can be',
    async run(api) {
      for (const name of ['a%2Fb', '%zz', '%']) {
        const headers = { 'impersonate-user': 'bob', [`impersonate-extra-${name}`]: 'v' };
        await api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { headers });
      }
    },
  },
  {
    title: 'a subresource has rules of its own',
    async run(api) {
      await grant(api, [{ apiGroups: [''], resources: ['services/status'], verbs: ['*'] }]);
      const services = `/api/v1/namespaces/${api.namespace}/services`;
      await api.get(`${services}/x/status`, bob);
      await api.get(`${services}/x`, bob);
    },
  },
  {
    title: 'stars stand for every verb, group, resource and subresource',
    async run(api) {
      await grant(api, [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
      await api.get(`/apis/apps/v1/namespaces/${api.namespace}/deployments/x/scale`, bob);
      await api.get('/api/v1/nodes', bob);
    },
  },
  {
    title: 'a ServiceAccount is bound by its name and Namespace, and by its groups',
    async run(api) {
      const { namespace: ns } = api;
      await api.quietly.post(
        `${rbac}/namespaces/${ns}/roles`,
        role('r', [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }]),
      );
      await api.quietly.post(
        `${rbac}/namespaces/${ns}/rolebindings`,
        binding('b', 'Role', 'r', [{ kind: 'ServiceAccount', name: 'sa', namespace: ns }]),
      );
      const secretsRule = [{ apiGroups: [''], resources: ['secrets'], verbs: ['list'] }];
      await untilSeen(api, secretsRule, as(`system:serviceaccount:${ns}:sa`));
      await api.get(`/api/v1/namespaces/${ns}/secrets`, as(`system:serviceaccount:${ns}:sa`));
      await api.get(`/api/v1/namespaces/${ns}/secrets`, as(`system:serviceaccount:${ns}:other`));
      await api.quietly.post(
        `${rbac}/namespaces/${ns}/rolebindings`,
        binding('g', 'Role', 'r', [
          { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: `system:serviceaccounts:${ns}` },
        ]),
      );
      await untilSeen(api, secretsRule, as(`system:serviceaccount:${ns}:other`));
      await api.get(`/api/v1/namespaces/${ns}/secrets`, as(`system:serviceaccount:${ns}:other`));
    },
  },
  {
    title: 'a RoleBinding can give a ClusterRole in one Namespace',
    async run(api) {
      const { namespace: ns } = api;
      await api.quietly.post(`${rbac}/namespaces/${ns}/rolebindings`, binding('b', 'ClusterRole', 'view', bobs));
      await untilSeen(api, [{ apiGroups: [''], resources: ['services'], verbs: ['list'] }]);
      await api.get(`/api/v1/namespaces/${ns}/services`, bob);
      await api.get(`/api/v1/namespaces/${ns}/secrets`, bob);
      await api.get('/api/v1/services', bob);
    },
  },
  {
    title: 'a binding to a role that is not there gives nothing and says so',
    async run(api) {
      const { namespace: ns } = api;
      await api.quietly.post(`${rbac}/namespaces/${ns}/rolebindings`, binding('b', 'Role', 'missing', bobs));
      const services = `/api/v1/namespaces/${ns}/services`;
      const says = (text: string) => () =>
        api.quietly.get(services, bob).then(
          () => false,
          (error: Error) => error.message.includes(text),
        );
      await api.settled(says('missing'));
      await api.get(services, bob);
      await api.quietly.post(`${rbac}/namespaces/${ns}/rolebindings`, binding('c', 'ClusterRole', 'missing-too', bobs));
      await api.settled(says('missing-too'));
      const { status, body } = await api.unnoted.get(services, bob);
      // The real server names them in any order.
      const sorted = (names: string) => names.split(', ').toSorted().join(', ');
      const message = body.message.replace(/\[(.*)\]/, (_: string, names: string) => `[${sorted(names)}]`);
      api.note('both are missing', { status, message });
    },
  },
  {
    title: 'everybody who is authenticated may discover and ask what they may do',
    async run(api) {
      await api.post(`${authorization}/selfsubjectaccessreviews`, ask({ verb: 'get', resource: 'pods' }), bob);
      await api.get('/healthz', {
        headers: { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:unauthenticated' },
      });
      await api.get('/api', {
        headers: { 'impersonate-user': 'system:anonymous', 'impersonate-group': 'system:unauthenticated' },
      });
    },
  },
  {
    title: 'a SelfSubjectAccessReview answers for its sender',
    async run(api) {
      await grant(api, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
      const reviews = `${authorization}/selfsubjectaccessreviews`;
      await api.post(reviews, ask({ verb: 'get', resource: 'configmaps', namespace: api.namespace }), bob);
      await api.post(reviews, ask({ verb: 'list', resource: 'configmaps', namespace: api.namespace }), bob);
      await api.post(reviews, ask({ verb: 'get', resource: 'configmaps' }), bob);
      await api.post(reviews, { spec: { nonResourceAttributes: { verb: 'get', path: '/apis' } } }, bob);
      await api.post(reviews, { spec: { nonResourceAttributes: { verb: 'get', path: '/secret' } } }, bob);
      await api.post(reviews, ask({ verb: '*', resource: '*', group: '*' }));
    },
  },
  {
    title: 'an access review asks for exactly one thing',
    async run(api) {
      const reviews = `${authorization}/selfsubjectaccessreviews`;
      await api.post(reviews, { spec: {} });
      await api.post(reviews, {
        spec: { resourceAttributes: { verb: 'get' }, nonResourceAttributes: { verb: 'get', path: '/' } },
      });
      await api.post(`${authorization}/subjectaccessreviews`, ask({ verb: 'get', resource: 'pods' }));
    },
  },
  {
    title: 'a SubjectAccessReview answers for somebody else, with the reason',
    async run(api) {
      await grant(api, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
      const spec = { ...ask({ verb: 'get', resource: 'configmaps', namespace: api.namespace }).spec, user: 'bob' };
      await api.post(`${authorization}/subjectaccessreviews`, { spec });
      await api.post(`${authorization}/subjectaccessreviews`, { spec: { ...spec, user: 'eve', groups: ['g'] } });
      await api.post(`${authorization}/namespaces/${api.namespace}/localsubjectaccessreviews`, {
        metadata: { namespace: api.namespace },
        spec,
      });
      await api.post(`${authorization}/namespaces/default/localsubjectaccessreviews`, {
        metadata: { namespace: 'default' },
        spec,
      });
    },
  },
  {
    title: 'a SelfSubjectRulesReview lists the rules of its sender',
    async run(api) {
      await grant(api, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['x'] }]);
      const { body } = await api.quietly.post(
        `${authorization}/selfsubjectrulesreviews`,
        { spec: { namespace: api.namespace } },
        bob,
      );
      // The real server evaluates bindings in any order.
      const inOrder = (rules: readonly Json[]) =>
        rules.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      const { resourceRules, nonResourceRules, ...status } = body.status;
      api.note('the review of bob', {
        ...body,
        status: { ...status, resourceRules: inOrder(resourceRules), nonResourceRules: inOrder(nonResourceRules) },
      });
      await api.post(`${authorization}/selfsubjectrulesreviews`, { spec: {} }, bob);
    },
  },
  {
    title: 'a SelfSubjectReview says who its sender is',
    async run(api) {
      await api.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, bob);
      await api.post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        {},
        as(`system:serviceaccount:${api.namespace}:sa`),
      );
    },
  },
  {
    title: 'only who may impersonate does',
    async run(api) {
      await grant(api, [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]);
      // The administrator impersonates bob, who may impersonate no user. Repeated headers of one
      // name are joined with a comma here.
      await api.get(maps(api), { headers: { 'impersonate-group': 'g' } });
      await api.get(`${maps(api)}/x`, { headers: { 'impersonate-user': 'bob', 'impersonate-group': 'some-group' } });
    },
  },
  {
    title: 'nobody gives more than they have by a role',
    async run(api) {
      const { namespace: ns } = api;
      await grant(api, [
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['*'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
      ]);
      const roles = `${rbac}/namespaces/${ns}/roles`;
      await api.post(roles, role('ok', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]), bob);
      await api.post(
        roles,
        role('more', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'delete'] }]),
        bob,
      );
      await api.post(
        roles,
        role('other', [{ apiGroups: ['', 'apps'], resources: ['pods', 'deployments'], verbs: ['get'] }]),
        bob,
      );
      await api.patch(`${roles}/ok`, 'merge', { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }, bob);
      await api.patch(`${roles}/ok`, 'merge', { metadata: { labels: { a: 'b' } } }, bob);
    },
  },
  {
    title: 'nobody gives more than they have by a binding, unless they may bind the role',
    async run(api) {
      const { namespace: ns } = api;
      await grant(api, [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: ['create'] }]);
      const bindings = `${rbac}/namespaces/${ns}/rolebindings`;
      await api.quietly.post(
        `${rbac}/namespaces/${ns}/roles`,
        role('r', [{ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'get'] }]),
      );
      await api.post(bindings, binding('b', 'Role', 'r', bobs), bob);
      await api.post(bindings, binding('m', 'Role', 'missing', bobs), bob);
      await api.quietly.patch(`${rbac}/namespaces/${ns}/roles/granted`, 'merge', {
        rules: [
          { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: ['create'] },
          { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['bind'], resourceNames: ['r'] },
        ],
      });
      await untilSeen(api, [
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['bind'], resourceNames: ['r'] },
      ]);
      await api.post(bindings, binding('b', 'Role', 'r', bobs), bob);
    },
  },
]);

const bobs = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }];

function as(user: string): RequestOptions {
  return { headers: { 'impersonate-user': user } };
}

const bob = as('bob');

const maps = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/configmaps`;

function ask(resourceAttributes: object) {
  return { spec: { resourceAttributes } };
}

function role(name: string, rules: readonly object[]): object {
  return { metadata: { name }, rules };
}

function binding(name: string, kind: string, refersTo: string, subjects: readonly object[]): object {
  return { metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: refersTo }, subjects };
}

/** Gives bob these rules in the Namespace of the case, by a Role `granted`. */
async function grant(api: CaseApi, rules: readonly Rule[], name = 'granted'): Promise<void> {
  const at = `${rbac}/namespaces/${api.namespace}`;
  await api.quietly.post(`${at}/roles`, role(name, rules));
  await api.quietly.post(`${at}/rolebindings`, binding(name, 'Role', name, bobs));
  await untilSeen(api, rules);
}

/** The real server's authorizer sees roles and bindings a moment after they are written. */
async function untilSeen(api: CaseApi, rules: readonly Rule[], who = bob): Promise<void> {
  const [rule] = rules.slice(-1);
  const [resource = '', subresource = ''] = (rule?.resources[0] ?? '').split('/');
  const attributes = {
    namespace: api.namespace,
    verb: rule?.verbs[0],
    group: rule?.apiGroups[0],
    resource,
    subresource,
    name: rule?.resourceNames?.[0],
  };
  await api.settled(async () => {
    const { body } = await api.quietly.post(`${authorization}/selfsubjectaccessreviews`, ask(attributes), who);
    return body.status.allowed === true;
  });
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[] | undefined;
}
