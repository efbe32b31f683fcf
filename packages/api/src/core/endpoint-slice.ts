import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';
import type { ObjectReference } from './built-in.ts';

export interface EndpointConditions {
  /** Absent means ready. */
  readonly ready?: boolean | undefined;
  readonly serving?: boolean | undefined;
  readonly terminating?: boolean | undefined;
}

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions | undefined;
  readonly hostname?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly zone?: string | undefined;
  readonly targetRef?: ObjectReference | undefined;
  readonly deprecatedTopology?: Readonly<Record<string, string>> | undefined;
  readonly hints?:
    | {
        readonly forZones?: readonly { readonly name: string }[] | undefined;
        readonly forNodes?: readonly { readonly name: string }[] | undefined;
      }
    | undefined;
}

export interface EndpointPort {
  /** Absent or empty: the Service has one unnamed port. */
  readonly name?: string | undefined;
  readonly port?: number | undefined;
  readonly protocol?: string | undefined;
  readonly appProtocol?: string | undefined;
}

export type AddressType = 'IPv4' | 'IPv6' | 'FQDN';

/** discovery.k8s.io/v1 EndpointSlice. `addressType` is immutable. */
export interface EndpointSlice extends KubernetesObject {
  readonly addressType: AddressType;
  /** The API server writes an empty list as `null`. */
  readonly endpoints: readonly Endpoint[] | null;
  /** Absent, empty and `null` mean the same. */
  readonly ports?: readonly EndpointPort[] | null | undefined;
}

export const EndpointSlice = builtIn<EndpointSlice>({
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
  statusSubresource: false,
});
