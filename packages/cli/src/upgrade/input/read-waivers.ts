import { waiverProblems, waivers as waiversKind } from '@isthmus/upgrade';
import type { WaivableNames, Waiver } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { readInput, wrongFile } from './read-input.ts';

/**
 * The waivers of a file; none without one. Errors: UsageError for what nothing of that name is
 * known; `names` absent: not examined.
 */
export async function readWaivers(
  io: Pick<Io, 'readFile'>,
  path: string | undefined,
  names?: WaivableNames,
): Promise<readonly Waiver[]> {
  if (path === undefined) return [];
  const { value, lineOf } = await readInput(io, waiversKind, path);
  const { waivers } = value.spec;
  const problems = names === undefined ? [] : waiverProblems(waivers, names, { source: path, lineOf });
  if (problems.length > 0) throw wrongFile(path, problems);
  return waivers;
}
