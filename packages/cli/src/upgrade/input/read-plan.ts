import { plan } from '@isthmus/upgrade';
import type { Plan } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { UsageError } from '../../command/usage-error.ts';
import type { Input } from './read-input.ts';
import { readInput, readText } from './read-input.ts';

/**
 * Reads a plan. The text and Markdown forms of a plan cannot be read back, and their problems as
 * YAML would not help: for these, the error is the command that saves a plan. Errors:
 * {@link UsageError}.
 */
export async function readPlan(io: Pick<Io, 'readFile'>, path: string): Promise<Input<Plan>> {
  const text = await readText(io, path);
  if (/\bkind["']?\s*:/.test(text)) return readInput(io, plan, path);
  throw new UsageError(
    `${path} is not a plan in JSON or YAML. Save one with: isthmus upgrade plan --bundle <file> --snapshot <file> -o json > plan.json`,
  );
}
