import { apiHistory } from '@isthmus/upgrade';
import type { ApiHistory } from '@isthmus/upgrade';
import { textFlag } from '../../command/flag.ts';
import type { Io } from '../../io.ts';
import { readInput } from '../read-input.ts';

/** The flag by which checks take histories. */
export const historyFlag = textFlag({
  placeholder: 'files',
  summary: 'ApiHistory files that say when versions were deprecated, separated by commas',
});

export async function readHistories(io: Io, files: string | undefined): Promise<readonly ApiHistory[]> {
  return Promise.all((files?.split(',') ?? []).map(async (file) => (await readInput(io, apiHistory, file)).value));
}
