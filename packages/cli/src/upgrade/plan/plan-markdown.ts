import type { Plan, Step } from '@isthmus/upgrade';
import { clustersText } from '../output/findings.ts';
import { summaryLines } from './plan-summary.ts';
import { skippedLines } from './skipped-lines.ts';
import { soakText } from './soak-text.ts';
import { changeCells, changeHeads, noReturnText, outcomeText } from './plan-text.ts';

/** A plan as a page: for a review, or beside its change. Ends with a line end. */
export function planMarkdown({ spec }: Plan): string {
  const { bundle, changes, steps, findings, skipped, waived, notExamined, snapshot } = spec;
  const groups = Map.groupBy(steps, ({ id, group }) => `${id.split('.')[0] ?? ''}. ${group}`);
  const lines = [
    `**${outcomeText(spec)}** Bundle \`${bundle.name}\` (number ${bundle.number}), snapshot \`${snapshot.name}\` of ${snapshot.takenAt}.`,
    ...section(
      'Summary',
      summaryLines(spec).map((one) => `- ${cell(one)}`),
    ),
    ...section(
      'Changes',
      table(
        changeHeads.map((one) => capital(one)),
        changes.map((one) => changeCells(one, steps)),
      ),
    ),
    ...[...groups].flatMap(([title, some]) => section(title, some.map(stepLine))),
    ...(spec.pointOfNoReturn === undefined ? [] : section('Point of no return', [noReturnText(spec.pointOfNoReturn)])),
    ...section(
      'Findings',
      table(
        ['Severity', 'Rule', 'What', 'To do'],
        findings.map(({ severity, rule, why, unblock, subject, clusters }) => [
          severity,
          `\`${rule}\``,
          `${[clusters.length > 1 ? clustersText(clusters) : subject.cluster, subject.component].filter((one) => one !== undefined).join('/')}: ${why}`,
          unblock ?? '',
        ]),
      ),
    ),
    ...section(
      'Left out, because they are blocked',
      table(
        ['Cluster', 'Rule', 'What', 'To do'],
        spec.leftOut.map(({ cluster, component, object, rule, why, unblock }) => [
          component === undefined ? cluster : `${cluster}/${component}`,
          `\`${rule}\``,
          object === undefined ? why : `${object}: ${why}`,
          unblock ?? '',
        ]),
      ),
    ),
    ...section(
      'Skipped',
      skippedLines(skipped).map((one) => `- ${one}`),
    ),
    ...section(
      'Waived',
      waived.map(
        ({ rule, subject, reason, by, until }) => `- \`${rule}\` of ${subject}: ${reason} (${by}, until ${until})`,
      ),
    ),
    ...section(
      'Waivers without effect',
      spec.idleWaivers.map(
        ({ rule, subject, by, until, why }) => `- \`${rule}\` of ${subject} (${by}, until ${until}): ${why}`,
      ),
    ),
    ...section(
      'Not examined',
      notExamined.map((one) => `- ${one}`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function stepLine(step: Step): string {
  const { id, title, wave, after, gates, interrupts, instructions } = step;
  const kinds = gates.map(({ kind }) => (kind === 'soak' ? (soakText([step]) ?? kind) : kind));
  const reported = [
    ...(wave > 0 ? [`wave ${wave}`] : []),
    ...(after.length > 0 ? [`after ${after.join(', ')}`] : []),
    ...(gates.length > 0 ? [`gates: ${[...new Set(kinds)].join(', ')}`] : []),
  ];
  const note = interrupts.length === 0 ? '' : ` Meanwhile: ${interrupts.join(' ')}`;
  const how = instructions === undefined ? '' : ` ${cell(instructions)}`;
  return `- **${id}** ${cell(title)}${reported.length === 0 ? '' : ` (${reported.join('; ')})`}.${how}${note}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `### ${title}`, '', ...lines];
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function capital(text: string): string {
  return text.slice(0, 1) + text.slice(1).toLowerCase();
}
