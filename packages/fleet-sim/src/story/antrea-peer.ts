import { ResourceExport, ResourceImport } from '@isthmus/api';
import type { EndpointSubset, ServicePort } from '@isthmus/api';
import type { VirtualFleet } from '../fleet/fleet.ts';
import { leaderNamespace } from '../fleet/fleet-names.ts';

/** A Service as a member exports it, or as a leader has merged it. */
export interface PeerService {
  readonly namespace: string;
  readonly name: string;
  readonly ports: readonly ServicePort[];
  readonly subsets: readonly EndpointSubset[];
}

/**
 * Creates both ResourceExports of a Service in the Common Area as an Antrea member does
 * (docs/spec/wire.md §7): with its labels and fields, without ours. `finalizer`: the one of Antrea
 * before 2.1.1 differs from the default.
 */
export function putAntreaExports(
  fleet: VirtualFleet,
  clusterID: string,
  { namespace, name, ports, subsets }: PeerService,
  finalizer = 'resourceexport.antrea.io/finalizer',
): void {
  const payloads = { Service: { service: { serviceSpec: { ports } } }, Endpoints: { endpoints: { subsets } } };
  for (const kind of ['Service', 'Endpoints'] as const) {
    fleet.leader.server.admin.put(ResourceExport, {
      metadata: {
        name: `${clusterID}-${namespace}-${name}-${kind.toLowerCase()}`,
        namespace: leaderNamespace,
        finalizers: [finalizer],
        labels: {
          sourceName: name,
          sourceNamespace: namespace,
          sourceClusterID: clusterID,
          sourceKind: kind,
        },
      },
      spec: { clusterID, name, namespace, kind, ...payloads[kind] },
    });
  }
}

/** Deletes the objects of {@link putAntreaExports}, as an Antrea member does. */
export function deleteAntreaExports(
  fleet: VirtualFleet,
  clusterID: string,
  { namespace, name }: Pick<PeerService, 'namespace' | 'name'>,
): void {
  for (const kind of ['service', 'endpoints']) {
    const ref = { namespace: leaderNamespace, name: `${clusterID}-${namespace}-${name}-${kind}` };
    fleet.leader.server.admin.delete(ResourceExport, ref);
  }
}

/**
 * Creates both ResourceImports of a Service in the Common Area as an Antrea leader does
 * (docs/spec/wire.md §7).
 */
export function putAntreaImports(fleet: VirtualFleet, { namespace, name, ports, subsets }: PeerService): void {
  const { admin } = fleet.leader.server;
  const spec = {
    ports: ports.map(({ name, port, protocol }) => ({ name, port, protocol })),
    type: 'ClusterSetIP' as const,
  };
  admin.put(ResourceImport, {
    metadata: { name: `${namespace}-${name}-service`, namespace: leaderNamespace },
    spec: { name, namespace, kind: 'ServiceImport', serviceImport: { spec } },
  });
  admin.put(ResourceImport, {
    metadata: { name: `${namespace}-${name}-endpoints`, namespace: leaderNamespace },
    spec: { name, namespace, kind: 'Endpoints', endpoints: { subsets } },
  });
}

/** Deletes the objects of {@link putAntreaImports}. */
export function deleteAntreaImports(
  fleet: VirtualFleet,
  { namespace, name }: Pick<PeerService, 'namespace' | 'name'>,
): void {
  for (const kind of ['service', 'endpoints']) {
    fleet.leader.server.admin.delete(ResourceImport, {
      namespace: leaderNamespace,
      name: `${namespace}-${name}-${kind}`,
    });
  }
}
