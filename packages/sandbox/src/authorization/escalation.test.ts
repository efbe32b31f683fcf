import { describe, expect, it } from 'vitest';
import type { WriteTarget } from '../core/target.ts';
import type { UserInfo } from '../request/user-info.ts';
import type { Stored } from '../store/stored.ts';
import { outcome, serverCore } from '../testing/server-core.ts';
import { escalationGuard } from './escalation.ts';
import type { PolicyRule } from './policy-rule.ts';

const group = 'rbac.authorization.k8s.io';
const v1 = `${group}/v1`;
const alice: UserInfo = { username: 'alice', groups: ['dev'] };
const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

interface Case {
  /** What alice holds in the cluster. */
  readonly held?: readonly PolicyRule[];
  /** What she holds in the Namespace `shop`. */
  readonly heldInShop?: readonly PolicyRule[];
  readonly user?: UserInfo;
  readonly plural?: string;
  readonly version?: string;
  readonly object: object;
  readonly before?: object;
  readonly target?: Partial<WriteTarget>;
}

/** What the guard says of a write in `shop`: nothing if it accepts it. */
function verdict({
  held = [],
  heldInShop = [],
  user = alice,
  plural = 'roles',
  version = v1,
  object,
  before,
  target,
}: Case) {
  const server = serverCore();
  const subjects = [{ kind: 'User', apiGroup: group, name: 'alice' }];
  server.put(v1, 'clusterroles', { metadata: { name: 'held' }, rules: held });
  server.put(v1, 'roles', { metadata: { name: 'held', namespace: 'shop' }, rules: heldInShop });
  server.put(v1, 'clusterroles', { metadata: { name: 'reader' }, rules: [readPods] });
  server.put(v1, 'roles', { metadata: { name: 'reader', namespace: 'shop' }, rules: [readPods] });
  const refTo = (kind: string) => ({ apiGroup: group, kind, name: 'held' });
  server.put(v1, 'clusterrolebindings', { metadata: { name: 'held' }, roleRef: refTo('ClusterRole'), subjects });
  server.put(v1, 'rolebindings', { metadata: { name: 'held', namespace: 'shop' }, roleRef: refTo('Role'), subjects });
  const namespace = plural.startsWith('cluster') ? {} : { namespace: 'shop' };
  const place = server.target(version, plural, { name: 'x', ...namespace }, { user, ...target });
  const whole = (one: object) => ({ kind: place.resource.kind, metadata: { name: 'x' }, ...one }) as unknown as Stored;
  const guard = escalationGuard(server.core.authorizer);
  return outcome(() => guard(server.core, place, whole(object), before === undefined ? undefined : whole(before)));
}
const refused = (...lines: readonly string[]) => [
  403,
  `roles.${group} "x" is forbidden: user "alice" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}`,
];
const may = (verb: string, resource: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: [verb],
  apiGroups: [group],
  resources: [resource],
  ...more,
});

