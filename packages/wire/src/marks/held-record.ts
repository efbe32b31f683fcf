import { Annotation } from '@isthmus/api';
import type { KubernetesObject } from '@isthmus/machinery';

/**
 * For how many milliseconds the parts of an import have been held, by cluster ID; the empty ID is
 * the whole import.
 */
export type HeldTimes = ReadonlyMap<string, number>;

/** How many times the hold is recorded until a silent member is forgotten: once an hour. */
export const recordSteps = 24;

const whole = '*';
const minuteMs = 60_000;

/**
 * The recorded times of an object (annotation `isthmus.dev/held-for`), so that a restart does not
 * begin the hold again. They are times that controllers have waited, not moments: a clock can be
 * wrong by more than the time after which a silent member is forgotten.
 */
export function heldTimes({ metadata }: Pick<KubernetesObject, 'metadata'>): HeldTimes {
  const times = new Map<string, number>();
  for (const entry of (metadata.annotations?.[Annotation.heldFor] ?? '').split(',')) {
    const [, part, minutes] = /^([^=]+)=(\d{1,9})m$/.exec(entry) ?? [];
    if (part !== undefined) times.set(part === whole ? '' : part, Number(minutes) * minuteMs);
  }
  return times;
}

/**
 * The annotation for these times, in whole steps so that it is seldom written; undefined if no hold
 * has lasted for a step. Those in `fromTheStart` are written earlier, with 0 minutes: for them, the
 * record itself is information.
 */
export function heldTimesText(
  times: HeldTimes,
  stepMs: number,
  fromTheStart: (clusterID: string) => boolean = () => false,
): string | undefined {
  const entries = [...times].flatMap(([clusterID, ms]) => {
    const minutes = Math.floor((Math.floor(ms / stepMs) * stepMs) / minuteMs);
    return minutes === 0 && !fromTheStart(clusterID) ? [] : [`${clusterID === '' ? whole : clusterID}=${minutes}m`];
  });
  return entries.length === 0 ? undefined : entries.toSorted().join(',');
}

/** The object with this record instead of its own. */
export function withHeldTimes<T extends Pick<KubernetesObject, 'metadata'>>(object: T, text: string | undefined): T {
  const { [Annotation.heldFor]: _before, ...others } = object.metadata.annotations ?? {};
  const annotations = text === undefined ? others : { ...others, [Annotation.heldFor]: text };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
