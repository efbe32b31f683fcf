import type { Waiver } from '../../crd/waivers.ts';
import type { Plan } from '../format/plan.ts';
import { ofOtherChecks } from './waiver-problems.ts';

/**
 * The waivers that let nothing pass, each with the cause: somebody relies on them, or they can go. Those for rules of other checks are left out,
 * because a file of waivers may serve several commands.
 */
export function idleWaivers(
  waivers: readonly Waiver[],
  used: ReadonlySet<Waiver>,
  today: string,
): Plan['spec']['idleWaivers'] {
  const idle = waivers.filter((one) => !used.has(one) && !ofOtherChecks(one.rule));
  return idle
    .map((waiver) => {
      const { rule, crd, path, reason, by, until } = waiver;
      const subject = [crd, path].filter((one) => one !== undefined).join(' ') || 'any';
      return { rule, subject, reason, by, until, why: whyIdle(waiver, today) };
    })
    .toSorted((a, b) => (`${a.rule}\n${a.subject}` < `${b.rule}\n${b.subject}` ? -1 : 1));
}

function whyIdle({ until }: Waiver, today: string): string {
  return until < today.slice(0, 10) ? `it expired after ${until}` : 'it matches no finding that can be waived';
}
