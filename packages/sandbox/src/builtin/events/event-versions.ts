import type { VersionConversion } from '../../registry/served-resource.ts';
import type { Stored } from '../../store/stored.ts';
import { asType } from '../types/as-type.ts';

/** The fields that have another name in `events.k8s.io/v1`, by their names in `v1`. */
const renamed: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};

const back = Object.fromEntries(Object.entries(renamed).map(([old, now]) => [now, old]));

/** Events of `events.k8s.io/v1` are stored as those of `v1`: the same fields, under other names. */
export const newEvents: VersionConversion = {
  toServed: (stored) => asType('events.k8s.io/v1', under(renamed, stored)),
  toStored: (object) => asType('v1', under(back, object)),
};

function under(names: Readonly<Record<string, string>>, object: Stored): Stored {
  return Object.fromEntries(
    Object.entries(object).map(([name, one]) => [names[name] ?? name, one]),
  ) as unknown as Stored;
}
