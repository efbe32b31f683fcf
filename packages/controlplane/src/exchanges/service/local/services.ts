import { EndpointSlice, Label, Service, ServiceExport, ServiceImport, exportedServiceName } from '@isthmus/api';
import type { Resource } from '@isthmus/kube';
import { canonicalAddress, keyOfObject } from '@isthmus/machinery';
import { carriesOurLabel, isOurService, isOurSlice, sliceOriginOf } from '@isthmus/wire';
import type { ImportedObjects } from '../../../own-cluster/imported-objects.ts';
import { importedObjects } from '../../../own-cluster/imported-objects.ts';
import type { OwnCluster } from '../../../own-cluster/own-cluster.ts';

/** The objects of the own cluster that the exchange of Services uses. */
export interface LocalCluster extends OwnCluster {
  /** Indexed by {@link ServiceIndex}. */
  readonly services: Resource<Service>;
  /** Indexed by {@link SliceIndex}. */
  readonly slices: Resource<EndpointSlice>;
  /** Indexed by {@link ServiceExportIndex}. */
  readonly serviceExports: Resource<ServiceExport>;
  readonly serviceImports: Resource<ServiceImport>;
}

export function openLocalServices(own: OwnCluster): LocalCluster {
  return {
    ...own,
    services: own.open(Service, { name: 'services', scope: 'all', indexes: serviceIndexes }),
    slices: own.open(EndpointSlice, { name: 'slices', scope: 'all', indexes: sliceIndexes }),
    serviceExports: own.open(ServiceExport, { name: 'serviceExports', scope: 'all', indexes: serviceExportIndexes }),
    serviceImports: own.open(ServiceImport, { name: 'serviceImports', scope: 'all' }),
  };
}

/** The objects that a withdrawal of all Services removes. */
export function importedServices({ services, slices, serviceImports }: LocalCluster): readonly ImportedObjects[] {
  return [
    importedObjects(serviceImports, carriesOurLabel),
    importedObjects(slices, isImportedSlice),
    importedObjects(services, (service) => carriesOurLabel(service) && isDerived(service)),
  ];
}

function isDerived(service: Service): boolean {
  return isOurService(service) && exportedServiceName(service.metadata.name) !== undefined;
}

function isImportedSlice(slice: EndpointSlice): boolean {
  return isOurSlice(slice) && sliceOriginOf(slice) !== undefined;
}

/** Names of the indexes of {@link LocalCluster.slices}; values are `namespace/name`. */
export const SliceIndex = {
  /** By the Service that the slice belongs to. */
  service: 'service',
  /** By the imported Service whose endpoints it holds. */
  imported: 'imported',
  /** By the addresses of Pods of this cluster, and of its API server: values are addresses. */
  address: 'address',
} as const;

const sliceIndexes = {
  [SliceIndex.service]: (slice: EndpointSlice) => named(slice, slice.metadata.labels?.[Label.serviceName]),
  [SliceIndex.imported]: (slice: EndpointSlice) => named(slice, sliceOriginOf(slice)?.name),
  [SliceIndex.address]: (slice: EndpointSlice) => (isOurSlice(slice) ? [] : ownAddresses(slice)),
};

/**
 * Addresses in a slice that certainly belong to this cluster. Others may have written slices with
 * any address.
 */
function ownAddresses(slice: EndpointSlice): readonly string[] {
  const isApiServer = apiServer === keyOfObject(slice);
  return (slice.endpoints ?? [])
    .filter(({ targetRef }) => isApiServer || targetRef?.kind === 'Pod')
    .flatMap(({ addresses }) => addresses)
    .map(canonicalAddress);
}

/** The Service of the API server; its only slice has the same name. */
const apiServer = 'default/kubernetes';

/** Names of the indexes of {@link LocalCluster.services}. */
export const ServiceIndex = {
  /** By ClusterIP. */
  address: 'address',
} as const;

const serviceIndexes = {
  [ServiceIndex.address]: ({ spec }: Service) =>
    (spec?.clusterIPs ?? []).filter((ip) => ip !== '' && ip !== 'None').map(canonicalAddress),
};

function named(slice: EndpointSlice, name: string | undefined): readonly string[] {
  return name === undefined ? [] : [`${slice.metadata.namespace ?? ''}/${name}`];
}

/** Names of the indexes of {@link LocalCluster.serviceExports}. */
export const ServiceExportIndex = {
  /**
   * By `namespace-name`, which all ServiceExports with the same name on the leader have in common.
   */
  base: 'base',
} as const;

const serviceExportIndexes = {
  [ServiceExportIndex.base]: ({ metadata }: ServiceExport) => [`${metadata.namespace ?? ''}-${metadata.name}`],
};
