import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';

/** coordination.k8s.io/v1 Lease. Times are RFC 3339 with microseconds. */
export interface Lease extends KubernetesObject {
  readonly spec?:
    | {
        readonly holderIdentity?: string | undefined;
        readonly leaseDurationSeconds?: number | undefined;
        readonly acquireTime?: string | undefined;
        readonly renewTime?: string | undefined;
        readonly leaseTransitions?: number | undefined;
      }
    | undefined;
}

export const Lease = builtIn<Lease>({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  statusSubresource: false,
});
