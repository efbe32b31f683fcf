import { s } from '@isthmus/schema';

/**
 * How an owner of fleets wants members and Nodes to be divided (docs/spec/upgrades.md §2.3). What
 * is absent is as without any policy: 1, 25 %, one by one.
 */
export const waveRules = s.object({
  canary: s.int32().min(0).optional().doc('How many clusters are in the first wave; absent: 1.'),
  shares: s
    .array(s.int32().min(1).max(100))
    .optional()
    .doc(
      'The share of all clusters that is done after each further wave, in percent, rising; the rest follows. Absent: 25.',
    ),
  nodesAtOnce: s.int32().min(1).optional().doc('The most Nodes of a cluster at once; absent: 1.'),
  soakSeconds: s
    .int32()
    .min(0)
    .optional()
    .doc('How long a wave must run before the next begins, in seconds; absent: no time.'),
});

/** Why shares cannot be used; undefined where they can: whole percents from 1 to 100 that rise. */
export function sharesProblem(shares: readonly number[]): string | undefined {
  const wrong = shares.find((share) => !Number.isInteger(share) || share < 1 || share > 100);
  if (wrong !== undefined) return `${wrong} is not a whole percentage from 1 to 100`;
  const at = shares.findIndex((share, index) => index > 0 && share <= (shares[index - 1] ?? 0));
  return at < 0
    ? undefined
    : `${shares[at]} is not greater than ${shares[at - 1]}: each share includes the earlier ones`;
}
