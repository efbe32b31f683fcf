import type { EndpointSlice, ServiceImport } from '@isthmus/api';
import { Label } from '@isthmus/api';
import type { Address } from '@isthmus/machinery';
import { parseAddress } from '@isthmus/machinery';
import type { DnsEndpoint, DnsPort, DnsService } from './answer.ts';

/** The names of an import, from it and its slices. Parts that are not valid are left out. */
export function readImport({ metadata, spec }: ServiceImport, slices: readonly EndpointSlice[]): DnsService {
  const isHeadless = spec?.type === 'Headless';
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    isHeadless,
    ips: isHeadless ? [] : (spec?.ips ?? []).flatMap(addressOf),
    ports: (spec?.ports ?? []).map(({ name = '', protocol = 'TCP', port }) => ({ name, protocol, port })),
    endpoints: isHeadless ? slices.flatMap(endpointsOf) : [],
  };
}

/** The ready endpoints of clusters that are known. */
function endpointsOf({ metadata, endpoints, ports }: EndpointSlice): readonly DnsEndpoint[] {
  const clusterID = metadata.labels?.[Label.mcsSourceCluster];
  if (clusterID === undefined) return [];
  const served = (ports ?? []).flatMap(({ name = '', protocol = 'TCP', port }): readonly DnsPort[] =>
    port === undefined ? [] : [{ name, protocol, port }],
  );
  return (endpoints ?? []).flatMap(({ addresses, conditions, hostname }) =>
    conditions?.ready === false
      ? []
      : addresses
          .slice(0, 1)
          .flatMap(addressOf)
          .map((address) => ({ clusterID: clusterID.toLowerCase(), address, hostname, ports: served })),
  );
}

function addressOf(text: string): readonly Address[] {
  const address = parseAddress(text);
  return address === undefined ? [] : [address];
}
