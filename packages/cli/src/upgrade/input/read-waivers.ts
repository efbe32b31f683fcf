import { waiverProblems, waivers as waiversKind } from '@isthmus/upgrade';
import type { WaivableNames, Waiver } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { readInput, wrongFile } from './read-input.ts';

/**
 * The waivers of a file; none without a file. Errors: UsageError for unknown names; if `names` is
 * absent, names are not checked.
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
