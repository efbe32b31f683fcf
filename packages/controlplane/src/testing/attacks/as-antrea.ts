import type { ClusterInfo, EndpointSlicePayload, ServicePort, ServiceSpec } from '@isthmus/api';
import { Finalizer, Label, ResourceExport, clusterInfoName, resourceExportName } from '@isthmus/api';
import type { ResourceType } from '@isthmus/machinery';
import type { Attacker, Write } from './attack.ts';
import { leader, shop } from './facts.ts';

export const ports: readonly ServicePort[] = [{ name: 'http', protocol: 'TCP', port: 80 }];
const target = { name: 'http', protocol: 'TCP', port: 8080 };

/** The network of an attacker, as it is granted, with what differs. */
export function networkOf({ id, pods, pods6, services, gateway }: Attacker, changed: ClusterInfo = {}): ResourceExport {
  const clusterInfo = {
    clusterID: id,
    serviceCIDR: services,
    podCIDRs: [pods, pods6],
    gatewayInfos: [{ gatewayIP: gateway }],
  };
  const name = clusterInfoName(id);
  return {
    metadata: {
      name,
      namespace: leader.namespace,
      finalizers: [Finalizer.resourceExport],
      labels: {
        [Label.sourceClusterID]: id,
        [Label.sourceKind]: 'ClusterInfo',
        [Label.sourceName]: id,
        [Label.sourceNamespace]: 'kube-system',
      },
    },
    spec: {
      clusterID: id,
      kind: 'ClusterInfo',
      name: id,
      namespace: 'kube-system',
      clusterInfo: { ...clusterInfo, ...changed },
    },
  };
}

/** Changes the network that the attacker announces. */
export function announce(attacker: Attacker, changed: ClusterInfo): Write {
  const { metadata, spec } = networkOf(attacker, changed);
  return { verb: 'patch', type: ResourceExport, ref: metadata, body: { spec: { clusterInfo: spec?.clusterInfo } } };
}

export interface Exported {
  /** Default: the Service of the attacker in Namespace `shop`. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly service?: ServiceSpec | undefined;
  /** Default: an address of its own. */
  readonly addresses?: readonly string[] | undefined;
  /** The name of the port of its endpoints. Default: `http`. */
  readonly target?: string | undefined;
  /** The form of Isthmus beside that of Antrea. Default: only that of Antrea. */
  readonly slices?: readonly EndpointSlicePayload[] | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** The creation of an export. */
export interface CreateExport {
  readonly verb: 'create';
  readonly type: ResourceType<ResourceExport>;
  readonly object: ResourceExport;
}

/** Changes an export that exists to what this one creates. */
export function changeTo({ type, object: { metadata, spec } }: CreateExport): Write {
  return { verb: 'patch', type, ref: metadata, body: { spec } };
}

/** The two exports of a Service, of the Service and of its endpoints. */
export function exportService(attacker: Attacker, exported: Exported = {}): readonly [CreateExport, CreateExport] {
  const { id } = attacker;
  const {
    namespace = shop,
    name = attacker.service,
    service,
    addresses = [attacker.pod],
    slices,
    annotations,
  } = exported;
  const targets = [{ ...target, name: exported.target ?? target.name }];
  const write = (kind: 'Service' | 'Endpoints', payload: object): CreateExport => ({
    verb: 'create',
    type: ResourceExport,
    object: {
      metadata: {
        name: resourceExportName(id, namespace, name, kind),
        namespace: leader.namespace,
        annotations,
        finalizers: [Finalizer.resourceExport],
        labels: {
          [Label.sourceClusterID]: id,
          [Label.sourceKind]: kind,
          [Label.sourceName]: name,
          [Label.sourceNamespace]: namespace,
        },
      },
      spec: { clusterID: id, kind, namespace, name, ...payload },
    },
  });
  const subsets = [{ addresses: addresses.map((ip) => ({ ip })), ports: targets }];
  return [
    write('Service', { service: { serviceSpec: { ports, type: 'ClusterIP', ...service } } }),
    write('Endpoints', { endpoints: { subsets }, ...(slices !== undefined && { endpointSlices: slices }) }),
  ];
}

/** A slice with one endpoint for each address. */
export function sliceOf(
  addressType: EndpointSlicePayload['addressType'],
  addresses: readonly string[],
): EndpointSlicePayload {
  return { addressType, endpoints: addresses.map((one) => ({ addresses: [one] })), ports: [target] };
}
