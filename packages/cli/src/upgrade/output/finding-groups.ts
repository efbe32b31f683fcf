import { canonicalJson } from '@isthmus/machinery';
import { oneLine } from '../../render/printable-output.ts';
import type { ShownFinding } from './shown-finding.ts';

/** Findings of one rule about one object, of which the first is shown. */
export interface FindingGroup {
  readonly first: ShownFinding;
  readonly others: readonly ShownFinding[];
}

/** So many findings of one rule about one object are shown one by one. */
const mostAlone = 3;

/**
 * The findings in their order; more than three of one severity and rule about one object are a
 * group, at the place of the first.
 */
export function findingGroups(findings: readonly ShownFinding[]): readonly FindingGroup[] {
  const groups = Map.groupBy(findings, ({ severity, rule, clusters = [], subject }) =>
    canonicalJson({ severity, rule, clusters, subject: { ...subject, path: '' } }),
  );
  const large = new Map(
    [...groups.values()].filter(({ length }) => length > mostAlone).map((group) => [group[0], group] as const),
  );
  const grouped = new Set([...large.values()].flat());
  return findings.flatMap((first) => {
    const group = large.get(first);
    if (group !== undefined) return [{ first, others: group.slice(1) }];
    return grouped.has(first) ? [] : [{ first, others: [] }];
  });
}

/** The places of the others: the first five, how many more, and the flag that shows each. */
export function othersText(others: readonly ShownFinding[], each: string): string {
  const places = [...new Set(others.map(({ place, subject }) => oneLine(place ?? subject.path ?? 'the object')))];
  const more = places.length - listed;
  return `${places.slice(0, listed).join(', ')}${more > 0 ? ` and ${more} more places` : ''} (${each} shows each)`;
}

const listed = 5;
