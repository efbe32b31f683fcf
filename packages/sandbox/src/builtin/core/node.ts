import { nodeColumns } from '../columns/node.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { textAt } from '../selectable-fields.ts';
import { nodeStrategy } from './node-strategy.ts';

export const node = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  shortNames: ['no'],
  subresources: [statusSubresource],
  columns: nodeColumns,
  selectable: { 'spec.unschedulable': (object) => textAt(object, ['spec', 'unschedulable']) || 'false' },
  strategy: nodeStrategy,
});
