import { eventColumns } from '../columns/event.ts';
import { defineBuiltIn } from '../define.ts';
import { selectableFields, textAt } from '../selectable-fields.ts';
import { eventStrategy } from './event-strategy.ts';

export const event = defineBuiltIn({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  columns: eventColumns,
  selectable: {
    ...selectableFields(
      ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
        (field) => `involvedObject.${field}`,
      ),
      'reason',
      'reportingComponent',
      'type',
    ),
    source: (object) => textAt(object, ['source', 'component']) || textAt(object, ['reportingComponent']),
  },
  strategy: eventStrategy,
});
