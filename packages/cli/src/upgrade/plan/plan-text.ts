import { textTable } from '@isthmus/machinery';
import type { Change, Plan, Step } from '@isthmus/upgrade';
import { findingsText } from '../output/findings.ts';
import { summaryText } from './plan-summary.ts';
import { skippedLines } from './skipped-lines.ts';
import { soakText } from './soak-text.ts';

/**
 * A plan as text for users: the changes, the steps, the findings, and what is left out. Ends with a
 * line end.
 */
export function planText({ spec }: Plan): string {
  const { bundle, changes, steps, findings } = spec;
  const head = `${outcomeText(spec)} Bundle ${bundle.name} (number ${bundle.number}), snapshot ${spec.snapshot.name} of ${spec.snapshot.takenAt}.`;
  const parts = [
    head,
    ...(changes.length > summaryFrom ? [summaryText(spec)] : []),
    ...(changes.length === 0
      ? []
      : [textTable([changeHeads, ...changes.map((one) => changeCells(one, steps))]).join('\n')]),
    ...(steps.length === 0 ? [] : [textTable([stepHeads, ...steps.map(stepCells)]).join('\n')]),
    ...(spec.pointOfNoReturn === undefined ? [] : [noReturnText(spec.pointOfNoReturn)]),
    ...list('Left out, because they are blocked', leftOutLines(spec.leftOut)),
    ...list('Skipped', skippedLines(spec.skipped)),
    ...list(
      'Waived',
      spec.waived.map(
        ({ rule, subject, reason, by, until }) => `${rule} of ${subject} by ${by} until ${until}: ${reason}`,
      ),
    ),
    ...list(
      'Waivers without effect',
      spec.idleWaivers.map(
        ({ rule, subject, by, until, why }) => `${rule} of ${subject} by ${by} until ${until}: ${why}`,
      ),
    ),
    ...list('Not examined', spec.notExamined),
    ...(findings.length === 0 ? [] : [findingsText(findings, { isGrouped: true, each: '-o json' }).trimEnd()]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/**
 * One line for each finding that blocks a cluster. If there are more than three of one rule about
 * one object of a cluster, the first is shown, and how many more.
 */
function leftOutLines(leftOut: Plan['spec']['leftOut']): readonly string[] {
  const groups = Map.groupBy(leftOut, ({ cluster, component, rule, object }) =>
    JSON.stringify([cluster, component, rule, object]),
  );
  return [...groups.values()].flatMap((group) => {
    const lines = group.map(({ cluster, component, rule, object, why, unblock }) => {
      const at = [cluster, component].filter((one) => one !== undefined).join('/');
      const about = object === undefined ? rule : `${rule} of ${object}`;
      return `${at}: ${about}: ${why}${unblock === undefined ? '' : `; to do: ${unblock}`}`;
    });
    return lines.length <= 3 ? lines : [`${lines[0]} (and ${lines.length - 1} more of this rule; -o json shows each)`];
  });
}

/** Plans with fewer changes fit on a page. */
const summaryFrom = 10;

/** One sentence on the outcome of a plan. */
export function outcomeText({ outcome, steps, changes, leftOut }: Plan['spec']): string {
  const many = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  if (outcome === 'up-to-date' && changes.length > 0)
    return `Nothing to do: ${many} skipped, see the list of skipped components.`;
  if (outcome === 'up-to-date') return 'The fleet is up to date.';
  if (outcome === 'blocked') return `Blocked: ${many}. Resolve the blocking findings first.`;
  const moving = changes.filter((one) => one.steps.length > 0).length;
  const ready = `Ready: ${moving === 1 ? '1 change' : `${moving} changes`} in ${steps.length === 1 ? '1 step' : `${steps.length} steps`}.`;
  const blocked = new Set(leftOut.map(({ cluster }) => cluster)).size;
  return blocked === 0
    ? ready
    : `${ready} ${blocked === 1 ? '1 blocked cluster is' : `${blocked} blocked clusters are`} left out.`;
}

/** The heads of the table of changes, as of docs/spec/upgrades.md §1.5. */
export const changeHeads = ['CLUSTER', 'COMPONENT', 'CURRENT', 'TARGET', 'CHANGE', 'STEP', 'GATES'] as const;

/** One change as its cells; several versions that run are listed from the oldest to the newest. */
export function changeCells(change: Change, steps: readonly Step[]): readonly string[] {
  const { from, to, hops, relation } = change;
  const own = steps.filter(({ id }) => change.steps.includes(id));
  const gates = [
    ...new Set(
      own.flatMap(({ gates: all, action }) => [
        ...all.map(({ kind }) => kind),
        ...(action === undefined ? [] : [action]),
      ]),
    ),
  ];
  const current = from.versions.length > 0 ? `${from.versions[0] ?? ''}…${from.versions.at(-1) ?? ''}` : from.version;
  return [
    change.cluster ?? '-',
    change.displayName,
    current || '-',
    hops.length > 1 ? hops.join(' → ') : to.version,
    relation,
    own.length === 0 ? '-' : own.length === 1 ? (own[0]?.id ?? '') : `${own[0]?.id ?? ''}…${own.at(-1)?.id ?? ''}`,
    gates.join(' ') || '-',
  ];
}

const stepHeads = ['STEP', 'GROUP', 'DOES', 'AFTER'] as const;

function stepCells(step: Step): readonly string[] {
  const { id, group, wave, kind, title, after } = step;
  const soak = soakText([step]);
  const does = `${kind}: ${title}${soak === undefined ? '' : `, then ${soak}`}`;
  return [id, wave > 0 ? `${group}, wave ${wave}` : group, does, after.join(' ') || '-'];
}

export function noReturnText({ step, reasons }: NonNullable<Plan['spec']['pointOfNoReturn']>): string {
  return `The upgrade cannot be rolled back from step ${step} on: ${reasons.join('; ')}.`;
}

function list(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [[`${title}:`, ...lines.map((one) => `  ${one}`)].join('\n')];
}
