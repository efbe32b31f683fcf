import { keyOfObject, rfc3339 } from '@isthmus/machinery';
import type { LocalCluster } from '../local/services.ts';
import type { NotOurs, Obstacle } from './decide.ts';
import { importStatus } from './decide.ts';
import { isServed } from './slices/write-slices.ts';
import type { StandingImport } from './withdraw.ts';

/** Leaves what is imported as it is, and shows why in the status of the ServiceImport where it is ours: exporters and slices are those of before. */
export async function hold(
  { local }: { readonly local: LocalCluster },
  { serviceImport }: StandingImport,
  problem: Obstacle | NotOurs,
  signal: AbortSignal,
): Promise<void> {
  if (serviceImport === undefined || problem.reason === 'ForeignServiceImport') return;
  const hasEndpoints = isServed(local, keyOfObject(serviceImport));
  const now = rfc3339(local.world.clock.now());
  const status = importStatus({ serviceImport, clusters: undefined, problem, hasEndpoints, now });
  await local.serviceImports.changeStatus(serviceImport, status, signal);
}
