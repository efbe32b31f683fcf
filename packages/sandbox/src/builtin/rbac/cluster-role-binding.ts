import { bindingColumns } from './binding-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { roleBindingStrategy } from './role-binding-strategy.ts';

export const clusterRoleBinding = defineBuiltIn({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
  columns: bindingColumns,
  strategy: roleBindingStrategy(false),
});
