import type { ServiceImport } from '@isthmus/api';
import { serviceImportStatus } from '@isthmus/api';
import type { LocalCluster } from '../local/services.ts';
import type { Problem } from './decide.ts';

/** Says what is wrong on the object that the user looks at; where there is none, on the ClusterSet. */
export function tellProblem(
  { served, events }: LocalCluster,
  problem: Problem | undefined,
  serviceImport: ServiceImport | undefined,
): void {
  if (problem === undefined) return;
  const object = serviceImport ?? served();
  if (object !== undefined) events.report(object, serviceImportStatus, problem);
}
