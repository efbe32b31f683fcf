import type { NetworkConflict } from '@isthmus/wire';
import type { RangeFinding } from './judge-ranges.ts';

/** More than these are not named: a message that names all would change with each cluster that joins. */
const mostNamed = 5;

/** All that the leader found about the ranges of a cluster, in the words of every place that reports it; undefined where it found nothing. */
export function networkConflict(findings: readonly RangeFinding[]): NetworkConflict | undefined {
  if (findings.length === 0) return undefined;
  const reason = findings.some((one) => one.reason === 'RangeNotAllowed') ? 'RangeNotAllowed' : 'RangeOverlaps';
  const named = findings.slice(0, mostNamed);
  const more = findings.length > mostNamed ? ['More ranges are affected.'] : [];
  const cures = new Set(named.map(({ cure }) => cure));
  return { reason, message: [...named.map(({ message }) => message), ...more, ...cures].join(' ') };
}
