import { EndpointSlice, Label, Service } from '@isthmus/api';
import type { Client, RunnableCache, World } from '@isthmus/kube';
import { createCache } from '@isthmus/kube';
import { keyOf } from '@isthmus/machinery';

/** The Services of a cluster, and their EndpointSlices. */
export interface ServiceObjects {
  readonly services: RunnableCache<Service>;
  readonly slices: RunnableCache<EndpointSlice>;
  /** The slices of a Service, by its key. */
  slicesOf(key: string): readonly EndpointSlice[];
  hasServices(namespace: string): boolean;
  /** Follows the objects until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const [byService, byNamespace] = ['service', 'namespace'] as const;

export function createServiceObjects(client: Client, world: World): ServiceObjects {
  const services = createCache<Service>({
    ...world,
    client,
    type: Service,
    indexes: { [byNamespace]: ({ metadata: { namespace = '' } }) => [namespace] },
  });
  const slices = createCache<EndpointSlice>({
    ...world,
    client,
    type: EndpointSlice,
    indexes: { [byService]: (slice) => [serviceOf(slice)] },
  });
  return {
    services,
    slices,
    slicesOf: (key) => slices.byIndex(byService, key),
    hasServices: (namespace) => services.byIndex(byNamespace, namespace).length > 0,
    async run(signal) {
      await Promise.all([services.run(signal), slices.run(signal)]);
    },
  };
}

/** The key of the Service that a slice is of. */
function serviceOf({ metadata: { namespace, labels } }: EndpointSlice): string {
  return keyOf({ namespace, name: labels?.[Label.serviceName] ?? '' });
}
