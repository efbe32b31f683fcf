import type {
  ClusterClaim,
  ClusterSet,
  EndpointSlice,
  Namespace,
  Secret,
  Service,
  ServiceExport,
  ServiceImport,
} from '@isthmus/api';
import { Label } from '@isthmus/api';
import type { EventRecorder, Resource } from '@isthmus/kube';
import type { EndpointIPType } from '../config.ts';

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
  readonly serviceExports: Resource<ServiceExport>;
  readonly serviceImports: Resource<ServiceImport>;
  readonly events: EventRecorder;
}

/** A cache of the one Secret that a ClusterSet names; its content must not be read more widely than needed. */
export type SecretWatch = (name: string) => { readonly current: () => Secret | undefined; readonly synced: boolean };

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
