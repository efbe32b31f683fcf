import type { Policy } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { loadPolicies } from './load-policies.ts';

/** The policies in force with the flag `--policy`, as of {@link loadPolicies}. */
export async function readPolicies(
  io: Pick<Io, 'readFile' | 'bundleCrypto'>,
  files: string | undefined,
): Promise<readonly Policy[]> {
  return (await loadPolicies(io, files?.split(',') ?? [])).policies;
}
