import { secretColumns } from '../columns/secret.ts';
import { defineBuiltIn } from '../define.ts';
import { selectableFields } from '../selectable-fields.ts';
import { secretStrategy } from './secret-strategy.ts';

export const secret = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  columns: secretColumns,
  selectable: selectableFields('type'),
  strategy: secretStrategy,
});
