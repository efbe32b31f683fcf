import { comparePlan, groupFindings, readingFindings } from '@isthmus/upgrade';
import type { Plan, PlanBounds } from '@isthmus/upgrade';
import { documentText } from '../../render/document-text.ts';
import { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { findingsText, styledFindings } from '../output/findings.ts';
import { readPlan } from '../input/read-plan.ts';
import type { PlanFormat } from './plan-flags.ts';

/**
 * Prints whether the plan in a file is still valid with the given files. If not, prints the
 * reasons, and ends with 3.
 */
export async function checkPlan(
  io: Pick<Io, 'readFile' | 'stdout'>,
  { path, output }: { readonly path: string; readonly output: PlanFormat },
  bounds: PlanBounds,
): Promise<ExitCode> {
  const { value } = await readPlan(io, path);
  const stale = comparePlan(value, bounds);
  const holds = stale.length === 0;
  // A cluster that was not read again looks as if it had not changed.
  const findings = [...stale, ...groupFindings(readingFindings(bounds.snapshot))];
  const text = `${holds ? validText(value, bounds) : 'The plan is no longer valid.\n'}${findings.length === 0 ? '' : `\n${findingsText(findings)}`}`;
  const isDocument = output === 'json' || output === 'yaml';
  io.stdout.write(...(isDocument ? [documentText({ plan: path, holds, findings }, output)] : styledFindings(text)));
  return holds ? ExitCode.ok : ExitCode.blocked;
}

/** The text that nothing has changed, with the two times. */
function validText({ spec: { bundle, snapshot } }: Plan, { snapshot: now }: PlanBounds): string {
  const { takenAt } = now.spec;
  const isNewer = Date.parse(takenAt) > Date.parse(snapshot.takenAt);
  const compared = isNewer
    ? `compared with the snapshot of ${takenAt}`
    : 'and the given snapshot is not newer: take a new one to see later changes';
  return `The plan is still valid: bundle ${bundle.name} (number ${bundle.number}), fleet as in the snapshot ${snapshot.name} of ${snapshot.takenAt}, ${compared}.\n`;
}
