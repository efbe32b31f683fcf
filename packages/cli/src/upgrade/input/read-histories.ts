import { apiHistory } from '@isthmus/upgrade';
import type { ApiHistory } from '@isthmus/upgrade';
import type { Io } from '../../world/io.ts';
import { readInput } from './read-input.ts';

/** The histories of files. Errors: UsageError with all their problems. */
export async function readHistories(io: Io, files: string | undefined): Promise<readonly ApiHistory[]> {
  return Promise.all((files?.split(',') ?? []).map(async (file) => (await readInput(io, apiHistory, file)).value));
}
