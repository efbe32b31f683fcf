import { nameAndCreation } from './role-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { roleStrategy } from './role-strategy.ts';

export const clusterRole = defineBuiltIn({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  columns: nameAndCreation,
  strategy: roleStrategy(false),
});
