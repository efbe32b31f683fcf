import type { Family } from '@isthmus/machinery';
import type { MergedEndpoint, MergedEndpointPort } from '../types.ts';

/** Endpoints that share their ports. */
interface Group {
  readonly ports: readonly MergedEndpointPort[];
  readonly endpoints: readonly { readonly family: Family; readonly endpoint: MergedEndpoint }[];
}

/**
 * Whether subsets have the same ready IPv4 endpoints as slices, on the same ports. The exporters of
 * Isthmus make both of the same endpoints, and importers use IPv4 alone of the merged subsets.
 */
export function areSame(subsets: readonly Group[], slices: readonly Group[]): boolean {
  const [some, others] = [readyIn(subsets), readyIn(slices)];
  if (some.size !== others.size) return false;
  return some.entries().every(([address, ports]) => {
    const found = others.get(address);
    return found !== undefined && found.size === ports.size && ports.isSubsetOf(found);
  });
}

/** The sets of ports of each address. Endpoints without ports are in no subset that is merged. */
function readyIn(groups: readonly Group[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { ports, endpoints } of groups) {
    if (ports.length === 0) continue;
    const key = ports
      .map(({ name = '', protocol, port }) => `${name}/${protocol}/${port}`)
      .toSorted()
      .join();
    for (const { family, endpoint } of endpoints) {
      if (endpoint.conditions?.ready === false || family !== 'IPv4') continue;
      for (const address of endpoint.addresses) {
        const known = found.get(address);
        if (known === undefined) found.set(address, new Set([key]));
        else known.add(key);
      }
    }
  }
  return found;
}
