import { failureText } from './failure-hint.ts';
import type { RunProgram } from './write-network.ts';

/** What a program printed. Errors: throws where it cannot be run, or fails: that one cannot `what`, and what it wrote. */
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
