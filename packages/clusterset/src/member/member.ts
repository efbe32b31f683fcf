import {
  ClusterClaim,
  ClusterSet,
  EndpointSlice,
  Namespace,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import type { Client, EventRecorder, World } from '@isthmus/kube';
import { createCache, resourceOf } from '@isthmus/kube';
import type { EndpointIPType } from '../config.ts';
import type { ControlPlane } from '../control-plane.ts';
import { runTogether } from '../control-plane.ts';
import { createReports } from '../reports.ts';
import { memberClusterSetController } from './cluster-set/reconcile.ts';
import { createMembershipSupervisor } from './membership-supervisor.ts';
import type { LocalCluster } from './local-cluster.ts';
import { serviceExportIndexes, sliceIndexes } from './local-cluster.ts';
import { createMembershipRun } from './membership-run.ts';
import type { SessionSpec } from './membership.ts';
import { createSecretCache } from './secret-cache.ts';

export interface MemberOptions {
  /** To this cluster's own API server. */
  readonly client: Client;
  /** The controller's Namespace: ClusterSet, ClusterClaims and the Secret for the leader. */
  readonly namespace: string;
  readonly endpointIPType: EndpointIPType;
  readonly version: string;
  /** A client to the leader's API server; closed when the session ends. */
  readonly connect: (spec: SessionSpec) => Client;
  readonly decodeBase64: (text: string) => string;
  readonly events: EventRecorder;
  readonly world: World;
}

/** The control plane of a member: joins a ClusterSet, exports this cluster's Services and imports those of the others. */
export function createMember(options: MemberOptions): ControlPlane {
  const { client, namespace, world } = options;
  const everywhere = { ...world, client };
  const own = { ...everywhere, namespace };
  const clusterSets = createCache<ClusterSet>({ ...own, type: ClusterSet });
  const clusterClaims = createCache<ClusterClaim>({ ...own, type: ClusterClaim });
  const namespaces = createCache<Namespace>({ ...everywhere, type: Namespace });
  const services = createCache<Service>({ ...everywhere, type: Service });
  const slices = createCache<EndpointSlice>({ ...everywhere, type: EndpointSlice, indexes: sliceIndexes });
  const serviceExports = createCache<ServiceExport>({
    ...everywhere,
    type: ServiceExport,
    indexes: serviceExportIndexes,
  });
  const serviceImports = createCache<ServiceImport>({ ...everywhere, type: ServiceImport });
  const local: LocalCluster = {
    namespace,
    endpointIPType: options.endpointIPType,
    clusterSets: resourceOf(ClusterSet, clusterSets, client),
    clusterClaims: resourceOf(ClusterClaim, clusterClaims, client),
    namespaces: resourceOf(Namespace, namespaces, client),
    services: resourceOf(Service, services, client),
    slices: resourceOf(EndpointSlice, slices, client),
    serviceExports: resourceOf(ServiceExport, serviceExports, client),
    serviceImports: resourceOf(ServiceImport, serviceImports, client),
    events: createReports(options.events),
  };
  const caches = { clusterSets, clusterClaims, namespaces, services, slices, serviceExports, serviceImports };
  return {
    notReady: () =>
      Object.entries(caches).flatMap(([name, cache]) => (cache.synced ? [] : [`${name} are not read yet`])),
    async run(signal) {
      const run = createMembershipRun({ ...options, local });
      const supervisor = createMembershipSupervisor((membership, end) =>
        // What one membership breaks on must not end the process: another one may come.
        run.live(membership, end).catch((error: unknown) => {
          world.log.error('the membership can not be served', error, { membership: membership.kind });
        }),
      );
      const secrets = createSecretCache({ client, namespace, world }, signal);
      const clusterSet = memberClusterSetController({
        local,
        secrets,
        run: run.seenBy((membership) => supervisor.want(membership)),
        decodeBase64: options.decodeBase64,
        world,
      });
      await runTogether([...Object.values(caches), supervisor], [clusterSet], { world, signal });
    },
  };
}
