import { waivers as waiversKind } from '@isthmus/upgrade';
import type { Waiver } from '@isthmus/upgrade';
import type { Io } from '../../io.ts';
import { readInput } from './read-input.ts';

/** The waivers of a file; none without one. */
export async function readWaivers(io: Pick<Io, 'readFile'>, path: string | undefined): Promise<readonly Waiver[]> {
  return path === undefined ? [] : (await readInput(io, waiversKind, path)).value.spec.waivers;
}
