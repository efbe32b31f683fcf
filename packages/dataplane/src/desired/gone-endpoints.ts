import type { Address } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import type { ImportedService } from './cluster-network.ts';

/**
 * The UDP Services whose flows may lead to endpoints that they do not have. These are Services that
 * have lost endpoints, and new Services, because it is not known what translated for them before.
 * The kernel leads a UDP flow to its endpoint for as long as the client does not pause.
 *
 * Services that are gone themselves are not included. An endpoint that ends but still serves is not
 * lost.
 */
export function withGoneEndpoints(
  before: readonly ImportedService[],
  after: readonly ImportedService[],
): readonly ImportedService[] {
  const earlier = before.filter(({ protocol }) => protocol === 'UDP');
  const same = new Set(earlier);
  const changed = after.filter((service) => service.protocol === 'UDP' && !same.has(service));
  if (changed.length === 0) return [];
  const former = new Map(earlier.map((one) => [endKey(one), one]));
  return changed.filter((service) => {
    const left = new Set(service.endpoints.map(endKey));
    return former.get(endKey(service))?.endpoints.every((endpoint) => left.has(endKey(endpoint))) !== true;
  });
}

/** The key of an address and a port. */
export const endKey = ({ address, port }: { readonly address: Address; readonly port: number }): string =>
  `${addressText(address)} ${port}`;
