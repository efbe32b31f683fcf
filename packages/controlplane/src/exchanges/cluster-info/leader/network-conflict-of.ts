import type { NetworkConflict } from '@isthmus/wire';
import type { RangeFinding } from './judge-ranges.ts';

/** A condition has one reason: the first that applies. */
const worstFirst = ['GatewayTaken', 'OutsideGrant', 'RangeNotAllowed'] as const;

/**
 * The limit on named findings. A message that names all would change with each cluster that joins.
 */
const mostNamed = 5;

/**
 * All findings of the leader about the ranges of a cluster, in the words of every place that
 * reports them. Undefined without findings.
 */
export function networkConflict(findings: readonly RangeFinding[]): NetworkConflict | undefined {
  if (findings.length === 0) return undefined;
  const reason = worstFirst.find((one) => findings.some((finding) => finding.reason === one)) ?? 'RangeOverlaps';
  const named = findings.slice(0, mostNamed);
  const more = findings.length > mostNamed ? ['More ranges are affected.'] : [];
  // One that ends with a command comes last.
  const isCommand = (cure: string) => Number(!cure.endsWith('.'));
  const cures = [...new Set(named.map(({ cure }) => cure))].toSorted((a, b) => isCommand(a) - isCommand(b));
  return { reason, message: [...named.map(({ message }) => message), ...more, ...cures].join(' ') };
}
