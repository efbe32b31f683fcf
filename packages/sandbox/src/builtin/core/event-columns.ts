import { parseRfc3339 } from '@isthmus/machinery';
import { defineColumns } from '../columns/define-columns.ts';
import { humanDuration } from '../name-and-age.ts';

interface EventShape {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
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

export const eventColumns = defineColumns<EventShape>({
  'Last Seen': ['string', (event, now) => since(lastSeen(event), now)],
  Type: ['string', 'type'],
  Reason: ['string', 'reason'],
  Object: [
    'string',
    ({ involvedObject: { kind = '', name } = {} }) => [kind.toLowerCase(), ...(name ? [name] : [])].join('/'),
  ],
  Subobject: ['wide', 'involvedObject.fieldPath'],
  Source: ['wide', sourceText],
  Message: ['string', ({ message = '' }) => message.trim()],
  'First Seen': ['wide', (event, now) => since(firstSeen(event), now)],
  Count: ['wide', ({ series, count }) => (series === undefined ? count || 1 : (series.count ?? 0))],
  Name: ['wide name', 'metadata.name'],
});

function firstSeen({ firstTimestamp, eventTime }: EventShape): string | null | undefined {
  return firstTimestamp ?? eventTime;
}

function lastSeen(event: EventShape): string | null | undefined {
  const { series, lastTimestamp } = event;
  return series === undefined ? (lastTimestamp ?? firstSeen(event)) : series.lastObservedTime;
}

function sourceText({ source = {}, reportingComponent, reportingInstance }: EventShape): string {
  const component = source.component || reportingComponent || '';
  const instance = source.host || reportingInstance || '';
  return instance === '' ? component : `${component}, ${instance}`;
}

function since(time: string | null | undefined, now: number): string {
  const at = parseRfc3339(time ?? undefined);
  return at === undefined ? '<unknown>' : humanDuration(now - at);
}
