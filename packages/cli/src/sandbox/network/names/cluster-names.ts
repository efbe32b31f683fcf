import type { EndpointSlice, Service } from '@isthmus/api';
import type { DnsEndpoint, DnsPort, DnsService, Served } from '@isthmus/dataplane';
import { respond } from '@isthmus/dataplane';
import type { Address } from '@isthmus/machinery';
import { parseAddress } from '@isthmus/machinery';
import type { ServiceObjects } from './service-objects.ts';

/** The zone of a cluster's own Services. */
export const clusterDomain = 'cluster.local';

/**
 * The addresses of the names of a cluster's own Services, as in the DNS specification of
 * Kubernetes, without ExternalName, names of Pods and PTR.
 */
export function clusterNames({ services, slices, slicesOf, hasServices }: ServiceObjects): () => Served {
  let serial = 0;
  for (const cache of [services, slices]) cache.subscribe(() => void serial++);
  const zone = {
    name: clusterDomain,
    hasNamespace: hasServices,
    find(namespace: string, name: string) {
      const service = services.get({ namespace, name });
      return service === undefined || service.spec?.type === 'ExternalName'
        ? undefined
        : readService(service, slicesOf(`${namespace}/${name}`));
    },
  };
  return () => ({ zoneName: clusterDomain, zone: services.synced && slices.synced ? zone : undefined, serial });
}

/** The response of a server of several zones. Undefined: the message is not answered. */
export function answerOf(
  message: Uint8Array,
  transport: 'udp' | 'tcp',
  zones: readonly (() => Served)[],
): Uint8Array | undefined {
  let response: Uint8Array | undefined;
  for (const served of zones) {
    const { rcode, message: found } = respond(message, transport, served());
    response = found;
    if (rcode !== 'REFUSED') break;
  }
  return response;
}

/** How the names of a Service resolve, from it and its slices. */
export function readService({ metadata, spec }: Service, slices: readonly EndpointSlice[]): DnsService {
  const { clusterIP, clusterIPs = clusterIP === undefined ? [] : [clusterIP], ports = [] } = spec ?? {};
  const isHeadless = clusterIPs[0] === 'None';
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    isHeadless,
    ips: isHeadless ? [] : clusterIPs.flatMap(addressOf),
    ports: ports.map(({ name = '', protocol = 'TCP', port }) => ({ name, protocol, port })),
    endpoints: isHeadless ? slices.flatMap(endpointsOf) : [],
  };
}

function endpointsOf({ endpoints, ports }: EndpointSlice): readonly DnsEndpoint[] {
  const served = (ports ?? []).flatMap(({ name = '', protocol = 'TCP', port }): readonly DnsPort[] =>
    port === undefined ? [] : [{ name, protocol, port }],
  );
  return (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses, hostname }) =>
      addresses
        .slice(0, 1)
        .flatMap(addressOf)
        .map((address) => ({ clusterID: undefined, address, hostname, ports: served })),
    );
}

function addressOf(text: string): readonly Address[] {
  const address = parseAddress(text);
  return address === undefined ? [] : [address];
}
