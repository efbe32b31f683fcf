import { comparePlan } from '@isthmus/upgrade';
import type { PlanBounds } from '@isthmus/upgrade';
import { documentText } from '../../command/document-text.ts';
import { ExitCode } from '../../exit-code.ts';
import type { Io } from '../../io.ts';
import { findingsText, styledFindings } from '../output/findings.ts';
import { readPlan } from '../input/read-plan.ts';
import type { PlanFormat } from './plan-flags.ts';

/** Prints whether the plan in a file may still be carried out with the given files; where not, why, and ends with 3. */
export async function checkPlan(
  io: Pick<Io, 'readFile' | 'stdout'>,
  { path, output }: { readonly path: string; readonly output: PlanFormat },
  bounds: PlanBounds,
): Promise<ExitCode> {
  const { value } = await readPlan(io, path);
  const findings = comparePlan(value, bounds);
  const holds = findings.length === 0;
  const { bundle, snapshot } = value.spec;
  const text = holds
    ? `The plan is still valid: bundle ${bundle.name} (number ${bundle.number}), fleet as in the snapshot ${snapshot.name} of ${snapshot.takenAt}.\n`
    : `The plan is no longer valid.\n\n${findingsText(findings)}`;
  const isDocument = output === 'json' || output === 'yaml';
  io.stdout.write(...(isDocument ? [documentText({ plan: path, holds, findings }, output)] : styledFindings(text)));
  return holds ? ExitCode.ok : ExitCode.blocked;
}
