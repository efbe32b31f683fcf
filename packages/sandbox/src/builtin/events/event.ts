import type { FieldError } from '@isthmus/schema';
import type { Stored } from '../../store/stored.ts';
import { event } from '../core/event.ts';
import { defineBuiltIn, subdomainName } from '../define.ts';
import { immutable, invalid, required } from '../field-rules.ts';
import { newEvents } from './event-versions.ts';

const about = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/**
 * The Events of `v1` under the names of `events.k8s.io`, with its stricter rules: they have a time,
 * and are counted as a series.
 */
export const eventOfEvents = defineBuiltIn({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  storage: { storageKey: event.storageKey, storageVersion: 'v1', converts: newEvents },
  columns: { ...event.columns, cells: (object, now) => event.columns.cells(newEvents.toStored(object), now) },
  // Field selectors read the stored form.
  selectable: Object.fromEntries(
    Object.entries({
      ...Object.fromEntries(about.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
      reason: 'reason',
      reportingController: 'reportingComponent',
      type: 'type',
    }).map(([field, stored]) => [field, event.selectable[stored] ?? (() => '')]),
  ),
  strategy: {
    createOnUpdate: true,
    validate: (object, context) => [
      ...asOfCore(event.strategy.validate?.(newEvents.toStored(object), context) ?? []),
      ...subdomainName(object.metadata.name, false).map((why) => invalid('metadata.name', object.metadata.name, why)),
      ...seriesErrors(object),
      ...newEventErrors(object),
    ],
    validateUpdate: (object, before, context) => [
      ...asOfCore(event.strategy.validate?.(newEvents.toStored(object), context) ?? []),
      ...(JSON.stringify(object['series']) === JSON.stringify(before['series']) ? [] : seriesErrors(object)),
      ...unchanging.flatMap(([path, field]) => immutable(path, object[field], before[field])),
    ],
  },
});

/**
 * The fields that an update must not change, by the names of the stored form, which the errors use.
 */
const unchanging = [
  ['involvedObject', 'regarding'],
  ['reason', 'reason'],
  ['message', 'note'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
] as const;

function asOfCore(errors: readonly FieldError[]): readonly FieldError[] {
  return errors.map((error) =>
    error.path === 'reportingComponent' ? { ...error, path: 'reportingController' } : error,
  );
}

interface EventShape extends Stored {
  readonly eventTime?: string | null;
  readonly type?: string;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
  readonly deprecatedCount?: number;
  readonly deprecatedFirstTimestamp?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly deprecatedSource?: { readonly component?: string; readonly host?: string };
}

function seriesErrors(object: Stored): readonly FieldError[] {
  const { series } = object as EventShape;
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime === undefined || series.lastObservedTime === null
      ? [required('series.lastObservedTime')]
      : []),
  ];
}

function newEventErrors(object: Stored): readonly FieldError[] {
  const event = object as EventShape;
  const { component = '', host = '' } = event.deprecatedSource ?? {};
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== 0;
  const unset = (path: string, value: unknown) => (isSet(value) ? [invalid(path, '', 'needs to be unset')] : []);
  const isKnown = event.type === 'Normal' || event.type === 'Warning';
  return [
    ...(isSet(event.eventTime) ? [] : [required('eventTime')]),
    ...(isKnown ? [] : [invalid('type', '', `has invalid value: ${event.type ?? ''}`)]),
    ...unset('firstTimestamp', event.deprecatedFirstTimestamp),
    ...unset('lastTimestamp', event.deprecatedLastTimestamp),
    ...unset('count', event.deprecatedCount),
    ...unset('source', component === '' && host === '' ? undefined : host),
  ];
}
