import type {
  ClusterClaim,
  ClusterSet,
  EndpointSlice,
  Namespace,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import { Label } from '@isthmus/api';
import type { Resource } from '@isthmus/kube';
import type { EndpointIPType } from '../config.ts';
import type { Reports } from '../reports.ts';

/** What a member works on in its own cluster. */
export interface LocalCluster {
  /** The controller's Namespace: ClusterSet, ClusterClaims, Secrets. */
  readonly namespace: string;
  readonly endpointIPType: EndpointIPType;
  readonly clusterSets: Resource<ClusterSet>;
  readonly clusterClaims: Resource<ClusterClaim>;
  readonly namespaces: Resource<Namespace>;
  readonly services: Resource<Service>;
  /** Indexed by {@link SliceIndex}. */
  readonly slices: Resource<EndpointSlice>;
  /** Indexed by {@link ServiceExportIndex}. */
  readonly serviceExports: Resource<ServiceExport>;
  readonly serviceImports: Resource<ServiceImport>;
  readonly events: Reports;
}

/** Names of the indexes of {@link LocalCluster.slices}; values are `namespace/name`. */
export const SliceIndex = {
  /** By the Service that the slice belongs to. */
  service: 'service',
  /** By the imported Service whose endpoints it holds. */
  imported: 'imported',
} as const;

/** The indexes that a cache of EndpointSlices needs. */
export const sliceIndexes = {
  [SliceIndex.service]: (slice: EndpointSlice) => labelled(slice, Label.serviceName),
  [SliceIndex.imported]: (slice: EndpointSlice) => labelled(slice, Label.mcsServiceName),
};

function labelled(slice: EndpointSlice, label: string): readonly string[] {
  const name = slice.metadata.labels?.[label];
  return name === undefined ? [] : [`${slice.metadata.namespace ?? ''}/${name}`];
}

/** Names of the indexes of {@link LocalCluster.serviceExports}. */
export const ServiceExportIndex = {
  /** By `namespace-name`, which all that share a name on the leader have in common. */
  base: 'base',
} as const;

/** The indexes that a cache of ServiceExports needs. */
export const serviceExportIndexes = {
  [ServiceExportIndex.base]: ({ metadata }: ServiceExport) => [`${metadata.namespace ?? ''}-${metadata.name}`],
};
