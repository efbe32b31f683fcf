import type { Finding } from '../../finding.ts';
import type { Severity } from '../../words.ts';
import type { ObjectEffect, ObjectProblemGroup, ObjectsReport } from '../object-problem.ts';

const effects: Readonly<
  Record<ObjectEffect, { readonly severity: Severity; readonly what: string; readonly unblock: string }>
> = {
  'blocks-any-write': {
    severity: 'block',
    what: 'can no longer be written',
    unblock: 'convert them to the new form before the CRD is applied, or keep what the old CRD allowed',
  },
  'blocks-apply': {
    severity: 'block',
    what: 'contain duplicate items: creating and server-side applying them fails, other updates succeed',
    unblock: 'remove the duplicates, also in files and in Git, before the CRD is applied',
  },
  'blocks-change': {
    severity: 'warn',
    what: 'can be written only while this part stays unchanged',
    unblock: 'convert them to the new form; until then changes of this part are rejected',
  },
  'data-loss': {
    severity: 'block',
    what: 'lose these values on the next write',
    unblock: 'move the values to the new field, or keep the old one',
  },
  'read-breaks': {
    severity: 'block',
    what: 'can no longer be read',
    unblock: 'keep serving a version in which they can be read',
  },
  'unknown-conversion': {
    severity: 'warn',
    what: 'are converted by a webhook, which is not called here',
    unblock: 'try the webhook with these objects before the CRD is applied',
  },
};

/**
 * The problem of a group of stored objects, as a finding of a plan: `objects.data-loss`. Contains
 * no values.
 */
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
