import { toolOutput } from './tool-output.ts';
import type { RunProgram } from './write-network.ts';

/**
 * The output of `ip -j` for each of some lists, such as `rule show`, from one run of it. Starting a
 * program takes longer than reading the lists. T: the items of the lists, which are not checked.
 *
 * Errors: throws if `ip` cannot be run, fails, or prints unexpected output. The message begins with
 * `cannot <what>` and names the list.
 */
export async function ipLists<T>(
  run: RunProgram,
  what: string,
  lists: readonly string[],
): Promise<readonly (readonly T[])[]> {
  const { code, stdout } = await run('ip', ['-j', '-batch', '-'], `${lists.join('\n')}\n`);
  const lines = stdout.split('\n').filter((line) => line.trim() !== '');
  const printed = lines.flatMap((line) => {
    const items = listIn<T>(line);
    return items === undefined ? [] : [items];
  });
  if (code === 0 && lines.length === lists.length && printed.length === lists.length) return printed;
  // Some versions print nothing for an empty list. If one list fails, the later lists are missing.
  const found: (readonly T[])[] = [];
  for (const list of lists) found.push(await jsonList<T>(run, what, 'ip', list.split(' ')));
  return found;
}

/** The output of `ip -j` or `bridge -j` for one list. T, and errors: as of {@link ipLists}. */
export async function jsonList<T>(
  run: RunProgram,
  what: string,
  program: 'ip' | 'bridge',
  args: readonly string[],
): Promise<readonly T[]> {
  const stdout = await toolOutput(run, `${what}: ${program} ${args.join(' ')}`, program, ['-j', ...args]);
  // Some versions print nothing for an empty list.
  if (stdout.trim() === '') return [];
  const items = listIn<T>(stdout);
  if (items !== undefined) return items;
  const start = (stdout.trim().split('\n')[0] ?? '').slice(0, 200);
  throw new Error(`cannot ${what}: ${program} -j ${args.join(' ')} printed no list of JSON, but: ${start}`);
}

function listIn<T>(text: string): readonly T[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as readonly T[]) : undefined;
  } catch {
    return undefined;
  }
}
