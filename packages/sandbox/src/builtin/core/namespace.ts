import { namespaceColumns } from '../columns/namespace.ts';
import { resourceVerbs } from '../../request/verbs.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { selectableFields } from '../selectable-fields.ts';
import { namespaceStrategy } from './namespace-strategy.ts';

export const namespace = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
  verbs: resourceVerbs.filter((verb) => verb !== 'deletecollection'),
  shortNames: ['ns'],
  subresources: [{ name: 'finalize', kind: 'status', verbs: ['update'] }, statusSubresource],
  columns: namespaceColumns,
  selectable: { name: ({ metadata }) => metadata.name, ...selectableFields('status.phase') },
  strategy: namespaceStrategy,
});
