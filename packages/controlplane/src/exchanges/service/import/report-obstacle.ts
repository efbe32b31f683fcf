import type { NotOurs, Obstacle } from './decide.ts';
import type { ExistingImport } from './withdraw.ts';
import type { StatusOptions } from './write-status.ts';
import { writeImportStatus } from './write-status.ts';

/**
 * Leaves the import unchanged. If the ServiceImport is ours, its status reports why, and its
 * exporters and slices stay the same.
 */
export async function hold(
  options: StatusOptions,
  { serviceImport }: ExistingImport,
  problem: Obstacle | NotOurs,
  signal: AbortSignal,
): Promise<void> {
  if (serviceImport === undefined || problem.reason === 'ForeignServiceImport') return;
  await writeImportStatus(options, serviceImport, { clusters: undefined, problem }, signal);
}
