import { defineColumns } from '../../columns/define-columns.ts';
import { ageOf } from '../../name-and-age.ts';

export const configMapColumns = defineColumns<{ readonly data?: object; readonly binaryData?: object }>(
  { Name: 'name', Data: 'string', Age: 'string' },
  (object, now) => [
    object.metadata.name,
    Object.keys(object.data ?? {}).length + Object.keys(object.binaryData ?? {}).length,
    ageOf(object, now),
  ],
);
