import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';

export const serviceCidrColumns = defineColumns<{ readonly spec?: { readonly cidrs?: readonly string[] } }>(
  { Name: 'name', CIDRs: 'string', Age: 'string' },
  (object, now) => [object.metadata.name, (object.spec?.cidrs ?? []).join(','), ageOf(object, now)],
);
