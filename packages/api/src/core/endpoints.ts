import { s } from '@isthmus/schema';
import type { Infer } from '@isthmus/schema';
import type { KubernetesObject } from '@isthmus/machinery';
import { builtIn } from './built-in.ts';

const addressSchema = s
  .object({
    hostname: s.string().doc('Host name of the endpoint.').optional(),
    ip: s.string().doc('Address of the endpoint.'),
    nodeName: s.string().doc('Node that the endpoint runs on.').optional(),
    targetRef: s
      .object({
        apiVersion: s.string().optional(),
        fieldPath: s.string().optional(),
        kind: s.string().optional(),
        name: s.string().optional(),
        namespace: s.string().optional(),
        resourceVersion: s.string().optional(),
        uid: s.string().optional(),
      })
      .atomic()
      .doc('The object behind the endpoint, usually a Pod.')
      .optional(),
  })
  .atomic();

const portSchema = s
  .object({
    appProtocol: s.string().doc('Application protocol of the port, as a hint.').optional(),
    name: s.string().doc('Name of the port; matches the name in the Service.').optional(),
    port: s.int32().doc('Number of the port.'),
    protocol: s.string().doc('TCP, UDP or SCTP; the default is TCP.').optional(),
  })
  .atomic();

/** core/v1 EndpointSubset: each address serves each port. */
export const endpointSubsetSchema = s.object({
  addresses: s.atomicArray(addressSchema).doc('Endpoints that are ready for traffic.').optional(),
  notReadyAddresses: s.atomicArray(addressSchema).doc('Endpoints that are not ready for traffic.').optional(),
  ports: s.atomicArray(portSchema).doc('Ports of the endpoints.').optional(),
});

export type EndpointSubset = Infer<typeof endpointSubsetSchema>;

/** core/v1 Endpoints, deprecated in Kubernetes: read from Antrea members' days, never written. */
export interface Endpoints extends KubernetesObject {
  readonly subsets?: readonly EndpointSubset[] | undefined;
}

export const Endpoints = builtIn<Endpoints>({
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  plural: 'endpoints',
  namespaced: true,
  statusSubresource: false,
});
