import type { ResourceExport, ResourceImport, ServiceImportSpec } from '@isthmus/api';
import { Label, SourceKind, resourceExportName } from '@isthmus/api';
import { exportedMetadataKept, partSource, soleSource, substituteAnnotations, wholeValues } from '@isthmus/wire';

/**
 * The cluster whose endpoints this import publishes. Undefined for imports with endpoints of all
 * exporters.
 */
export function sourceCluster(object: ResourceImport): string | undefined {
  return partSource(object) ?? soleSource(object);
}

/**
 * Both exports of the cluster whose endpoints `object` publishes. The Service is as all clusters
 * import it, with the ports that this cluster serves. The endpoints are as published. A merge of
 * these exports gives the same imports again (`mergeService`).
 */
export function substitutesOf(object: ResourceImport, all: readonly ResourceImport[]): readonly ResourceExport[] {
  const { namespace = '', name = '', endpointSlices } = object.spec ?? {};
  const clusterID = sourceCluster(object) ?? '';
  const imports = all.filter((other) => isOfSame(object, other));
  const importOf = (kind: SourceKind) => imports.find(({ spec }) => spec?.kind === kind);
  // Nothing is known of a Service that is no longer published. The substitute is not merged, and
  // its import stays unchanged.
  const service = importOf(SourceKind.serviceImport);
  const imported = service?.spec?.serviceImport?.spec;
  // If the API server dropped the slices, only the addresses of all exporters are left.
  const subsets = endpointSlices === undefined ? importOf(SourceKind.endpoints)?.spec?.endpoints?.subsets : undefined;
  // If a port has no endpoints, its cluster is unknown. Without the port here, the import would
  // lose it.
  const servedByOthers = servedBy(imports.filter((other) => ![undefined, clusterID].includes(sourceCluster(other))));
  const served = servedBy([object]);
  // It is also unknown which ports a cluster without endpoints has.
  const isOwn = ({ name: port = '' }) => served.size === 0 || served.has(port) || !servedByOthers.has(port);
  const ports = (imported?.ports ?? []).filter(isOwn);
  const standIn = (kind: 'Service' | 'Endpoints', payload: Partial<ResourceExport['spec']>): ResourceExport => ({
    metadata: {
      name: resourceExportName(clusterID, namespace, name, kind),
      namespace: object.metadata.namespace,
      labels: { [Label.sourceClusterID]: clusterID },
      creationTimestamp: object.metadata.creationTimestamp,
      annotations: {
        ...substituteAnnotations(object.metadata),
        ...(kind === 'Service' && service !== undefined ? exportedMetadataKept(service) : {}),
      },
    },
    spec: { clusterID, namespace, name, kind, ...payload },
  });
  return [
    standIn('Service', {
      service: imported === undefined ? undefined : { serviceSpec: serviceSpecOf(imported, ports) },
    }),
    standIn('Endpoints', { endpoints: { subsets }, endpointSlices }),
  ];
}

/** Whether the Service is published, so that each substitute can have its ports. */
export function isWhole(object: ResourceImport, imports: readonly ResourceImport[]): boolean {
  return imports.some((other) => isOfSame(object, other) && other.spec?.kind === SourceKind.serviceImport);
}

function isOfSame({ spec }: ResourceImport, other: ResourceImport): boolean {
  return spec?.namespace === other.spec?.namespace && spec?.name === other.spec?.name;
}

type ServiceSpec = NonNullable<NonNullable<NonNullable<ResourceExport['spec']>['service']>['serviceSpec']>;

function serviceSpecOf(imported: ServiceImportSpec, ports: ServiceSpec['ports']): ServiceSpec {
  return {
    ports,
    clusterIP: imported.type === 'Headless' ? 'None' : undefined,
    ...wholeValues((_, field) => imported[field]),
  };
}

/** The names of the ports that have endpoints in these imports. */
function servedBy(imports: readonly ResourceImport[]): ReadonlySet<string> {
  const slices = imports.flatMap(({ spec }) => spec?.endpointSlices ?? []);
  return new Set(slices.flatMap(({ ports }) => (ports ?? []).map(({ name = '' }) => name)));
}
