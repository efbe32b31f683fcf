import { defineColumns } from '../../columns/define-columns.ts';
import { ageOf } from '../../name-and-age.ts';

export const serviceAccountColumns = defineColumns({ Name: 'name', Age: 'string' }, (object, now) => [
  object.metadata.name,
  ageOf(object, now),
]);
