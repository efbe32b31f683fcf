import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/**
 * What `ip -j` prints for each of some lists, such as `rule show`, from one run of it: to start a program takes longer than to read what there is. T: the items of the lists, which are not checked.
 *
 * Errors: throws where `ip` cannot be run, fails, or prints something else than it should: that it cannot `what`, and for which list.
 */
export async function ipLists<T>(
  run: RunProgram,
  what: string,
  lists: readonly string[],
): Promise<readonly (readonly T[])[]> {
  const { code, stdout } = await run('ip', ['-j', '-batch', '-'], `${lists.join('\n')}\n`);
  const lines = stdout.split('\n').filter((line) => line.trim() !== '');
  if (code === 0 && lines.length === lists.length) return lines.map((line) => JSON.parse(line) as readonly T[]);
  // Some versions print nothing where there is nothing; and where one list fails, those behind it are missing.
  const found: (readonly T[])[] = [];
  for (const list of lists) found.push(await jsonList<T>(run, what, 'ip', list.split(' ')));
  return found;
}

/** What `ip -j` or `bridge -j` prints for one list. T, and errors: as of {@link ipLists}. */
export async function jsonList<T>(
  run: RunProgram,
  what: string,
  program: 'ip' | 'bridge',
  args: readonly string[],
): Promise<readonly T[]> {
  const stdout = await toolOutput(run, `${what}: ${program} ${args.join(' ')}`, program, ['-j', ...args]);
  // As above.
  return stdout.trim() === '' ? [] : (JSON.parse(stdout) as readonly T[]);
}
