import type { Waiver } from '../../crd/waivers.ts';
import type { Finding } from '../../finding.ts';
import type { Plan } from '../format/plan.ts';
import type { Accepted } from '../order/toleration.ts';
import { fits, isNeverWaived } from './waive-findings.ts';
import { ofOtherChecks } from './waiver-problems.ts';

/**
 * The waivers that accept no finding, each with the cause: users may rely on them, or they can be
 * removed. Waivers for rules of other checks are left out, because a file of waivers may serve
 * several commands.
 */
export function idleWaivers(
  waivers: readonly Waiver[],
  accepted: readonly Accepted[],
  today: string,
): Plan['spec']['idleWaivers'] {
  const used = new Set(accepted.map(({ waiver }) => waiver));
  const idle = waivers.filter((one) => !used.has(one) && !ofOtherChecks(one.rule));
  return idle
    .map((waiver) => {
      const { rule, crd, path, reason, by, until } = waiver;
      const subject = [crd, path].filter((one) => one !== undefined).join(' ') || 'any';
      return { rule, subject, reason, by, until, why: whyIdle(waiver, accepted, today) };
    })
    .toSorted((a, b) => (`${a.rule}\n${a.subject}` < `${b.rule}\n${b.subject}` ? -1 : 1));
}

/** The waivers that would accept a finding if they had not expired. */
export function expiredWaivers(
  findings: readonly Finding[],
  waivers: readonly Waiver[],
  today: string,
): readonly Waiver[] {
  const day = today.slice(0, 10);
  return waivers.filter(
    (one) =>
      one.until < day &&
      findings.some((finding) => finding.severity !== 'info' && fits({ ...one, until: day }, finding, today)),
  );
}

function whyIdle(waiver: Waiver, accepted: readonly Accepted[], today: string): string {
  if (waiver.until < today.slice(0, 10)) return `it expired after ${waiver.until}`;
  const other = accepted.find(({ finding }) => fits(waiver, finding, today));
  if (other !== undefined)
    return `it duplicates another waiver, by ${other.waiver.by} until ${other.waiver.until}, that accepts the same`;
  return isNeverWaived(waiver.rule)
    ? `a blocking finding of ${waiver.rule} cannot be waived`
    : 'it matches no finding that can be waived';
}
