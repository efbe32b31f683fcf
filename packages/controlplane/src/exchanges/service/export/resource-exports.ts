import type { ResourceExport, Service, ServicePort } from '@isthmus/api';
import type { Complete } from '@isthmus/schema';
import { Annotation, Finalizer, Label, managedByIsthmus } from '@isthmus/api';
import { exportedMetadataAnnotation, wholeValues } from '@isthmus/wire';
import type { ExportedMetadata } from '@isthmus/wire';
import type { ExportedEndpoints } from './exported-endpoints.ts';
import type { PresentRemote } from './remote.ts';

/**
 * The objects that a member wants in the Common Area for one Service. An absent object is to be
 * deleted.
 */
export interface DesiredExports {
  readonly service?: ResourceExport | undefined;
  readonly endpoints?: ResourceExport | undefined;
}

export interface DesiredExportsInput {
  readonly service: Service;
  /** The labels and annotations to export with it. */
  readonly exported: ExportedMetadata;
  readonly endpoints: ExportedEndpoints;
  readonly remote: PresentRemote;
}

/** Both ResourceExports of a Service, as docs/spec/wire.md §7 and §8.1 show them. */
export function desiredExports({ service, exported, endpoints, remote }: DesiredExportsInput): DesiredExports {
  const echo = remote.firstExported;
  const annotations = {
    ...exportedMetadataAnnotation(exported),
    ...(echo === undefined ? {} : { [Annotation.firstExported]: echo }),
  };
  return {
    service: resourceExport(service, remote, {
      kind: 'Service',
      annotations,
      payload: { service: { serviceSpec: exportedSpec(service) } },
    }),
    endpoints: resourceExport(service, remote, {
      kind: 'Endpoints',
      annotations: { [Annotation.endpointIPType]: endpoints.addressesAre },
      payload: { endpoints: { subsets: endpoints.subsets }, endpointSlices: endpoints.slices },
    }),
  };
}

/** Every field except `nodePort`, which means nothing in other clusters. */
type ExportedPort = Complete<Omit<ServicePort, 'nodePort'>>;

/**
 * The part of a Service's spec that other clusters may see. An Antrea leader reads only the ports.
 */
function exportedSpec(
  service: Service,
): NonNullable<NonNullable<NonNullable<ResourceExport['spec']>['service']>['serviceSpec']> {
  const spec = service.spec ?? {};
  return {
    ports: (spec.ports ?? []).map(({ name, protocol, port, targetPort, appProtocol }): ExportedPort => ({
      name,
      protocol: protocol ?? 'TCP',
      port,
      targetPort,
      appProtocol,
    })),
    clusterIP: spec.clusterIP === 'None' ? 'None' : undefined,
    ...wholeValues(({ exported }) => exported(spec)),
    ipFamilies: spec.ipFamilies,
  };
}

interface Part {
  readonly kind: 'Service' | 'Endpoints';
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly payload: Partial<NonNullable<ResourceExport['spec']>>;
}

function resourceExport(service: Service, remote: PresentRemote, { kind, annotations, payload }: Part): ResourceExport {
  const { clusterID, leaderNamespace, names } = remote;
  const { name, namespace = '' } = service.metadata;
  return {
    metadata: {
      name: names[kind],
      namespace: leaderNamespace,
      labels: {
        [Label.sourceName]: name,
        [Label.sourceNamespace]: namespace,
        [Label.sourceClusterID]: clusterID,
        [Label.sourceKind]: kind,
        [Label.managedBy]: managedByIsthmus,
      },
      annotations,
      finalizers: [Finalizer.resourceExport],
    },
    spec: { clusterID, name, namespace, kind, ...payload },
  };
}
