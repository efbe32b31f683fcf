import { Annotation, Label, agentProxyName, importedServiceName } from '@isthmus/api';
import type { EndpointSlice, Service } from '@isthmus/api';

/** Whether an import made the Service. */
export function isImported({ metadata }: Service): boolean {
  return metadata.annotations?.[Annotation.importedService] !== undefined;
}

/** The key that connects Services and their slices. */
export const serviceKey = ({ metadata: { namespace, name } }: Service): string => `${namespace}/${name}`;
export const sliceKey = (slice: EndpointSlice): string => {
  const { namespace, labels } = slice.metadata;
  return `${namespace}/${holdsPods(slice) ? importedServiceName(labels?.[Label.mcsServiceName] ?? '') : labels?.[Label.serviceName]}`;
};

/** Whether a slice holds Pods behind ClusterIPs of another cluster (docs/spec/wire.md §8.3). */
export function holdsPods({ metadata: { labels } }: EndpointSlice): boolean {
  return labels?.[Label.serviceProxyName] === agentProxyName;
}
