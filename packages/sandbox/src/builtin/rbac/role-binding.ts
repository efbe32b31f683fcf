import { bindingColumns } from './binding-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { roleBindingStrategy } from './role-binding-strategy.ts';

export const roleBinding = defineBuiltIn({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  columns: bindingColumns,
  strategy: roleBindingStrategy(true),
});
