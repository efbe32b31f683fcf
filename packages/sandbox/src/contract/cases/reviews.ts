import type { Answer, CaseApi, Json, RequestOptions } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

const authorization = '/apis/authorization.k8s.io/v1';
const authentication = '/apis/authentication.k8s.io/v1';
const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Reviews of tokens, access and rules, and their form. */
export const reviews = contractArea('reviews', [
  {
    title: 'the rules of who has none are those of everybody who is authenticated',
    run: async (api) => noteRules(api, as('nobody-at-all')),
  },
  {
    title: 'the rules of a ServiceAccount are those of its groups and its own',
    async run(api) {
      const name = `${api.namespace}-r`;
      await api.quietly.post(`${rbac}/clusterroles`, {
        metadata: { name },
        rules: [rule('pods', ['get', 'list']), { nonResourceURLs: ['/metrics'], verbs: ['get'] }],
      });
      const group = {
        kind: 'Group',
        apiGroup: 'rbac.authorization.k8s.io',
        name: `system:serviceaccounts:${api.namespace}`,
      };
      await api.quietly.post(`${rbac}/clusterrolebindings`, bindingTo(name, [group]));
      const account = as(`system:serviceaccount:${api.namespace}:sa`);
      await allowed(api, { verb: 'list', resource: 'pods', namespace: 'default' }, account);
      await noteRules(api, account);
      await noteRules(api, account, 'default');
      for (const plural of ['clusterrolebindings', 'clusterroles'])
        await api.quietly.delete(`${rbac}/${plural}/${name}`);
    },
  },
  {
    title: 'a rule that several bindings give is listed for each',
    async run(api) {
      const roles = `${rbac}/namespaces/${api.namespace}`;
      await api.quietly.post(`${roles}/roles`, { metadata: { name: 'r' }, rules: [rule('secrets', ['get'])] });
      for (const name of ['a', 'b'])
        await api.quietly.post(`${roles}/rolebindings`, bindingTo('r', bobs, { name, kind: 'Role' }));
      await allowed(api, { verb: 'get', resource: 'secrets', namespace: api.namespace }, bob);
      await api.pass(500);
      await noteRules(api, bob);
    },
  },
  {
    title: 'a binding to a role that is not there leaves the rules incomplete, and says so',
    async run(api) {
      const roles = `${rbac}/namespaces/${api.namespace}`;
      await api.quietly.post(`${roles}/rolebindings`, bindingTo('missing', bobs, { name: 'a', kind: 'Role' }));
      await api.quietly.post(`${roles}/roles`, { metadata: { name: 'r' }, rules: [rule('secrets', ['get'])] });
      await api.quietly.post(`${roles}/rolebindings`, bindingTo('r', bobs, { name: 'b', kind: 'Role' }));
      await allowed(api, { verb: 'get', resource: 'secrets', namespace: api.namespace }, bob);
      await noteRules(api, bob);
    },
  },
  {
    title: 'who may do everything is told so in two rules',
    run: async (api) => noteRules(api, {}),
  },
  {
    title: 'a review is only made: it cannot be read, listed, watched, changed or deleted',
    async run(api) {
      for (const one of [`${authentication}/tokenreviews`, `${authorization}/selfsubjectrulesreviews`]) {
        await api.get(one);
        await api.get(`${one}/a`);
        await api.get(one, { query: { watch: 'true' } });
        await api.put(`${one}/a`, {});
        await api.patch(`${one}/a`, 'merge', {});
        await api.delete(one);
      }
    },
  },
  {
    title: 'a review takes the options of a write',
    async run(api) {
      const body = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' }, more: 1 } };
      const at = `${authorization}/selfsubjectaccessreviews`;
      for (const query of [
        { fieldValidation: 'Strict' },
        { fieldValidation: 'Warn' },
        { dryRun: 'All' },
        { dryRun: 'x' },
      ]) {
        await api.post(at, body, { query });
      }
      await api.post(at, { ...body, metadata: { name: 'x', labels: { a: 'b c' } } });
      await api.post(at, { ...body, kind: 'Pod' });
      await api.post(at, { ...body, metadata: { namespace: 'x' } });
    },
  },
  {
    title: 'an access review in a Namespace is about that Namespace alone',
    async run(api) {
      const at = `${authorization}/namespaces/${api.namespace}/localsubjectaccessreviews`;
      const attributes = (namespace: string) => ({ verb: 'get', resource: 'pods', namespace });
      await api.post(at, { spec: { user: 'bob', resourceAttributes: attributes('other') } });
      await api.post(at, { spec: { user: 'bob', resourceAttributes: attributes('') } });
      await api.post(at, {
        metadata: { namespace: 'other' },
        spec: { user: 'bob', resourceAttributes: attributes(api.namespace) },
      });
      await api.post(at, { spec: { user: 'bob', nonResourceAttributes: { path: '/', verb: 'get' } } });
      await api.post(at, { spec: { resourceAttributes: attributes(api.namespace) } });
    },
  },
  {
    title: 'the selectors of an access review are checked',
    async run(api) {
      const values = ['b'];
      const both = { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values }] };
      for (const more of [
        { fieldSelector: both, labelSelector: both },
        { fieldSelector: {} },
        { labelSelector: { requirements: [] } },
        {
          fieldSelector: { requirements: [{ operator: 'In' }, { key: 'a', operator: 'Exists', values }, { key: 'a' }] },
        },
        {
          labelSelector: {
            requirements: [
              { key: 'a', operator: 'NotIn' },
              { key: 'b', operator: 'In', values },
            ],
          },
        },
      ]) {
        const resourceAttributes = { verb: 'list', resource: 'pods', ...more };
        await api.post(`${authorization}/selfsubjectaccessreviews`, { spec: { resourceAttributes } });
        await api.post(`${authorization}/subjectaccessreviews`, { spec: { resourceAttributes } });
      }
    },
  },
  {
    title: 'an access review may ask about a path, and about groups and more that a user has',
    async run(api) {
      const at = `${authorization}/subjectaccessreviews`;
      const path = (one: string, verb = 'get') => ({ path: one, verb });
      await api.post(at, { spec: { user: 'bob', nonResourceAttributes: path('/api') } });
      await api.post(at, {
        spec: { user: 'bob', groups: ['system:authenticated'], nonResourceAttributes: path('/api') },
      });
      await api.post(at, { spec: { groups: ['system:masters'], nonResourceAttributes: path('/anything', 'post') } });
      await api.post(at, {
        spec: { user: 'bob', extra: { Scopes: ['a'] }, uid: 'u', nonResourceAttributes: path('/x') },
      });
      await api.post(at, { spec: { nonResourceAttributes: path('/x') } });
    },
  },
  {
    title: 'a TokenReview names groups, and the audiences that fit',
    async run(api) {
      await api.quietly.post(`/api/v1/namespaces/${api.namespace}/serviceaccounts`, { metadata: { name: 'sa' } });
      const at = `/api/v1/namespaces/${api.namespace}/serviceaccounts/sa/token`;
      const { body } = await api.quietly.post(at, { spec: { audiences: ['a', 'b'] } });
      const review = (audiences?: readonly string[]) =>
        api.post(`${authentication}/tokenreviews`, { spec: { token: body.status.token, audiences } });
      await review(['b']);
      await review(['b', 'c', 'a']);
      await review(['c']);
      await review([]);
      await review();
    },
  },
  {
    title: 'a TokenReview of what is no token says why',
    async run(api) {
      for (const token of ['x', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.', ' ']) {
        await api.post(`${authentication}/tokenreviews`, { spec: { token } });
      }
    },
  },
  {
    title: 'a review answers as a Table or as metadata where that is asked',
    async run(api) {
      const body = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
      for (const as of ['Table', 'PartialObjectMetadata']) {
        const accept = `application/json;as=${as};v=v1;g=meta.k8s.io`;
        await api.post(`${authorization}/selfsubjectaccessreviews`, body, { headers: { accept } });
      }
    },
  },
]);

