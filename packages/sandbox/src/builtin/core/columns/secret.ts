import { defineColumns } from '../../columns/define-columns.ts';
import { ageOf } from '../../name-and-age.ts';

export const secretColumns = defineColumns<{ readonly type?: string; readonly data?: object }>(
  { Name: 'name', Type: 'string', Data: 'string', Age: 'string' },
  (object, now) => [object.metadata.name, object.type ?? '', Object.keys(object.data ?? {}).length, ageOf(object, now)],
);
