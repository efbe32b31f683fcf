import type { Address } from '@isthmus/machinery';
import { addressText } from '@isthmus/machinery';
import type { ImportedService } from './cluster-network.ts';

/** An endpoint of UDP that an imported Service does not have any more. */
export interface GoneEndpoint {
  readonly service: Address;
  readonly port: number;
  readonly endpoint: { readonly address: Address; readonly port: number };
}

/**
 * Which endpoints Services of UDP have lost. The kernel leads a flow of UDP to its endpoint for as long as the client does not pause. Services that are gone themselves are not among them, nor endpoints
 * that end but still serve.
 */
export function goneEndpoints(
  before: readonly ImportedService[],
  after: readonly ImportedService[],
): readonly GoneEndpoint[] {
  const same = new Set(after);
  const changed = before.filter((service) => service.protocol === 'UDP' && !same.has(service));
  if (changed.length === 0) return [];
  const now = new Map(after.filter(({ protocol }) => protocol === 'UDP').map((service) => [keyOf(service), service]));
  return changed.flatMap((service) => {
    const { address, port, endpoints } = service;
    const left = now.get(keyOf(service))?.endpoints.map(keyOf);
    if (left === undefined) return [];
    return endpoints
      .filter((endpoint) => !left.includes(keyOf(endpoint)))
      .map((endpoint) => ({
        service: address,
        port,
        endpoint: { address: endpoint.address, port: endpoint.port },
      }));
  });
}

const keyOf = ({ address, port }: { readonly address: Address; readonly port: number }) =>
  `${addressText(address)} ${port}`;
