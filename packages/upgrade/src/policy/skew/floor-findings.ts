import type { Finding } from '../../finding.ts';
import { inRange } from '../../version/parse-version-range.ts';
import type { FleetIndex } from '../../fleet/fleet-index.ts';
import type { Instance } from '../../fleet/fleet-state.ts';
import type { ReadyFloorRule } from '../rule-set.ts';
import { inScope, subjectsOf } from './scope.ts';
import { instancesText } from '../../fleet/where-text.ts';

/**
 * Components below the least version of a rule, or whose version cannot be compared with it: one
 * finding for each component, version and cluster.
 */
export function floorFindings(
  rule: ReadyFloorRule,
  index: FleetIndex,
  touched?: readonly Instance[],
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const cluster of subjectsOf({ ...rule, reference: rule.whenPresent ?? rule.subject }, index, touched)) {
    const { whenPresent } = rule;
    if (whenPresent !== undefined && inScope(index, rule.scope, whenPresent, cluster).size === 0) continue;
    for (const [, instances] of index.in(rule.subject, cluster)) {
      const [first] = instances;
      if (first === undefined || inRange(first.version, rule.versions)) continue;
      for (const [component, some] of Map.groupBy(instances, (one) => one.component))
        findings.push({
          rule: rule.id,
          severity: rule.severity,
          subject: { cluster: first.cluster, component },
          why: `${rule.message === undefined ? '' : `${rule.message}: `}${instancesText(some)} needs ${rule.range}`,
          unblock: `upgrade ${component} to a version in ${rule.range}`,
          source: rule.source,
        });
    }
  }
  return findings;
}
