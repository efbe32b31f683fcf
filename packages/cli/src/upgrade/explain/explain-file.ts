import { ExitCode } from '../../command/exit-code.ts';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import { readPlan } from '../input/read-plan.ts';
import { readPolicies } from '../input/read-policies.ts';
import { findingsText, styledFindings } from '../output/findings.ts';
import type { ShownFinding } from '../output/shown-finding.ts';
import { explainStep } from './explain-step.ts';
import { stepObjects } from './step-objects.ts';

export interface ExplainOptions {
  readonly path: string;
  readonly step: string;
  readonly policy: string | undefined;
  /** Where its manifests are; then its objects are printed. */
  readonly manifests: string | undefined;
}

/**
 * Prints one step of the plan in a file. Errors: UsageError for a file that is not a plan, and for
 * a step that it does not have.
 */
export async function explainFile(
  io: Pick<Io, 'bundleCrypto' | 'listFiles' | 'readFile' | 'stdout' | 'stderr'>,
  options: ExplainOptions,
): Promise<ExitCode> {
  const { value } = await readPlan(io, options.path);
  const policies = await readPolicies(io, options.policy);
  const step = value.spec.steps.find(({ id }) => id === options.step);
  if (step === undefined) {
    const ids = value.spec.steps.map(({ id }) => id);
    const has = ids.length === 0 ? `it is ${value.spec.outcome} and has no steps` : `it has ${idsText(ids)}`;
    throw new UsageError(`${options.path} has no step ${JSON.stringify(options.step)}; ${has}`);
  }
  if (options.manifests === undefined) io.stdout.write(explainStep(step, value, policies, options.path));
  else {
    const aside: ShownFinding[] = [];
    io.stdout.write(await stepObjects(io, step, options.manifests.split(','), aside));
    if (aside.length > 0) io.stderr.write(...styledFindings(findingsText(aside)));
  }
  return ExitCode.ok;
}

/** All ids of a short plan; for a long one their number, the first and the last. */
function idsText(ids: readonly string[]): string {
  return ids.length <= 20 ? ids.join(', ') : `${ids.length} steps, ${ids[0] ?? ''} to ${ids.at(-1) ?? ''}`;
}
