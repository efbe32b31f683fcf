import { nameAndCreation } from './role-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { roleStrategy } from './role-strategy.ts';

export const role = defineBuiltIn({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  columns: nameAndCreation,
  strategy: roleStrategy(true),
});
