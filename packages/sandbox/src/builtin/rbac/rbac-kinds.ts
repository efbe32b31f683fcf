import { defineBuiltIn } from '../define.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import { nameAndCreation } from '../name-and-age.ts';
import { roleBindingStrategy } from './role-binding-strategy.ts';
import { roleStrategy } from './role-strategy.ts';

const common = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const role = { ...common, columns: nameAndCreation };
const binding = {
  ...common,
  columns: defineColumns<BindingShape>({
    Name: nameColumn,
    Role: ['string', ({ roleRef }) => `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`],
    Age: ageColumn,
    Users: ['wide', (object) => subjectsText(object, 'User')],
    Groups: ['wide', (object) => subjectsText(object, 'Group')],
    ServiceAccounts: ['wide', (object) => subjectsText(object, 'ServiceAccount')],
  }),
};

export const rbacKinds = [
  defineBuiltIn({
    ...binding,
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    namespaced: false,
    strategy: roleBindingStrategy(false),
  }),
  defineBuiltIn({
    ...role,
    kind: 'ClusterRole',
    plural: 'clusterroles',
    namespaced: false,
    strategy: roleStrategy(false),
  }),
  defineBuiltIn({ ...binding, kind: 'RoleBinding', plural: 'rolebindings', strategy: roleBindingStrategy(true) }),
  defineBuiltIn({ ...role, kind: 'Role', plural: 'roles', strategy: roleStrategy(true) }),
];

interface BindingShape {
  readonly roleRef?: { readonly kind?: string; readonly name?: string };
  readonly subjects?: readonly { readonly kind?: string; readonly name?: string; readonly namespace?: string }[];
}

/** The subjects of a kind, with the Namespaces of ServiceAccounts. */
function subjectsText({ subjects = [] }: BindingShape, kind: string): string {
  return subjects
    .filter((subject) => subject.kind === kind)
    .map(({ name = '', namespace = '' }) =>
      kind === 'ServiceAccount' && namespace !== '' ? `${namespace}/${name}` : name,
    )
    .join(', ');
}
