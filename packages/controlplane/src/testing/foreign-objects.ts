import {
  EndpointSlice,
  Endpoints,
  Label,
  Namespace,
  ResourceExport,
  ResourceImport,
  Service,
  ServiceImport,
  importedSlicePrefix,
} from '@isthmus/api';
import type { KubernetesObject, ObjectRef } from '@isthmus/machinery';
import { canonicalJson, keyOf, refOfObject } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { cart, derivedCart, leaderNamespace } from '@isthmus/fleet-sim';

/** Objects that other clients created. */
export interface ForeignObjects {
  has(object: KubernetesObject): boolean;
  /**
   * Whether a change leaves the object the same. The status of a ResourceExport may change: a
   * leader reports there that it does not merge it.
   */
  isReportOf(before: KubernetesObject, after: KubernetesObject | undefined): boolean;
  /**
   * The objects that changed by at least one byte since they were created. Without the Endpoints
   * that are deleted with the imported Service.
   */
  touched(): readonly string[];
}

type Kind = Parameters<VirtualCluster['server']['admin']['get']>[0];
interface Placed {
  readonly cluster: VirtualCluster;
  readonly kind: Kind;
  readonly ref: ObjectRef;
  readonly bytes: string;
}

/**
 * Creates look-alikes of everything that we create, in the Namespaces of the story and in another
 * one. They have names like ours, our kinds, and labels that point at the imported Service. It also
 * creates slices with the very names that ours would have.
 */
export function putForeign(fleet: VirtualFleet): ForeignObjects {
  const placed: Placed[] = [];
  const uids = new Set<string>();
  const put = (cluster: VirtualCluster, kind: Kind, object: KubernetesObject) => {
    const stored = cluster.server.admin.put<KubernetesObject>(kind, object);
    uids.add(stored.metadata.uid ?? '');
    placed.push({ cluster, kind, ref: refOfObject(stored), bytes: bytesOf(stored) });
  };
  for (const cluster of fleet.clusters) {
    cluster.server.admin.put(Namespace, { metadata: { name: cart.namespace } });
    // For the Namespace that is not of the story, one cluster is enough.
    const namespaces = cluster === fleet.leader ? ['default', cart.namespace] : [cart.namespace];
    for (const namespace of namespaces) {
      for (const { kind, object } of lookAlikes(namespace)) put(cluster, kind, object);
    }
  }
  for (const namespace of ['default', leaderNamespace]) {
    for (const { kind, object } of areaLookAlikes(namespace)) put(fleet.leader, kind, object);
  }
  // Outside the Namespace of the Common Area, any client may use the names of our objects.
  put(fleet.leader, ResourceImport, {
    metadata: { name: 'shop-cart-service', namespace: 'default' },
    spec: { kind: 'ServiceImport', namespace: 'shop', name: 'cart' },
  } as ResourceImport);
  return {
    has: ({ metadata: { uid = '' } }) => uids.has(uid),
    isReportOf: (before, after) => bytesOf(before) === bytesOf(after),
    touched: () =>
      placed
        .filter(({ cluster, kind, ref, bytes }) => bytesOf(cluster.server.admin.get(kind, ref)) !== bytes)
        // The API server deletes it with the Service of that name. Any other change of it would
        // have been noticed at once.
        .filter(({ kind, ref }) => kind !== Endpoints || keyOf(ref) !== keyOf(derivedCart))
        .map(({ cluster, kind, ref }) => `${cluster.name} ${kind.kind} ${ref.namespace ?? ''}/${ref.name}`),
  };
}

/**
 * The whole object. For a ResourceExport, without the parts that change with its status, which the
 * leader writes.
 */
function bytesOf(object: KubernetesObject | undefined): string {
  if (object?.kind !== 'ResourceExport') return canonicalJson(object ?? null);
  const { resourceVersion: _, managedFields: __, ...metadata } = object.metadata;
  return canonicalJson({ ...object, metadata, status: undefined });
}

interface LookAlike {
  readonly kind: Kind;
  readonly object: KubernetesObject;
}

/** Look-alikes that may exist in any cluster. */
function lookAlikes(namespace: string): readonly LookAlike[] {
  const service: Service = {
    metadata: { name: 'antrea-mc-mine', namespace },
    spec: { clusterIP: 'None', ports: [{ name: 'http', port: 80 }] },
  };
  const serviceImport: ServiceImport = {
    metadata: { name: 'theirs', namespace },
    spec: { type: 'ClusterSetIP', ports: [], ips: ['10.1.1.9'] },
  };
  const managed: ServiceImport = {
    ...serviceImport,
    metadata: { name: 'cart-2', namespace, labels: { [Label.managedBy]: 'somebody-else' } },
  };
  const slice = (name: string, sourceCluster: string): EndpointSlice => ({
    metadata: {
      name,
      namespace,
      labels: {
        [Label.serviceName]: derivedCart.name,
        [Label.mcsServiceName]: cart.name,
        [Label.mcsSourceCluster]: sourceCluster,
        [Label.managedBy]: 'somebody-else',
        [Label.sliceManagedBy]: 'somebody-else',
      },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.1.1'] }],
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  });
  const bare: EndpointSlice = { ...slice('theirs', ''), metadata: { name: 'antrea-mc-cart-theirs', namespace } };
  const endpoints: Endpoints = {
    metadata: { name: derivedCart.name, namespace },
    subsets: [{ addresses: [{ ip: '10.1.1.2' }], ports: [{ name: 'http', port: 80, protocol: 'TCP' }] }],
  };
  return [
    { kind: Service, object: service },
    { kind: ServiceImport, object: serviceImport },
    { kind: ServiceImport, object: managed },
    ...['east', 'west'].flatMap((source): readonly LookAlike[] => [
      { kind: EndpointSlice, object: slice(`theirs-${source}`, source) },
      { kind: EndpointSlice, object: slice(`${importedSlicePrefix(cart.name, source)}-ipv4-0`, source) },
    ]),
    { kind: EndpointSlice, object: bare },
    { kind: Endpoints, object: endpoints },
  ];
}

/**
 * Look-alikes that may exist in the Common Area: other kinds, and an import whose name does not
 * follow from its spec.
 */
function areaLookAlikes(namespace: string): readonly LookAlike[] {
  const exported = (name: string, spec: NonNullable<ResourceExport['spec']>): LookAlike => {
    const object: ResourceExport = { metadata: { name, namespace }, spec };
    return { kind: ResourceExport, object };
  };
  const imported = (name: string, spec: NonNullable<ResourceImport['spec']>): LookAlike => {
    const object: ResourceImport = { metadata: { name, namespace }, spec };
    return { kind: ResourceImport, object };
  };
  const clusterNetworkPolicy = { priority: 1, tier: 'securityops' };
  return [
    exported('strict', { name: 'strict', kind: 'AntreaNetworkPolicy', clusterNetworkPolicy }),
    exported('west-labels', {
      clusterID: 'west',
      kind: 'LabelIdentity',
      labelIdentity: { normalizedLabel: 'ns:a&pod:b' },
    }),
    imported('strict', {
      name: 'strict',
      kind: 'AntreaNetworkPolicy',
      clusternetworkpolicy: clusterNetworkPolicy,
    }),
    imported('labels', { kind: 'LabelIdentity', labelIdentity: { label: 'ns:a&pod:b', id: 7 } }),
    imported('shop-cart-mine', {
      kind: 'ServiceImport',
      namespace: 'shop',
      name: 'cart-mine',
      serviceImport: { spec: { type: 'ClusterSetIP', ports: [{ name: 'http', protocol: 'TCP', port: 80 }] } },
    }),
  ];
}
