import { firstNames, textTable } from '@isthmus/machinery';
import type { Finding, Subject } from '@isthmus/upgrade';
import { ExitCode } from '../../command/exit-code.ts';
import { oneLine } from '../../render/printable-output.ts';
import { findingGroups, othersText } from './finding-groups.ts';
import type { ShownFinding } from './shown-finding.ts';
import type { Piece } from '../../render/output.ts';

/** The exit code for findings: 3 if one blocks, 2 if one warns, otherwise 0. */
export function exitOf(findings: readonly Pick<Finding, 'severity'>[]): ExitCode {
  if (findings.some(({ severity }) => severity === 'block')) return ExitCode.blocked;
  return findings.some(({ severity }) => severity === 'warn') ? ExitCode.warned : ExitCode.ok;
}

/**
 * Findings as text: each with its severity, rule and subject on one line, the finding below, and
 * the next step; then their number. With `isGrouped`, only the first of many findings with one rule
 * about one object is shown, and the places of the others; `each` is the flag that shows them all.
 * Ends with a line end.
 */
export function findingsText(
  findings: readonly ShownFinding[],
  { isGrouped = false, each = '-o wide' }: { readonly isGrouped?: boolean; readonly each?: string } = {},
): string {
  const groups = isGrouped ? findingGroups(findings) : findings.map((first) => ({ first, others: [] }));
  const rows = groups.map(({ first: { severity, rule, subject, place, clusters = [] }, others }) => [
    severity,
    rule,
    place ?? '',
    [
      ...(clusters.length > 1 ? [clustersText(clusters)] : []),
      subjectText(subject),
      ...(others.length === 0 ? [] : [`and ${others.length} more`]),
    ]
      .filter((one) => one !== '')
      .join(', '),
  ]);
  const lines = textTable(rows.map((row) => row.map(oneLine))).flatMap((line, at) => {
    const { first, others } = groups[at] ?? { first: undefined, others: [] };
    if (first === undefined) return [line];
    const { why, unblock, source } = first;
    return [
      line,
      indented(`${why}${source === undefined ? '' : ` (${source})`}`),
      ...(others.length === 0 ? [] : [indented(`also: ${othersText(others, each)}`)]),
      ...(unblock === undefined ? [] : [indented(`to do: ${unblock}`)]),
    ];
  });
  return `${[...lines, countText(findings)].join('\n')}\n`;
}

/** A text with findings in it, in pieces: the severities that need attention are styled. */
export function styledFindings(text: string): readonly Piece[] {
  const parts = text.split(/^(block|warn)(?= {2})/m);
  return parts.map((part, at) =>
    at % 2 === 0 ? part : ({ style: part === 'block' ? 'bad' : 'warning', text: part } as const),
  );
}

/**
 * Indents every line of it: a name must not look like a finding, or like the number of findings.
 */
function indented(text: string): string {
  return text.replaceAll(/^/gm, '       ');
}

/** `3 clusters (east, south, west)`; for many clusters the first ten and how many more. */
export function clustersText(clusters: readonly string[]): string {
  return `${clusters.length} ${clusters.length === 1 ? 'cluster' : 'clusters'} (${firstNames(clusters, 10)})`;
}

function subjectText({ clusterSet, cluster, component, node, object, path }: Subject): string {
  const named = { clusterset: clusterSet, cluster, component, node, object };
  const words = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return [...words, ...(path === undefined ? [] : [path])].join(', ');
}

function countText(findings: readonly ShownFinding[]): string {
  const count = (severity: Finding['severity']) => findings.filter((one) => one.severity === severity).length;
  const parts = [
    [count('block'), 'blocking finding'],
    [count('warn'), 'warning'],
    [count('info'), 'note'],
  ] as const;
  const reported = parts.filter(([many]) => many > 0).map(([many, what]) => `${many} ${what}${many === 1 ? '' : 's'}`);
  return reported.length === 0 ? 'No findings.' : `${reported.join(', ')}.`;
}
