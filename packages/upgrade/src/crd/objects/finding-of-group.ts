import type { Finding } from '../../finding.ts';
import type { Severity } from '../../words.ts';
import type { ObjectEffect, ObjectProblemGroup, ObjectsReport } from '../object-problem.ts';

const effects: Readonly<
  Record<ObjectEffect, { readonly severity: Severity; readonly what: string; readonly unblock: string }>
> = {
  'blocks-any-write': {
    severity: 'block',
    what: 'cannot be written any more',
    unblock: 'bring them into the new form before the CRD is applied, or keep what the old CRD allowed',
  },
  'blocks-apply': {
    severity: 'block',
    what: 'hold items twice: server-side apply and creation of them fail, other updates pass',
    unblock: 'take the duplicates out, in files and in Git as well, before the CRD is applied',
  },
  'blocks-change': {
    severity: 'warn',
    what: 'can be written only as long as the part stays as it is',
    unblock: 'bring them into the new form; until then a change of the part is refused',
  },
  'data-loss': {
    severity: 'block',
    what: 'lose what they hold there with the next write',
    unblock: 'move the values to where the new CRD keeps them, or keep the field',
  },
  'read-breaks': {
    severity: 'block',
    what: 'cannot be read any more',
    unblock: 'keep a version served by which they can be read',
  },
  'unknown-conversion': {
    severity: 'warn',
    what: 'are converted by a webhook, which is not asked here',
    unblock: 'try the webhook with these objects before the CRD is applied',
  },
};

/** What a group of stored objects suffers, as a finding of a plan: `objects.data-loss`. Holds no values. */
export function findingOfGroup(group: ObjectProblemGroup, { objects }: ObjectsReport, cluster?: string): Finding {
  const { crd, version, effect, field, message, count, first, namespaces, managers } = group;
  const { severity, what, unblock } = effects[effect];
  const named = `${first.join(', ')}${count > first.length ? ', …' : ''}`;
  const where = namespaces.length > 1 ? `; in ${namespaces.length} namespaces` : '';
  const who = managers.length === 0 ? '' : `; written by ${managers.join(', ')}`;
  return {
    rule: `objects.${effect}`,
    severity,
    subject: { ...(cluster !== undefined && { cluster }), object: crd, ...(field !== '' && { path: field }) },
    why: `${version}: ${count} of ${objects} objects ${what} (${named}${where}${who}): ${message}`,
    unblock,
  };
}
