import { parseRfc3339 } from '@isthmus/machinery';
import { defineColumns } from '../../columns/define-columns.ts';
import { humanDuration } from '../../name-and-age.ts';

interface EventShape {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly count?: number;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
}

export const eventColumns = defineColumns<EventShape>(
  {
    'Last Seen': 'string',
    Type: 'string',
    Reason: 'string',
    Object: 'string',
    Subobject: 'wide',
    Source: 'wide',
    Message: 'string',
    'First Seen': 'wide',
    Count: 'wide',
    Name: 'wide name',
  },
  (object, now) => {
    const { involvedObject: about = {}, series, source = {} } = object;
    const first = object.firstTimestamp ?? object.eventTime;
    const last = series === undefined ? (object.lastTimestamp ?? first) : series.lastObservedTime;
    const component = source.component || object.reportingComponent || '';
    const instance = source.host || object.reportingInstance || '';
    return [
      since(last, now),
      object.type ?? '',
      object.reason ?? '',
      [(about.kind ?? '').toLowerCase(), ...(about.name ? [about.name] : [])].join('/'),
      about.fieldPath ?? '',
      instance === '' ? component : `${component}, ${instance}`,
      (object.message ?? '').trim(),
      since(first, now),
      series === undefined ? object.count || 1 : (series.count ?? 0),
      object.metadata.name,
    ];
  },
);

function since(time: string | null | undefined, now: number): string {
  const at = parseRfc3339(time ?? undefined);
  return at === undefined ? '<unknown>' : humanDuration(now - at);
}
