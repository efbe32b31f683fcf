import { Service } from '@isthmus/api';
import type { ServiceSpec } from '@isthmus/api';
import type { VirtualCluster } from '@isthmus/fleet-sim';
import { cart, putPod } from '@isthmus/fleet-sim';

/** Creates Service `shop/cart` of the cluster again, with `spec` and one ready Pod. */
export function serveCart(cluster: VirtualCluster, spec: Partial<ServiceSpec>): void {
  const { admin } = cluster.server;
  admin.delete(Service, cart);
  admin.put(Service, { metadata: { ...cart }, spec: { selector: { app: cart.name }, ...spec } });
  putPod(cluster, 'cart-1', '10.20.1.5');
}
