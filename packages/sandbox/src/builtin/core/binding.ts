import { defineBuiltIn } from '../define.ts';

export const binding = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Binding',
  plural: 'bindings',
  virtual: true,
});
