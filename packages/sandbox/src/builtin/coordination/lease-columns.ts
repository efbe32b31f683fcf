import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';

export const leaseColumns = defineColumns<{ readonly spec?: { readonly holderIdentity?: string } }>(
  { Name: 'name', Holder: 'string', Age: 'string' },
  (object, now) => [object.metadata.name, object.spec?.holderIdentity ?? '', ageOf(object, now)],
);
