import { defineColumns } from '../columns/define-columns.ts';
import { ageOf } from '../name-and-age.ts';

/** The columns of both kinds of webhook configurations. */
export const webhookColumns = defineColumns<{ readonly webhooks?: readonly unknown[] }>(
  { Name: 'name', Webhooks: 'integer', Age: 'string' },
  (object, now) => [object.metadata.name, object.webhooks?.length ?? 0, ageOf(object, now)],
);
