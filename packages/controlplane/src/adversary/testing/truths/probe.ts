import { EndpointSlice, Pod, Service, importedServiceName } from '@isthmus/api';
import type { ServicePort } from '@isthmus/api';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { conditionOf } from '@isthmus/machinery';
import { isServing, sliceSourceOf } from '@isthmus/wire';

/** A reference to a Service of the ClusterSet. */
export interface ServiceRef {
  readonly namespace: string;
  readonly name: string;
}

/** Why a call fails, and whose endpoint it goes to; undefined: there is none. */
export interface FailedCall {
  readonly why: string;
  readonly cluster: string | undefined;
}

/** Whether packets of one cluster arrive in another. */
export type Carries = (from: string, to: string) => boolean;

/**
 * The calls of an imported Service that fail in a cluster, at all its endpoints and ports. It
 * follows the derived Service and its EndpointSlices as kube-proxy does, and then looks at the
 * cluster that has the address. It reads nothing that a controller reports.
 */
export function failedCalls(
  fleet: VirtualFleet,
  caller: VirtualCluster,
  ref: ServiceRef,
  carries: Carries,
): readonly FailedCall[] {
  const { admin } = caller.server;
  const derived = admin.get(Service, { namespace: ref.namespace, name: importedServiceName(ref.name) });
  if (derived === undefined) return [{ why: 'the derived Service is missing', cluster: undefined }];
  const slices = admin
    .list(EndpointSlice, ref.namespace)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === derived.metadata.name);
  const targets = slices.flatMap((slice) =>
    (slice.endpoints ?? [])
      .filter(isServing)
      .flatMap(({ addresses }) =>
        addresses.flatMap((address) =>
          (slice.ports ?? [])
            .filter((port) => (derived.spec?.ports ?? []).some((one) => (one.name ?? '') === (port.name ?? '')))
            .map(({ port }) => ({ address, port, source: sliceSourceOf(slice) })),
        ),
      ),
  );
  if (targets.length === 0) return [{ why: 'no endpoint serves a port', cluster: undefined }];
  return targets.flatMap(({ address, port, source }) => {
    const to = fleet.clusters.find((cluster) => answers(cluster, address, port))?.name;
    if (to === undefined) return [{ why: `${address}:${port} of ${source} does not answer`, cluster: source }];
    if (to === caller.name || carries(caller.name, to)) return [];
    return [{ why: `no packet gets to ${address} in ${to}`, cluster: source }];
  });
}

function answers({ server: { admin } }: VirtualCluster, address: string, port: number | undefined): boolean {
  const isReadyPod = (pod: Pod) =>
    pod.metadata.deletionTimestamp === undefined && conditionOf(pod.status?.conditions, 'Ready')?.status === 'True';
  const pods = admin.list(Pod).filter(isReadyPod);
  if (pods.some(({ status }) => status?.podIP === address)) return true;
  const service = admin.list(Service).find(({ spec }) => spec?.clusterIP === address);
  const { app } = service?.spec?.selector ?? {};
  const hasPort = service?.spec?.ports?.some((one: ServicePort) => one.port === port) === true;
  return hasPort && app !== undefined && pods.some(({ metadata }) => metadata.labels?.['app'] === app);
}
