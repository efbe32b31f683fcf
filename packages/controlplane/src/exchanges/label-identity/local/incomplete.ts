import type { ReasonOn, Verdict, memberClusterSetStatus } from '@isthmus/api';

/** A reason why label identities are not exchanged. */
export type LabelIdentityProblem = ReasonOn<typeof memberClusterSetStatus, 'LabelIdentitiesIncomplete=True'>;

/** Problems of single label identities, by unique names. */
export type LabelIdentityProblems = ReadonlyMap<
  string,
  { readonly reason: LabelIdentityProblem; readonly message: string }
>;

/**
 * The first labels, by name, whose number other labels have too. This is for an Event: unlike the
 * other problems, it concerns an administrator of the leader.
 */
export function sharedNumber(problems: LabelIdentityProblems) {
  let first: readonly [string, { readonly reason: 'LabelNumberShared'; readonly message: string }] | undefined;
  for (const [name, { reason, message }] of problems)
    if (reason === 'LabelNumberShared' && (first === undefined || name < first[0])) first = [name, { reason, message }];
  return first?.[1];
}

/**
 * The condition LabelIdentitiesIncomplete of a member's ClusterSet. There may be thousands of
 * problems: the first by name represents all.
 */
export function incompleteVerdict(
  ...problems: readonly LabelIdentityProblems[]
): Verdict<typeof memberClusterSetStatus, 'LabelIdentitiesIncomplete'> | 'absent' {
  const all = problems.flatMap((some) => [...some]);
  let first = all[0];
  for (const one of all) if (first === undefined || one[0] < first[0]) first = one;
  if (first === undefined) return 'absent';
  const more = all.length > 1 ? ` There are ${all.length} such problems.` : '';
  return { status: 'True', reason: first[1].reason, message: `${first[1].message}${more}` };
}
