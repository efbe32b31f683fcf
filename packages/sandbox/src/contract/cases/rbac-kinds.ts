import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** Roles and bindings as objects; area `access` is about their effect. */
export const rbacKinds = contractArea('rbac-kinds', [
  {
    title: 'a rule has verbs, groups and resources',
    async run(api) {
      await role(api, 'roles', [{}]);
      await role(api, 'roles', [{ verbs: [], apiGroups: [''], resources: ['pods'] }]);
      await role(api, 'roles', [
        { verbs: ['get'], apiGroups: [''] },
        { verbs: ['get'], resources: ['pods'] },
      ]);
      await role(api, 'roles', [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }]);
      await role(api, 'roles', []);
    },
  },
  {
    title: 'rules about paths are for the whole cluster and about nothing else',
    async run(api) {
      const paths = { verbs: ['get'], nonResourceURLs: ['/healthz', '*'] };
      await role(api, 'roles', [paths]);
      await role(api, 'clusterroles', [paths]);
      await role(api, 'clusterroles', [{ ...paths, apiGroups: [''], resources: ['pods'] }]);
    },
  },
  {
    title: 'names of roles have colons and no slashes',
    async run(api) {
      for (const name of ['a:b', 'A B', 'a/b', 'a%b', '..', '.']) {
        await api.post(at(api, 'roles'), { metadata: { name }, rules: [] }, dry);
      }
    },
  },
  {
    title: 'an aggregated role selects others',
    async run(api) {
      const aggregated = (clusterRoleSelectors: unknown) =>
        api.post(
          at(api, 'clusterroles'),
          { metadata: { name: api.namespace }, aggregationRule: { clusterRoleSelectors } },
          dry,
        );
      await aggregated([]);
      await aggregated([{ matchLabels: { a: 'b' } }]);
      await aggregated([
        {
          matchExpressions: [
            { key: 'a', operator: 'In' },
            { key: 'b c', operator: 'Exists', values: ['x'] },
            { key: 'c', operator: 'Other' },
          ],
        },
      ]);
    },
  },
  {
    title: 'a binding names a role that fits, which need not be there',
    async run(api) {
      const refer = (plural: string, roleRef: object) =>
        api.post(at(api, plural), { metadata: { name: api.namespace }, roleRef }, dry);
      await refer('rolebindings', {});
      await refer('rolebindings', { kind: 'Role', name: 'none' });
      await refer('rolebindings', { kind: 'Other', name: 'a/b', apiGroup: 'apps' });
      await refer('clusterrolebindings', { kind: 'Role', name: 'none' });
      await refer('clusterrolebindings', { kind: 'ClusterRole', name: 'none' });
    },
  },
  {
    title: 'subjects get their group and have the form of their kind',
    async run(api) {
      const bind = (plural: string, subjects: readonly object[]) =>
        api.post(
          at(api, plural),
          { metadata: { name: api.namespace }, roleRef: { kind: 'ClusterRole', name: 'view' }, subjects },
          dry,
        );
      await bind('rolebindings', [
        { kind: 'User', name: 'jane' },
        { kind: 'Group', name: 'g' },
        { kind: 'ServiceAccount', name: 's' },
      ]);
      await bind('rolebindings', [
        { kind: 'User' },
        { kind: 'Other', name: 'x' },
        { kind: 'ServiceAccount', name: 'Bad_Name', apiGroup: 'apps' },
      ]);
      await bind('clusterrolebindings', [
        { kind: 'ServiceAccount', name: 's' },
        { kind: 'User', name: 'u', apiGroup: 'apps' },
      ]);
    },
  },
  {
    title: 'the role of a binding stays, its subjects change',
    async run(api) {
      const make = (kind: string, subjects: readonly object[]) => ({
        metadata: { name: 'a' },
        roleRef: { kind, name: 'view' },
        subjects,
      });
      await api.post(at(api, 'rolebindings'), make('ClusterRole', [{ kind: 'User', name: 'jane' }]));
      await api.put(at(api, 'rolebindings', 'a'), make('Role', [{ kind: 'User', name: 'jane' }]));
      await api.put(at(api, 'rolebindings', 'a'), make('ClusterRole', []));
      await api.patch(at(api, 'rolebindings', 'a'), 'merge', { subjects: [{ kind: 'Group', name: 'g' }] });
    },
  },
  {
    title: 'PUT creates roles and bindings',
    async run(api) {
      await api.put(at(api, 'roles', 'a'), { metadata: { name: 'a' }, rules: [] });
      await api.put(at(api, 'rolebindings', 'a'), { metadata: { name: 'a' }, roleRef: { kind: 'Role', name: 'a' } });
      await api.put(at(api, 'roles', 'a'), { metadata: { name: 'a' }, rules: [{ verbs: ['get'] }] });
      await api.delete(at(api, 'roles', 'a'));
    },
  },
]);

const dry = { query: { dryRun: 'All' } };

const at = ({ namespace }: CaseApi, plural: string, name?: string) =>
  `/apis/rbac.authorization.k8s.io/v1/${plural.startsWith('cluster') ? '' : `namespaces/${namespace}/`}${plural}${name === undefined ? '' : `/${name}`}`;

const role = (api: CaseApi, plural: string, rules: readonly object[]) =>
  api.post(at(api, plural), { metadata: { name: api.namespace }, rules }, dry);
