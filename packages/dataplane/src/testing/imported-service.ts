import type { ImportedService } from '../desired/cluster-network.ts';
import { address } from './addresses.ts';

/** Service `shop/cart`, port 80, with endpoints of cluster west on port 8080. */
export function importedService(
  clusterIP: string,
  {
    protocol,
    endpoints,
    ...options
  }: Pick<ImportedService, 'affinitySeconds' | 'isNodeLocal'> & {
    readonly protocol: ImportedService['protocol'];
    readonly endpoints: readonly string[];
  },
): ImportedService {
  return {
    namespace: 'shop',
    name: 'cart',
    protocol,
    address: address(clusterIP),
    port: 80,
    endpoints: endpoints.map((one) => ({ clusterID: 'west', address: address(one), port: 8080 })),
    ...options,
  };
}
