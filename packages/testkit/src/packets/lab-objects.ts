import type { ClusterInfoImport, EndpointSlice, Node, Service } from '@isthmus/api';
import { Annotation, Label, managedByIsthmus } from '@isthmus/api';
import type { LabCluster, LabNode } from './packet-lab.ts';

/** The Node object of a Node of a lab. */
export function labNodeObject({ layout }: LabNode, isGateway: boolean): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: layout.name, ...(isGateway ? { annotations: { [Annotation.gateway]: 'true' } } : {}) },
    spec: { podCIDRs: [layout.podCIDR, layout.podCIDR6] },
    status: {
      addresses: [{ type: 'InternalIP', address: layout.address }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

/** The ClusterInfo that other clusters import from a cluster with these gateway Nodes. */
export function labClusterInfo(
  { layout, nodes }: LabCluster,
  {
    namespace,
    gateways,
    directProbes = [],
  }: {
    readonly namespace: string;
    readonly gateways: readonly string[];
    /** The addresses at which its agents answer probes without a tunnel. Default: none. */
    readonly directProbes?: readonly string[] | undefined;
  },
): ClusterInfoImport {
  return {
    apiVersion: 'multicluster.crd.antrea.io/v1alpha1',
    kind: 'ClusterInfoImport',
    metadata: {
      name: `${layout.name}-clusterinfo`,
      namespace,
      ...(directProbes.length > 0 && { annotations: { [Annotation.directProbes]: directProbes.join(',') } }),
    },
    spec: {
      clusterID: layout.name,
      podCIDRs: [...layout.clusterCIDRs],
      gatewayInfos: nodes
        .filter((node) => gateways.includes(node.layout.name))
        .map((node) => ({ gatewayIP: node.layout.address })),
    },
  };
}

/** Service `shop/cart` as imported into a cluster, with port 80 of TCP and UDP. */
export function importedCart(clusterIP: string): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'antrea-mc-cart',
      namespace: 'shop',
      labels: { [Label.managedBy]: managedByIsthmus },
      annotations: { [Annotation.importedService]: 'true' },
    },
    spec: {
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: ['IPv4'],
      ports: [
        { name: 'http', port: 80, protocol: 'TCP' },
        { name: 'datagrams', port: 80, protocol: 'UDP' },
      ],
    },
  };
}

/** The endpoints of that import in cluster west, with port 8080. */
export function importedCartEndpoints(addresses: readonly string[]): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'cart-west',
      namespace: 'shop',
      labels: {
        [Label.serviceName]: 'antrea-mc-cart',
        [Label.mcsServiceName]: 'cart',
        [Label.mcsSourceCluster]: 'west',
      },
    },
    addressType: 'IPv4',
    endpoints: addresses.map((address) => ({ addresses: [address] })),
    ports: [
      { name: 'http', port: 8080, protocol: 'TCP' },
      { name: 'datagrams', port: 8080, protocol: 'UDP' },
    ],
  };
}