describe('a role', () => {
  const role = { rules: [readPods] };
  const lacks = refused('{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}');

  it.each<readonly [string, Case, unknown]>([
    ['with rules that its writer holds', { held: [readPods], object: role }, undefined],
    ['with rules that its writer holds in the Namespace', { heldInShop: [readPods], object: role }, undefined],
    ['with rules that its writer lacks', { object: role }, lacks],
    [
      'of a ClusterRole, with rules that its writer holds in a Namespace alone',
      { heldInShop: [readPods], plural: 'clusterroles', object: role },
      [403, (lacks[1] as string).replace('roles', 'clusterroles')],
    ],
    ['without rules', { object: {} }, undefined],
    ['by an administrator', { user: { username: 'root', groups: ['system:masters'] }, object: role }, undefined],
    ['by who may escalate', { held: [may('escalate', 'roles')], object: role }, undefined],
    ['by who may escalate ClusterRoles alone', { held: [may('escalate', 'clusterroles')], object: role }, lacks],
    [
      'by who may escalate this role',
      { held: [may('escalate', 'roles', { resourceNames: ['x'] })], object: role },
      undefined,
    ],
    [
      'that is created by who may escalate one of this name: its path does not name it',
      { held: [may('escalate', 'roles', { resourceNames: ['x'] })], object: role, target: { name: '' } },
      lacks,
    ],
    ['of another group', { plural: 'configmaps', version: 'v1', object: role }, undefined],
    ['as it was', { object: role, before: role }, undefined],
    [
      'of which the garbage collector changes the owners',
      {
        object: { ...role, metadata: { name: 'x', ownerReferences: [], finalizers: ['a'], managedFields: [] } },
        before: role,
      },
      undefined,
    ],
    [
      'of which the labels change',
      { object: { ...role, metadata: { name: 'x', labels: { a: 'b' } } }, before: role },
      lacks,
    ],
  ])('%s', async (_, one, expected) => {
    expect(await verdict(one)).toEqual(expected);
  });

  it.each<readonly [string, PolicyRule, PolicyRule, string | undefined]>([
    [
      'another verb',
      readPods,
      { ...readPods, verbs: ['get', 'delete'] },
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
    ],
    [
      'a star for one verb',
      { ...readPods, verbs: ['get'] },
      { ...readPods, verbs: ['*'] },
      '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
    ],
    ['one verb of a star', { ...readPods, verbs: ['*'] }, readPods, undefined],
    [
      'a subresource',
      readPods,
      { ...readPods, resources: ['pods/log'] },
      '{APIGroups:[""], Resources:["pods/log"], Verbs:["get" "list"]}',
    ],
    [
      'a subresource that is held',
      { ...readPods, resources: ['pods/log'] },
      { ...readPods, resources: ['pods/log'] },
      undefined,
    ],
    [
      'all objects for one',
      { ...readPods, resourceNames: ['a'] },
      readPods,
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
    ],
    [
      'another object',
      { ...readPods, resourceNames: ['a'] },
      { ...readPods, resourceNames: ['a', 'b'] },
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get" "list"]}',
    ],
    ['one object of all', readPods, { ...readPods, resourceNames: ['a'] }, undefined],
    [
      'a path',
      { verbs: ['get'], nonResourceURLs: ['/metrics/*'] },
      { verbs: ['get'], nonResourceURLs: ['/metrics/slis', '/logs'] },
      '{NonResourceURLs:["/logs"], Verbs:["get"]}',
    ],
    [
      'two groups',
      readPods,
      { ...readPods, apiGroups: ['', 'apps'] },
      '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
    ],
  ])('with %s', async (_, held, wanted, expected) => {
    expect(await verdict({ held: [held], object: { rules: [wanted] } })).toEqual(
      expected === undefined ? undefined : refused(expected),
    );
  });

  it('with several rules that its writer lacks: they are named once, sorted, with their verbs', async () => {
    const rules = [
      { verbs: ['get', 'get'], apiGroups: [''], resources: ['secrets', 'nodes'] },
      { verbs: ['list'], apiGroups: [''], resources: ['nodes'] },
    ];
    expect(await verdict({ object: { rules } })).toEqual(
      refused(
        '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list"]}',
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
      ),
    );
  });

  const all: readonly PolicyRule[] = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ];
  const aggregated = { aggregationRule: { clusterRoleSelectors: [] } };
  const refusal = [
    403,
    `clusterroles.${group} "x" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
  ];
  // Who holds everything may escalate as well.
  it.each<readonly [string, readonly PolicyRule[], object, object | undefined, unknown]>([
    ['by who holds some', [readPods], aggregated, undefined, refusal],
    ['by who holds all resources, and no paths', all.slice(0, 1), aggregated, undefined, undefined],
    ['by who holds everything', all, aggregated, undefined, undefined],
    ['that no longer collects, by who holds some', [readPods], {}, aggregated, refusal],
    ['that does not collect', [readPods], {}, undefined, undefined],
  ])('that collects the rules of others, %s', async (_, held, object, before, expected) => {
    expect(await verdict({ plural: 'clusterroles', held, object, ...(before !== undefined && { before }) })).toEqual(
      expected,
    );
  });
});

describe('a binding', () => {
  const to = (kind: string, name = 'reader') => ({ roleRef: { apiGroup: group, kind, name } });
  const lacks = (resource: string) => [
    403,
    `${resource}.${group} "x" is forbidden: user "alice" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`,
  ];

  it.each<readonly [string, Case, unknown]>([
    [
      'to a role whose rules its writer holds',
      { held: [readPods], plural: 'rolebindings', object: to('Role') },
      undefined,
    ],
    ['to a role whose rules its writer lacks', { plural: 'rolebindings', object: to('Role') }, lacks('rolebindings')],
    [
      'to a ClusterRole, in a Namespace where its writer holds the rules',
      { heldInShop: [readPods], plural: 'rolebindings', object: to('ClusterRole') },
      undefined,
    ],
    [
      'to a ClusterRole in the whole cluster, by who holds the rules in a Namespace',
      { heldInShop: [readPods], plural: 'clusterrolebindings', object: to('ClusterRole') },
      lacks('clusterrolebindings'),
    ],
    [
      'by who may bind the role',
      { held: [may('bind', 'roles')], plural: 'rolebindings', object: to('Role') },
      undefined,
    ],
    [
      'by who may bind roles, to a ClusterRole',
      { held: [may('bind', 'roles')], plural: 'rolebindings', object: to('ClusterRole') },
      lacks('rolebindings'),
    ],
    [
      'by who may bind this ClusterRole',
      {
        held: [may('bind', 'clusterroles', { resourceNames: ['reader'] })],
        plural: 'rolebindings',
        object: to('ClusterRole'),
      },
      undefined,
    ],
    [
      'to a role that does not exist',
      { plural: 'rolebindings', object: to('Role', 'nobody') },
      [404, `rolebindings.${group} "nobody" not found`],
    ],
    [
      'to a role that does not exist, by who may bind it',
      { held: [may('bind', 'roles')], plural: 'rolebindings', object: to('Role', 'nobody') },
      undefined,
    ],
  ])('%s', async (_, one, expected) => {
    expect(await verdict(one)).toEqual(expected);
  });
});

it('bindings whose role is not found are named with what is missing', async () => {
  const server = serverCore();
  const subjects = [{ kind: 'User', apiGroup: group, name: 'alice' }];
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'gone' };
  server.put(v1, 'clusterrolebindings', { metadata: { name: 'b' }, roleRef, subjects });
  const target = server.target(v1, 'roles', { name: 'x', namespace: 'shop' }, { user: alice });
  const object = { kind: 'Role', metadata: { name: 'x' }, rules: [readPods] } as unknown as Stored;
  const [, message] = (await outcome(() =>
    escalationGuard(server.core.authorizer)(server.core, target, object, undefined),
  )) as readonly [number, string];
  expect(message).toMatch(
    /Verbs:\["get" "list"\]\}; resolution errors: \[roles\.rbac\.authorization\.k8s\.io "gone" not found\]$/,
  );
});
