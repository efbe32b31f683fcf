import fc from 'fast-check';
import { fields, list, metadata, name, objects, oneOf } from '../arbitraries.ts';
import type { GeneratedKind } from '../frame.ts';
import { mutated } from '../mutations.ts';

const group = 'rbac.authorization.k8s.io';
const texts = (...values: string[]) =>
  fc.oneof({ weight: 9, arbitrary: list(oneOf(...values), 3, 1) }, { weight: 1, arbitrary: list(oneOf(...values), 1) });

const ruleOfResources = fields(
  { verbs: texts('get', 'list', '*'), apiGroups: texts('', 'apps', '*'), resources: texts('pods', 'pods/log', '*') },
  { resourceNames: texts('a', 'b') },
);
const ruleOfPaths = fields({
  verbs: texts('get'),
  nonResourceURLs: texts('/healthz', '/version', '*', '/metrics/*', 'healthz'),
});
const rules = list(fc.oneof({ weight: 4, arbitrary: ruleOfResources }, { weight: 2, arbitrary: ruleOfPaths }));

const subject = fc.oneof(
  fields(
    { kind: oneOf('ServiceAccount'), name },
    { namespace: oneOf('default', 'kube-system', 'Bad_NS'), apiGroup: oneOf('', group) },
  ),
  fields(
    { kind: oneOf('User', 'Group'), name: oneOf('jane', 'system:masters') },
    { apiGroup: oneOf('', group, 'apps'), namespace: oneOf('default') },
  ),
);
const roleRef = (...kinds: string[]) =>
  fields({ apiGroup: oneOf(group, ''), kind: oneOf(...kinds), name: oneOf('admin', 'view', 'edit', 'a:b', 'a/b') });

const borders = ['system:x', 'a:b', 'a%b', '..', '*', 'ServiceAccount', 'User', 'ClusterRole'];
const selector = fields(
  {},
  {
    matchLabels: fc.constant({ a: 'b' }),
    matchExpressions: list(
      fields(
        { key: oneOf('a', 'c', 'd', 'b c'), operator: oneOf('In', 'NotIn', 'In', 'Exists', 'Bad') },
        { values: texts('x', 'y') },
      ),
      2,
    ),
  },
);

export const roles = kind('Role', 'roles', true, fields({}, { rules }));
export const clusterRoles = kind(
  'ClusterRole',
  'clusterroles',
  false,
  fields({}, { rules, aggregationRule: fields({}, { clusterRoleSelectors: list(selector, 2) }) }),
);
export const roleBindings = kind(
  'RoleBinding',
  'rolebindings',
  true,
  fields({ roleRef: roleRef('Role', 'ClusterRole') }, { subjects: list(subject) }),
);
export const clusterRoleBindings = kind(
  'ClusterRoleBinding',
  'clusterrolebindings',
  false,
  fields(
    { roleRef: roleRef('ClusterRole', 'ClusterRole', 'ClusterRole', 'ClusterRole', 'Role') },
    { subjects: list(subject) },
  ),
);

function kind(
  title: string,
  plural: string,
  namespaced: boolean,
  rest: fc.Arbitrary<Record<string, unknown>>,
): GeneratedKind {
  return {
    name: plural,
    path: (namespace) => `/apis/${group}/v1/${namespaced ? `namespaces/${namespace}/` : ''}${plural}`,
    objects: mutated(objects(`${group}/v1`, title, rest, metadata), { borders }),
    count: 200,
  };
}
