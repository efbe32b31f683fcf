import type { ServiceImport } from '@isthmus/api';
import { serviceImportStatus } from '@isthmus/api';
import type { Outcome } from '@isthmus/kube';
import { blocked } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import type { LocalCluster } from '../local/services.ts';
import type { NotOurs, Obstacle, Problem } from './decide.ts';
import { importStatus } from './decide.ts';
import type { StandingImport } from './withdraw.ts';

/** Reports what is wrong on the object that the user looks at; where there is none, on the ClusterSet. */
export function reportProblem(
  { served, events }: LocalCluster,
  problem: Problem | undefined,
  serviceImport: ServiceImport | undefined,
): void {
  if (problem === undefined) return;
  const object = serviceImport ?? served();
  if (object !== undefined) events.report(object, serviceImportStatus, problem);
}

/** Leaves what is imported as it is, and reports why on the ServiceImport where it is ours: exporters and slices are those of before. */
export async function hold(
  { local }: { readonly local: LocalCluster },
  { serviceImport }: StandingImport,
  problem: Obstacle | NotOurs,
  signal: AbortSignal,
): Promise<Outcome> {
  reportProblem(local, problem, serviceImport);
  if (serviceImport !== undefined && problem.reason !== 'ForeignServiceImport') {
    const now = rfc3339(local.world.clock.now());
    const status = importStatus({ serviceImport, clusters: undefined, problem, now });
    await local.serviceImports.changeStatus(serviceImport, status, signal);
  }
  return blocked(problem.reason, problem.message);
}
