import type { Transport } from '@isthmus/kube';
import { createClient, noLog, noMetrics } from '@isthmus/kube';
import type { Clock } from '@isthmus/machinery';
import { seededRandom } from '@isthmus/machinery';
import { createClusterControllers } from '../controllers/cluster-controllers.ts';
import type { ControllerName } from '../controllers/cluster-controllers.ts';

/** The controllers of the kube-controller-manager that ran when the answers were recorded. */
const which: readonly ControllerName[] = [
  'serviceaccount',
  'root-ca',
  'token-secret',
  'namespace',
  'garbage-collector',
  'endpointslice',
  'endpointslice-mirroring',
  'deployment',
  'replicaset',
  'statefulset',
  'daemonset',
  'clusterrole-aggregation',
];

/**
 * Runs the replacement for kube-controller-manager on a sandbox, until `signal` aborts. Nothing
 * happens unless the clock moves.
 */
export function runRealControllers(transport: Transport, clock: Clock, signal: AbortSignal): Promise<void> {
  const world = { clock, random: seededRandom(7), log: noLog, metrics: noMetrics };
  const client = createClient({ transport, clock });
  return createClusterControllers({ client, world, which, caData: 'CA', mintToken: () => 'eyJh.eyJh.c2ln' }).run(
    signal,
  );
}
