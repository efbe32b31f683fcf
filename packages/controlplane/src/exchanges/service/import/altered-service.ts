import type { Service } from '@isthmus/api';
import { shown } from '@isthmus/wire';
import type { Omission } from './decide.ts';
import { partlyImported } from './decide.ts';

/** What decides where the calls of a client go; what an API server without a feature leaves out is not altered. */
const fields = ['type', 'internalTrafficPolicy', 'sessionAffinity', 'trafficDistribution'] as const;

/**
 * How often an altered Service is written again: the write changes nothing while the admission policy or the webhook is there, which may alter all imports, and
 * nothing shows when it has gone.
 */
const alteredAgainMs = 300_000;

/** The problem of an imported Service that stands with other values than were written: something in the API server of this cluster alters it. */
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
