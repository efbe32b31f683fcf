import type { StatusDefinition } from '@isthmus/api';

type Reason = StatusDefinition['reasons'][string];

/**
 * The places where a reason is reported, as text for users: `Ready` is False, an Event about the
 * ClusterSet.
 */
export function placesOf({ on, severity }: Reason): readonly string[] {
  const type = severity === 'ok' || severity === 'wait' ? 'Normal' : 'Warning';
  return on.map((place) => {
    if (place === 'Event') return `Event (${type})`;
    if (place === 'Event on the ClusterSet') return `Event (${type}) on the ClusterSet, if the object does not exist`;
    const [condition = '', status = ''] = place.split('=');
    return `\`${condition}\` is ${status}`;
  });
}

/** The anchor that a heading gets on the usual Markdown pages. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}
