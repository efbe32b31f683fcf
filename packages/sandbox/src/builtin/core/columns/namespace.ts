import { defineColumns } from '../../columns/define-columns.ts';
import { ageOf } from '../../name-and-age.ts';

export const namespaceColumns = defineColumns<{ readonly status?: { readonly phase?: string } }>(
  { Name: 'name', Status: 'string', Age: 'string' },
  (object, now) => [object.metadata.name, object.status?.phase ?? '', ageOf(object, now)],
);
