import type { Finding } from '../../finding.ts';
import { inRange, parseVersionRange } from '../../version/parse-version-range.ts';
import type { Version } from '../../version/version.ts';
import { orderedFindings } from '../../finding-order.ts';
import type { Policy } from '../policy.ts';

/**
 * The notes for moving a component of a type from one version to another: those whose ranges
 * contain both.
 */
export function releaseNotes(
  from: Version,
  to: Version,
  type: string,
  policies: readonly Policy[],
): readonly Finding[] {
  const isIn = (version: Version, text: string) => {
    const range = parseVersionRange(text);
    return !('problem' in range) && inRange(version, range);
  };
  return orderedFindings(
    policies
      .flatMap(({ spec }) => spec.notes)
      .filter(
        (note) => note.component === type && isIn(to, note.to) && (note.from === undefined || isIn(from, note.from)),
      )
      .map(({ id, severity, text, unblock, source }) => ({
        rule: id,
        severity,
        subject: { component: type },
        why: text,
        ...(unblock === undefined ? {} : { unblock }),
        source,
      })),
  );
}
