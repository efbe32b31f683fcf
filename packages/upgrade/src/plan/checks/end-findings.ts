import { canonicalJson } from '@isthmus/machinery';
import type { Finding } from '../../finding.ts';
import { violationsOf } from '../../policy/skew/violations.ts';
import { clustersLeftAlone, whyLeftAlone } from '../differences/find-differences.ts';
import type { PlannerContext } from '../input/planner-context.ts';
import type { Route } from '../order/find-route.ts';
import type { StartCheck } from './start-check.ts';
import { isOnlyBeside, placeOf } from './start-check.ts';

/**
 * The rules that are broken at the start and at the end of a plan whose moves all found a place.
 */
export function startAndEndFindings(
  { differences, ordered }: Route,
  start: StartCheck,
  { rules, supportOf }: PlannerContext,
): readonly Finding[] {
  const atEnd = violationsOf(ordered.end, rules, true, { supportOf });
  const alone = clustersLeftAlone(differences);
  const whyAlone = whyLeftAlone(differences);
  const before = new Set(start.findings.map(placeOf));
  const blocksAlready = new Set(start.violations.map((one) => canonicalJson(one)));
  const findings = atEnd.flatMap((finding): readonly Finding[] => {
    const isAlone = alone.has(finding.subject.cluster ?? '') || isOnlyBeside(finding, whyAlone);
    const severity = isAlone && finding.severity === 'block' ? 'warn' : finding.severity;
    if (severity === 'info') return [finding];
    // A rule that is broken from the start is reported there.
    if (severity === 'warn' && before.has(placeOf(finding))) return [];
    if (severity === 'block' && blocksAlready.has(canonicalJson(finding))) return [];
    return [{ ...finding, severity, why: `${finding.why}; this would be the state after the upgrade` }];
  });
  return [...curedFindings(start.findings, atEnd), ...findings];
}

/** A warning at the start that is gone at the end is not a warning: the plan resolves it. */
function curedFindings(atStart: readonly Finding[], atEnd: readonly Finding[]): readonly Finding[] {
  const key = ({ rule, subject: { cluster, component } }: Finding) => JSON.stringify([rule, cluster, component]);
  const left = new Set(atEnd.map(key));
  return atStart.map((finding) => {
    if (finding.severity !== 'warn' || left.has(key(finding))) return finding;
    const { unblock: _, ...rest } = finding;
    return { ...rest, severity: 'info', why: `${finding.why}; the plan fixes it` };
  });
}
