import { expiredWaivers, groupFindings, waiveFindings } from '@isthmus/upgrade';
import type { FleetSnapshot, Plan, Waiver } from '@isthmus/upgrade';
import { isDocument } from './findings-flag.ts';
import type { FindingsFormat } from './findings-flag.ts';
import { documentText } from '../../render/document-text.ts';
import type { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { exitOf, findingsText, styledFindings } from './findings.ts';
import type { ShownFinding } from './shown-finding.ts';

/** How a check shows its findings. */
export interface Showing {
  readonly output: FindingsFormat | undefined;
  /** The subject of the check, the first fields of the JSON. */
  readonly about: Readonly<Record<string, string | null>>;
  readonly waivers: readonly Waiver[];
  /** RFC 3339: the time that waivers are checked at. */
  readonly today: string;
}

/**
 * Prints the findings of a check, as text or as a document of a fixed shape: the subject of the
 * check, the findings that no waiver covers, the waived ones, and what could not be examined.
 * Returns the exit code.
 */
export function showFindings(
  io: Pick<Io, 'stdout'>,
  {
    findings: all,
    notExamined = [],
    snapshot,
  }: {
    readonly findings: readonly ShownFinding[];
    readonly notExamined?: readonly string[];
    /** The fleet that was checked; text output ends with its date. */
    readonly snapshot?: FleetSnapshot;
  },
  { output, about, waivers, today }: Showing,
): ExitCode {
  const { findings, waived } = waiveFindings(all, waivers, today);
  if (isDocument(output)) {
    io.stdout.write(documentText({ ...about, findings, waived, notExamined }, output));
    return exitOf(findings);
  }
  const lines = [
    ...waived.map(waivedText),
    ...expiredWaivers(findings, waivers, today).map(expiredText),
    ...notExamined.map((line) => `Not examined: ${line}.\n`),
    ...(snapshot === undefined ? [] : [snapshotLine(snapshot)]),
  ];
  const isGrouped = output !== 'wide';
  io.stdout.write(
    ...styledFindings(findingsText(isGrouped ? groupFindings(findings) : findings, { isGrouped })),
    ...lines,
  );
  return exitOf(findings);
}

/** The line of a finding that counts again because its waiver has expired. */
function expiredText({ rule, path, reason, by, until }: Waiver): string {
  return `Expired waiver: ${rule}, ${path ?? 'any'}: ${reason} (${by}, until ${until}).\n`;
}

function snapshotLine({ metadata, spec: { takenAt, clusters } }: FleetSnapshot): string {
  return `Checked: snapshot ${metadata.name} of ${takenAt}, ${clusters.length === 1 ? '1 cluster' : `${clusters.length} clusters`}.\n`;
}

/** The line of a finding that a waiver covers. */
export function waivedText({ rule, subject, reason, by, until }: Plan['spec']['waived'][number]): string {
  return `Waived: ${rule}, ${subject}: ${reason} (${by}, until ${until}).\n`;
}
