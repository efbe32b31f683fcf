import type { Outcome, World } from '@isthmus/kube';
import { blocked } from '@isthmus/kube';
import { rfc3339 } from '@isthmus/machinery';
import type { LocalCluster } from '../../../member/local-cluster.ts';
import type { Problem } from './decide.ts';
import { importStatus } from './decide.ts';
import { isOurServiceImport } from './ownership.ts';
import { tellProblem } from './tell-problem.ts';
import type { StandingImport } from './withdraw.ts';

/** Leaves what is imported as it is, and says why on the ServiceImport where it is ours: exporters and slices are those of before. */
export async function hold(
  { local, world }: { readonly local: LocalCluster; readonly world: World },
  { derived, serviceImport }: StandingImport,
  problem: Problem,
  signal: AbortSignal,
): Promise<Outcome> {
  tellProblem(local, problem, serviceImport);
  if (serviceImport !== undefined && isOurServiceImport(serviceImport, derived)) {
    const now = rfc3339(world.clock.now());
    const status = importStatus({ serviceImport, clusters: undefined, problem, now });
    await local.serviceImports.changeStatus(serviceImport, status, signal);
  }
  return blocked(problem.reason, problem.message);
}
