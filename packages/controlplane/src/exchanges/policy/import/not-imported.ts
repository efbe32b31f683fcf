import { firstOf } from '@isthmus/machinery';
import type { Verdict, memberClusterSetStatus } from '@isthmus/api';
import { keepsImport, shown } from '@isthmus/wire';
import type { PolicyProblem } from './decide.ts';

/** Why one policy is not imported. */
export interface NotImported {
  readonly reason: PolicyProblem;
  readonly message: string;
}

/** How many policies fit into a message, each with its problem. */
const mostShown = 5;

/**
 * The condition PoliciesNotImported of a member's ClusterSet. It lists policies by name: first
 * those that have no effect here, then those of which an earlier import stays in force. A cluster
 * that cannot have policies has one cause for all.
 */
export function notImportedVerdict(
  problems: ReadonlyMap<string, NotImported>,
): Verdict<typeof memberClusterSetStatus, 'PoliciesNotImported'> | 'absent' {
  const sorted = [...problems].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const absent = sorted.filter(([, { reason }]) => !keepsImport(reason));
  const kept = sorted.filter(([, { reason }]) => keepsImport(reason));
  const [first] = [...absent, ...kept];
  if (first === undefined) return 'absent';
  const { reason } = first[1];
  if (reason === 'NoPolicyEngine') {
    const names = firstOf(absent, mostShown, ([name]) => shown(name)).join(', ');
    const message = `ClusterNetworkPolicies of the leader are not imported, because ${first[1].message}, which imports them: ${names}`;
    return { status: 'True', reason, message };
  }
  const sentences = [
    ...(absent.length === 0 ? [] : [`ClusterNetworkPolicies of the leader are not imported: ${causes(absent)}.`]),
    ...(kept.length === 0
      ? []
      : [`ClusterNetworkPolicies of the leader stay as they were imported before: ${causes(kept)}.`]),
  ];
  return { status: 'True', reason, message: sentences.join(' ') };
}

type Named = readonly [name: string, problem: NotImported];

function causes(policies: readonly Named[]): string {
  return firstOf(policies, mostShown, ([name, problem]) => `${shown(name)}: ${problem.message}`).join('; ');
}
