import { describe, expect, it } from 'vitest';
import type { Ask } from '../request/authorizer.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Stored } from '../store/stored.ts';
import type { PolicyRule, Subject } from './policy-rule.ts';
import type { RbacObjects } from './rbac.ts';
import { grantsOf, rbacAuthorizer } from './rbac.ts';

const group = 'rbac.authorization.k8s.io';
const alice: UserInfo = { username: 'alice', groups: ['dev', 'system:authenticated'] };
const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const user = (name: string): Subject => ({ kind: 'User', apiGroup: group, name });

const stored = (kind: string, name: string, namespace: string | undefined, rest: object): Stored => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  ...rest,
});
const role = (name: string, namespace: string | undefined, ...rules: readonly PolicyRule[]) =>
  stored(namespace === undefined ? 'ClusterRole' : 'Role', name, namespace, { rules });
function binding(
  name: string,
  namespace: string | undefined,
  to: `${'Role' | 'ClusterRole'} ${string}`,
  ...subjects: readonly Subject[]
) {
  const [kind, ofRole] = to.split(' ');
  const roleRef = { apiGroup: group, kind, name: ofRole };
  return stored(namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding', name, namespace, { roleRef, subjects });
}

/** Stored objects, as the store of a server lists them: the same list until something changes. */
function rbacObjects(...objects: readonly Stored[]): RbacObjects {
  const byKind = Map.groupBy(objects, ({ kind }) => `${group}/${kind.toLowerCase()}s`);
  const keyOf = ({ metadata: { name, namespace } }: Stored) =>
    namespace === undefined ? name : `${namespace}/${name}`;
  return {
    list: (storageKey) => byKind.get(storageKey) ?? [],
    get: (storageKey, key) => byKind.get(storageKey)?.find((one) => keyOf(one) === key),
  };
}

const resource = (verb: string, namespace: string | undefined, more: object = {}): Ask => ({
  kind: 'resource',
  verb,
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: undefined,
  namespace,
  name: undefined,
  ...more,
});
const path = (verb: string, at: string): Ask => ({ kind: 'non-resource', verb, path: at });
const objects = rbacObjects(
  role('reader', undefined, readPods),
  role('reader', 'shop', readPods, { verbs: ['*'], apiGroups: ['apps'], resources: ['deployments/scale'] }),
  role('one-pod', 'shop', { verbs: ['delete'], apiGroups: [''], resources: ['pods'], resourceNames: ['web'] }),
  role('health', undefined, { verbs: ['get'], nonResourceURLs: ['/healthz', '/metrics/*'] }),
  binding('readers', 'shop', 'Role reader', user('alice')),
  binding('deleters', 'shop', 'Role one-pod', { kind: 'Group', apiGroup: group, name: 'dev' }),
  binding('bank-readers', 'bank', 'ClusterRole reader', user('alice'), { kind: 'ServiceAccount', name: 'app' }),
  binding('checks', undefined, 'ClusterRole health', { kind: 'Group', apiGroup: group, name: 'system:authenticated' }),
  binding('node-readers', undefined, 'ClusterRole reader', {
    kind: 'ServiceAccount',
    name: 'agent',
    namespace: 'kube-system',
  }),
);
const account = (namespace: string, name: string): UserInfo => ({
  username: `system:serviceaccount:${namespace}:${name}`,
  groups: [],
});

describe('the authorizer of roles and bindings', () => {
  it.each<readonly [string, UserInfo, Ask, string]>([
    [
      'a verb of a Role in its Namespace',
      alice,
      resource('get', 'shop'),
      'RBAC: allowed by RoleBinding "readers/shop" of Role "reader" to User "alice"',
    ],
    [
      'a ClusterRole in the Namespace of its RoleBinding',
      alice,
      resource('list', 'bank'),
      'RBAC: allowed by RoleBinding "bank-readers/bank" of ClusterRole "reader" to User "alice"',
    ],
    [
      'any verb of a subresource',
      alice,
      resource('patch', 'shop', { group: 'apps', resource: 'deployments', subresource: 'scale' }),
      'RBAC: allowed by RoleBinding "readers/shop" of Role "reader" to User "alice"',
    ],
    [
      'a named object to a group',
      alice,
      resource('delete', 'shop', { name: 'web' }),
      'RBAC: allowed by RoleBinding "deleters/shop" of Role "one-pod" to Group "dev"',
    ],
    [
      'a list that selects the named object',
      { ...alice, groups: ['dev'] },
      resource('delete', 'shop', { selectedName: 'web' }),
      'RBAC: allowed by RoleBinding "deleters/shop" of Role "one-pod" to Group "dev"',
    ],
    [
      'a path',
      alice,
      path('get', '/healthz'),
      'RBAC: allowed by ClusterRoleBinding "checks" of ClusterRole "health" to Group "system:authenticated"',
    ],
    [
      'what begins with a path',
      alice,
      path('get', '/metrics/slis'),
      'RBAC: allowed by ClusterRoleBinding "checks" of ClusterRole "health" to Group "system:authenticated"',
    ],
    [
      'a ServiceAccount that is in the Namespace of its binding',
      account('bank', 'app'),
      resource('get', 'bank'),
      'RBAC: allowed by RoleBinding "bank-readers/bank" of ClusterRole "reader" to ServiceAccount "app/bank"',
    ],
    [
      'a ServiceAccount in every Namespace and in none',
      account('kube-system', 'agent'),
      resource('list', undefined),
      'RBAC: allowed by ClusterRoleBinding "node-readers" of ClusterRole "reader" to ServiceAccount "agent/kube-system"',
    ],
    ['everything to system:masters', { username: 'root', groups: ['system:masters'] }, resource('x', 'y'), ''],
  ])('allows %s', (_, who, ask, reason) => {
    expect(rbacAuthorizer(objects).authorize(who, ask)).toEqual({ allowed: true, reason });
  });

  it.each<readonly [string, UserInfo, Ask]>([
    ['a verb that no rule has', alice, resource('create', 'shop')],
    ['another Namespace', alice, resource('get', 'home')],
    ['the whole cluster by a RoleBinding', alice, resource('get', undefined)],
    ['another object than the named one', alice, resource('delete', 'shop', { name: 'api' })],
    ['all objects, if one is named', alice, resource('delete', 'shop')],
    ['another API group', alice, resource('get', 'shop', { group: 'metrics.k8s.io' })],
    ['a subresource of an allowed resource', alice, resource('get', 'shop', { subresource: 'log' })],
    ['another path', alice, path('get', '/livez')],
    ['another verb on a path', alice, path('post', '/healthz')],
    ['a ServiceAccount of that name in another Namespace', account('shop', 'app'), resource('get', 'bank')],
    ['a user with the name of a group', { username: 'dev', groups: [] }, resource('delete', 'shop', { name: 'web' })],
    ['a group with the name of a user', { username: 'bob', groups: ['alice'] }, resource('get', 'shop')],
  ])('denies %s', (_, who, ask) => {
    expect(rbacAuthorizer(objects).authorize(who, ask)).toEqual({ allowed: false, reason: '' });
  });

  it('denies with the roles that were not found, unless another binding allows', () => {
    const lost = [
      binding('a', undefined, 'ClusterRole gone', user('alice')),
      binding('b', 'shop', 'Role away', user('alice')),
    ];
    const problem = (what: string) => `${what} not found`;
    const [first, second] = [problem(`clusterrole.${group} "gone"`), problem(`role.${group} "away"`)];
    const verdict = (namespace: string | undefined, ...more: readonly Stored[]) =>
      rbacAuthorizer(rbacObjects(...lost, ...more)).authorize(alice, resource('get', namespace));
    expect(verdict(undefined)).toEqual({ allowed: false, reason: `RBAC: ${first}` });
    expect(verdict('shop')).toEqual({ allowed: false, reason: `RBAC: [${first}, ${second}]` });
    const found = [role('reader', undefined, readPods), binding('c', 'shop', 'ClusterRole reader', user('alice'))];
    expect(verdict('shop', ...found).allowed).toBe(true);
  });

  it('follows bindings that are added and removed', () => {
    let bindings: readonly Stored[] = [];
    const { get } = objects;
    const authorizer = rbacAuthorizer({ get, list: (key) => (key.endsWith('clusterrolebindings') ? bindings : []) });
    const isAllowed = () => authorizer.authorize(alice, resource('get', undefined)).allowed;
    const before = isAllowed();
    bindings = [binding('all', undefined, 'ClusterRole reader', user('alice'))];
    const during = isAllowed();
    bindings = [];
    expect([before, during, isAllowed()]).toEqual([false, true, false]);
  });
});

describe('the rules of a user', () => {
  const through = (name: string, ofRole: string, to: string) => `${name} of ${ofRole} to ${to}`;

  it('are those of the cluster, and then those of the Namespace, each with its binding', () => {
    const { rules, problems } = grantsOf(objects, alice, 'shop');
    expect(problems).toEqual([]);
    expect(rules.map(({ rule, through }) => [rule.verbs, through])).toEqual([
      [['get'], through('ClusterRoleBinding "checks"', 'ClusterRole "health"', 'Group "system:authenticated"')],
      [['get', 'list'], through('RoleBinding "readers/shop"', 'Role "reader"', 'User "alice"')],
      [['*'], through('RoleBinding "readers/shop"', 'Role "reader"', 'User "alice"')],
      [['delete'], through('RoleBinding "deleters/shop"', 'Role "one-pod"', 'Group "dev"')],
    ]);
  });

  it('are those of the cluster alone, if no Namespace is named', () => {
    expect(grantsOf(objects, alice, undefined).rules).toHaveLength(1);
    expect(grantsOf(objects, alice, '').rules).toHaveLength(1);
  });

  it('are reported with the roles that were not found', () => {
    const lost = rbacObjects(binding('a', undefined, 'ClusterRole gone', user('alice')));
    expect(grantsOf(lost, alice, undefined)).toEqual({
      rules: [],
      problems: [`clusterrole.${group} "gone" not found`],
    });
  });
});