const bobs = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'bob' }];

function as(user: string): RequestOptions {
  return { headers: { 'impersonate-user': user } };
}

const bob = as('bob');

function rule(resource: string, verbs: readonly string[]): object {
  return { apiGroups: [''], resources: [resource], verbs };
}

function bindingTo(role: string, subjects: readonly object[], { name = role, kind = 'ClusterRole' } = {}): object {
  return { metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role }, subjects };
}

/** The real server's authorizer sees roles and bindings a moment after they are written. */
function allowed(api: CaseApi, resourceAttributes: object, who: RequestOptions): Promise<void> {
  return api.settled(async () => {
    const { body } = await api.quietly.post(
      `${authorization}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes } },
      who,
    );
    return body.status.allowed === true;
  });
}

/** Notes the rules sorted: the real server evaluates bindings in any order. */
async function noteRules(api: CaseApi, who: RequestOptions, namespace = api.namespace): Promise<void> {
  const { body }: Answer = await api.quietly.post(
    `${authorization}/selfsubjectrulesreviews`,
    { spec: { namespace } },
    who,
  );
  const inOrder = (rules: readonly Json[]) =>
    rules.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const { resourceRules, nonResourceRules, ...status } = body.status;
  api.note('rules', { ...status, resourceRules: inOrder(resourceRules), nonResourceRules: inOrder(nonResourceRules) });
}
