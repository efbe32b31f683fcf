import { failureText } from './failure-hint.ts';
import type { RunProgram } from './write-network.ts';

/**
 * The output of a program. Errors: throws if it cannot be run, or fails. The message is
 * `cannot <what>` with the error output of the program.
 */
export async function toolOutput(
  run: RunProgram,
  what: string,
  program: string,
  args: readonly string[],
): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, '');
  if (code !== 0) throw new Error(`cannot ${what}: ${failureText(stderr).replace(/\.$/, '')}`);
  return stdout;
}
