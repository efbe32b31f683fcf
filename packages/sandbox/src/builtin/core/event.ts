import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { pathSegmentName } from '../define.ts';
import { dnsSubdomain, invalid, qualifiedName, required } from '../field-rules.ts';
import { eventColumns } from './event-columns.ts';
import { defineBuiltIn } from '../define.ts';
import { selectableFields, textAt } from '../selectable-fields.ts';

const eventStrategy: Partial<Strategy> = {
  nameProblems: pathSegmentName,
  createOnUpdate: true,
  validate: eventErrors,
  validateUpdate: eventErrors,
};

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
    source: (object) => textAt(object, 'source.component') || textAt(object, 'reportingComponent'),
  },
  strategy: eventStrategy,
});

interface EventShape extends Stored {
  readonly involvedObject?: { readonly namespace?: string };
  readonly eventTime?: string | null;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** The rules of core/v1, which are those of old: with an `eventTime` stricter ones. */
function eventErrors(object: Stored): readonly FieldError[] {
  const event = object as EventShape;
  const namespace = object.metadata.namespace ?? '';
  const about = event.involvedObject?.namespace ?? '';
  const isNew = typeof event.eventTime === 'string';
  const elsewhere = isNew ? ['default', 'kube-system'] : ['default'];
  const matches = about === '' ? elsewhere.includes(namespace) : isNew || about === namespace;
  return [
    ...(matches ? [] : [invalid('involvedObject.namespace', about, 'does not match event.namespace')]),
    ...(isNew ? newEventErrors(event) : []),
    ...dnsSubdomain('namespace', namespace),
  ];
}

function newEventErrors(event: EventShape): readonly FieldError[] {
  const { reportingComponent = '', reportingInstance = '', action = '', reason = '', message = '' } = event;
  const text = (path: string, value: string, limit: number, needed: boolean) => [
    ...(needed && value === '' ? [required(path)] : []),
    ...(value.length > limit ? [invalid(path, '', `can have at most ${limit} characters`)] : []),
  ];
  return [
    ...(reportingComponent === '' ? [required('reportingComponent')] : []),
    ...qualifiedName('reportingComponent', reportingComponent),
    ...text('reportingInstance', reportingInstance, 128, true),
    ...text('action', action, 128, true),
    ...text('reason', reason, 128, true),
    ...text('message', message, 1024, false),
  ];
}
