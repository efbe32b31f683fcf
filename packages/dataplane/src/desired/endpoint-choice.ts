import { addressText } from '@isthmus/machinery';
import type { ImportedService, ServiceEndpoint } from './cluster-network.ts';

/**
 * The rule that translates a connection to the address of a Service to one of its endpoints. Each exporting cluster gets the same share of the
 * connections, and each endpoint of a cluster the same share of these.
 */
export function endpointChoice(service: Pick<ImportedService, 'address' | 'protocol' | 'endpoints'>): string {
  const { address, protocol, endpoints } = service;
  const family = address.family === 'IPv4' ? 'ip' : 'ip6';
  const ranges = sharesOf(endpoints);
  const to = ranges.entries.map(({ from, until, endpoint }) => {
    const numbers = until - from === 1 ? `${from}` : `${from}-${until - 1}`;
    return `${numbers} : ${addressText(endpoint.address)} . ${endpoint.port}`;
  });
  const chosen = `numgen random mod ${ranges.total} map { ${to.join(', ')} }`;
  return `meta l4proto ${protocol.toLowerCase()} dnat ${family} to ${chosen}`;
}

interface Shares {
  readonly total: number;
  /** In the order of clusters, addresses and ports. */
  readonly entries: readonly { readonly from: number; readonly until: number; readonly endpoint: ServiceEndpoint }[];
}

/** Divides numbers among endpoints. No endpoint has none. */
export function sharesOf(endpoints: readonly ServiceEndpoint[]): Shares {
  const clusters = [...Map.groupBy(endpoints, ({ clusterID }) => clusterID)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const exact = clusters.map(([, { length }]) => length).reduce(leastCommonMultiple, 1);
  const perCluster =
    exact * clusters.length <= mostShares
      ? exact
      : Math.max(...clusters.map(([, { length }]) => length), mostShares / clusters.length);
  const width = Math.floor(perCluster);
  const entries = clusters.flatMap(([, own], index) =>
    own.toSorted(byAddress).map((endpoint, position) => ({
      from: index * width + Math.floor((position * width) / own.length),
      until: index * width + Math.floor(((position + 1) * width) / own.length),
      endpoint,
    })),
  );
  return { total: clusters.length * width, entries };
}

/** Beyond it the shares are not exact: one in so many connections may go to a neighbour. */
const mostShares = 65_536;

function byAddress(a: ServiceEndpoint, b: ServiceEndpoint): number {
  if (a.address.value !== b.address.value) return a.address.value < b.address.value ? -1 : 1;
  return a.port - b.port;
}

function leastCommonMultiple(a: number, b: number): number {
  const divisor = (x: number, y: number): number => (y === 0 ? x : divisor(y, x % y));
  return (a / divisor(a, b)) * b;
}
