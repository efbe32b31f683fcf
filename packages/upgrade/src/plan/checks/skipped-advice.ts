import type { Finding } from '../../finding.ts';
import { clustersText } from '../../fleet/where-text.ts';
import type { WhyLeftAlone } from '../differences/find-differences.ts';

/**
 * A finding whose advice is to upgrade what the plan skips: the advice then names the component,
 * its clusters and the reason, so that a person knows what to change.
 */
export function withSkippedAdvice(finding: Finding, whyAlone: WhyLeftAlone): Finding {
  const { unblock, behind = [] } = finding;
  const skipped = behind.filter((one) => whyAlone(one) !== undefined);
  const [first] = skipped;
  if (unblock === undefined || first === undefined) return finding;
  const reasons = new Set(skipped.map(whyAlone));
  const why = reasons.size === 1 ? [...reasons].join('') : 'see the list of skipped components';
  const where = clustersText(skipped.map(({ cluster }) => cluster));
  return { ...finding, unblock: `${unblock}; this plan skips ${first.component} (${where}): ${why}` };
}
