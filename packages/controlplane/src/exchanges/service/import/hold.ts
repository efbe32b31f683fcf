import type { LocalCluster } from '../local/services.ts';
import type { NotOurs, Obstacle } from './decide.ts';
import type { StandingImport } from './withdraw.ts';
import { writeImportStatus } from './write-status.ts';

/** Leaves what is imported as it is, and shows why in the status of the ServiceImport where it is ours: exporters and slices are those of before. */
export async function hold(
  { local }: { readonly local: LocalCluster },
  { serviceImport }: StandingImport,
  problem: Obstacle | NotOurs,
  signal: AbortSignal,
): Promise<void> {
  if (serviceImport === undefined || problem.reason === 'ForeignServiceImport') return;
  await writeImportStatus(local, serviceImport, { clusters: undefined, problem }, signal);
}
