import type { Service } from '@isthmus/api';
import { shown } from '@isthmus/wire';
import type { Omission } from './decide.ts';
import { partlyImported } from './decide.ts';

/**
 * Fields that decide where the calls of a client go. A field that an API server omits, because it
 * lacks the feature, does not count as altered.
 */
const fields = ['type', 'internalTrafficPolicy', 'sessionAffinity', 'trafficDistribution'] as const;

/**
 * How often to write an altered Service again. The write changes nothing as long as the admission
 * policy or the webhook exists. It may alter all imports, and no watch shows when it is removed.
 */
const alteredAgainMs = 300_000;

/**
 * The problem of an imported Service that is stored with other values than were written: a part of
 * this cluster's API server alters it.
 */
export function alteredService(wanted: Service, written: Service): Omission | undefined {
  const altered = fields.flatMap((field) => {
    const [before, after] = [wanted.spec?.[field], written.spec?.[field]];
    if (before === undefined || after === undefined || before === after) return [];
    return [`${field} ${shown(before)} to ${shown(after)}`];
  });
  if (altered.length === 0) return undefined;
  const what = `an admission policy or a webhook of this cluster changes Service ${written.metadata.name}: ${altered.join(', ')}. Exclude the imported Services from it: they have the label app.kubernetes.io/managed-by=isthmus`;
  return { ...partlyImported(what), lookAgainMs: alteredAgainMs };
}
