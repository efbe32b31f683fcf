import type { Verdict, memberClusterSetStatus } from '@isthmus/api';
import { shown } from '../../../exchange/untrusted.ts';
import type { PolicyProblem } from './decide.ts';

/** What keeps one policy from being imported. */
export interface NotImported {
  readonly reason: PolicyProblem;
  readonly message: string;
}

/** So many policies have room in a message, with what is wrong with each. */
const mostShown = 5;

/** The condition PoliciesNotImported of a member's ClusterSet, by the names of the policies. A cluster without policies has one cause for all. */
export function notImportedVerdict(
  problems: ReadonlyMap<string, NotImported>,
): Verdict<typeof memberClusterSetStatus, 'PoliciesNotImported'> | 'absent' {
  const all = [...problems].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const [first] = all;
  if (first === undefined) return 'absent';
  const { reason } = first[1];
  const more = all.length > mostShown ? [`and ${all.length - mostShown} more`] : [];
  const some = all.slice(0, mostShown);
  if (reason === 'NoPolicyEngine') {
    const names = [...some.map(([name]) => shown(name)), ...more].join(', ');
    const message = `ClusterNetworkPolicies of the leader are not imported, because ${first[1].message}, which imports them: ${names}`;
    return { status: 'True', reason, message };
  }
  const causes = [...some.map(([name, problem]) => `${shown(name)}: ${problem.message}`), ...more].join('; ');
  return { status: 'True', reason, message: `ClusterNetworkPolicies of the leader are not imported: ${causes}.` };
}
