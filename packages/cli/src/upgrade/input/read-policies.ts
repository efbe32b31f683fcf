import type { Policy } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { loadPolicies } from './load-policies.ts';

/** The policies that hold by the flag `--policy`, as {@link loadPolicies} has them. */
export async function readPolicies(
  io: Pick<Io, 'readFile' | 'bundleCrypto'>,
  files: string | undefined,
): Promise<readonly Policy[]> {
  return (await loadPolicies(io, files?.split(',') ?? [])).policies;
}
