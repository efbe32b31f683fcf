import {
  ClusterInfoImport,
  ClusterSet,
  EndpointSlice,
  Label,
  Node,
  Service,
  ServiceExportV1alpha1,
} from '@isthmus/api';
import type { ServiceExport } from '@isthmus/api';
import type { Access, CacheOptions } from '@isthmus/kube';
import { createCache } from '@isthmus/kube';
import type { KubernetesObject } from '@isthmus/machinery';
import { ownClusterID } from '../objects/own-cluster-id.ts';
import type { AgentObjects } from '../objects/read-objects.ts';
import { sliceKey } from '../objects/service-keys.ts';
import { gatewayLeaseAccess } from './gateway-lease.ts';

/**
 * The permissions of every agent. An agent that reads policies also has those of `policyAccess`.
 */
export const agentAccess: readonly Access[] = [
  { at: 'local', type: Node, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ClusterInfoImport, scope: 'own', verbs: ['get', 'list', 'watch'] },
  // The ClusterSet has the virtual Pod CIDRs of this cluster.
  { at: 'local', type: ClusterSet, scope: 'own', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: Service, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: EndpointSlice, scope: 'all', verbs: ['get', 'list', 'watch'] },
  { at: 'local', type: ServiceExportV1alpha1, scope: 'all', verbs: ['get', 'list', 'watch'] },
  ...gatewayLeaseAccess,
];

const byService = 'service';

/**
 * The objects that every agent reads, followed by watches. `namespace`: that of the member's
 * controller.
 */
export function openObjects(
  every: Pick<CacheOptions<KubernetesObject>, 'client' | 'clock' | 'random' | 'log' | 'metrics'>,
  namespace: string,
) {
  const nodes = createCache<Node>({ ...every, type: Node });
  const clusterInfoImports = createCache<ClusterInfoImport>({ ...every, type: ClusterInfoImport, namespace });
  const clusterSets = createCache<ClusterSet>({ ...every, type: ClusterSet, namespace, whenUnserved: 'empty' });
  // All Services: exported ones have no label, and no range of another cluster may cover any of
  // them.
  const services = createCache<Service>({ ...every, type: Service });
  // The version that every release serves.
  const serviceExports = createCache<ServiceExport>({
    ...every,
    type: ServiceExportV1alpha1,
    whenUnserved: 'empty',
  });
  // Only the endpoints that imports made, of all in the cluster.
  const endpointSlices = createCache<EndpointSlice>({
    ...every,
    type: EndpointSlice,
    labelSelector: Label.mcsServiceName,
    indexes: { [byService]: (slice) => [sliceKey(slice)] },
  });
  // The endpoints of the API server: no range of another cluster may cover them.
  const apiServers = createCache<EndpointSlice>({
    ...every,
    type: EndpointSlice,
    namespace: 'default',
    labelSelector: `${Label.serviceName}=kubernetes`,
  });
  return {
    /** The caches, by the names that notes have for their kinds. */
    caches: {
      nodes,
      clusterInfoImports,
      clusterSets,
      services,
      serviceExports,
      endpointSlices,
      'addresses of the API server': apiServers,
    },
    node: (name: string): Node | undefined => nodes.get({ name }),
    clusterID: (): string | undefined => ownClusterID(clusterSets.list()),
    list: () =>
      ({
        nodes: nodes.list(),
        clusterInfoImports: clusterInfoImports.list(),
        services: services.list(),
        serviceExports: serviceExports.list(),
        slicesOf: (key) => endpointSlices.byIndex(byService, key),
        clusterSets: clusterSets.list(),
        apiServers: apiServers.list(),
      }) satisfies Partial<AgentObjects>,
  };
}

export type OpenObjects = ReturnType<typeof openObjects>;
