import { s } from '@isthmus/schema';
import type { Infer } from '@isthmus/schema';
import { endpointSubsetSchema } from '../core/endpoints.ts';

/**
 * The payloads of ResourceExports and ResourceImports. The case of the keys differs between the two
 * kinds.
 */

const wireGuard = s.object({ publicKey: s.string().doc('Public key of the gateway, base64.').optional() });

export const clusterInfoSchema = s
  .object({
    clusterID: s.string().doc('ID of the cluster.').optional(),
    gatewayInfos: s
      .array(
        s.object({
          gatewayIP: s.string().doc('Address of the gateway for other clusters.').optional(),
          publicKey: s
            .string()
            .doc(
              'Extension of Isthmus: WireGuard public key of the gateway, base64. The key of the first gateway is in wireGuard.',
            )
            .optional(),
        }),
      )
      .doc('Gateways of the cluster; the first one is active, the others can take over from it.')
      .optional(),
    podCIDRs: s.array(s.string()).doc('Pod CIDRs of the cluster.').optional(),
    serviceCIDR: s.string().doc('Service CIDR of the cluster.').optional(),
    wireGuard: wireGuard.doc('WireGuard data of the cluster.').optional(),
  })
  .doc('The network of one cluster.');
export type ClusterInfo = Infer<typeof clusterInfoSchema>;

const laterForm = 'in the form of EndpointSlices, as later members of Antrea may write them. Not read';

export const endpointsPayloadSchema = s
  .object({
    endpoints: s.array(s.anyObject()).doc(`Endpoints ${laterForm}.`).optional(),
    ports: s.array(s.anyObject()).doc(`Ports ${laterForm}.`).optional(),
    subsets: s.array(endpointSubsetSchema).doc('Endpoints, as in core/v1 Endpoints.').optional(),
  })
  .doc('The endpoints, in the form that every peer reads.');

const sliceEndpointsSchema = s
  .array(
    s.object({
      addresses: s.array(s.string()).doc('Addresses of one endpoint.'),
      conditions: s
        .object({
          ready: s.boolean().doc('Whether the endpoint is ready for traffic; absent means yes.').optional(),
          serving: s.boolean().doc('Like ready, but also true while terminating.').optional(),
          terminating: s.boolean().doc('Whether the endpoint is terminating.').optional(),
        })
        .optional(),
      hostname: s.string().doc('Host name of the endpoint, for DNS.').optional(),
      zone: s.string().doc('Zone that the endpoint runs in.').optional(),
    }),
  )
  .doc('Endpoints; may be empty.');

const slicePortsSchema = s
  .array(
    s.object({
      appProtocol: s.string().doc('Application protocol of the port, as a hint.').optional(),
      name: s.string().doc('Name of the Service port; absent or empty for an unnamed port.').optional(),
      port: s.int32().doc('Number of the port at the endpoints.').optional(),
      protocol: s.string().doc('TCP, UDP or SCTP; the default is TCP.').optional(),
    }),
  )
  .doc('Ports that each endpoint serves.')
  .optional();

/**
 * One slice of the `endpointSlices` payload (docs/spec/wire.md §8.1): addresses of one family that
 * share their ports.
 */
export const endpointSlicePayloadSchema = s.object({
  addressType: s.oneOf('IPv4', 'IPv6', 'FQDN').doc('Family of the addresses.'),
  endpoints: sliceEndpointsSchema,
  pods: s
    .array(s.object({ endpoints: sliceEndpointsSchema, ports: slicePortsSchema }))
    .doc(
      'If endpoints are ClusterIPs: the Pods behind the ClusterIPs of this family, with their target ports, for agents of Isthmus in other clusters.',
    )
    .optional(),
  ports: slicePortsSchema,
});
export type EndpointSlicePayload = Infer<typeof endpointSlicePayloadSchema>;

export const endpointSlicesPayloadSchema = s
  .array(endpointSlicePayloadSchema)
  .doc(
    'Extension of Isthmus: the endpoints of one Service in one cluster, all address families, with readiness, host name and zone. ' +
      'Peers that do not know this field use endpoints.',
  );

/**
 * crd.antrea.io/v1beta1 ClusterNetworkPolicySpec as far as docs/spec/wire.md §3 gives it: rules and
 * their peers are kept as they are (preserve-unknown-fields), and judged by the member's own CRD
 * when the policy is created there.
 */
const policyRule = s.object({
  action: s.string().doc('Allow, Drop, Reject or Pass.'),
  appliedTo: s.array(s.anyObject()).doc('Targets of the rule; replaces appliedTo of the policy.').optional(),
  enableLogging: s.boolean().doc('Whether matches are logged.').optional(),
  from: s.array(s.anyObject()).doc('Sources, for ingress rules.').optional(),
  l7Protocols: s.array(s.anyObject()).doc('Application protocols.').optional(),
  logLabel: s.string().doc('Label of the log lines.').optional(),
  name: s.string().doc('Name of the rule.').optional(),
  ports: s.array(s.anyObject()).doc('Ports.').optional(),
  protocols: s.array(s.anyObject()).doc('Protocols other than TCP, UDP and SCTP.').optional(),
  to: s.array(s.anyObject()).doc('Destinations, for egress rules.').optional(),
  toServices: s.array(s.anyObject()).doc('Destination Services, for egress rules.').optional(),
});

export const clusterNetworkPolicySchema = s
  .object({
    appliedTo: s.array(s.anyObject()).doc('Targets of the policy.').optional(),
    egress: s.array(policyRule).doc('Rules for egress traffic.').optional(),
    ingress: s.array(policyRule).doc('Rules for ingress traffic.').optional(),
    priority: s.number().doc('Order within the tier; lower values first.'),
    tier: s.string().doc('Tier of the policy; it must exist in each importing cluster.').optional(),
  })
  .doc('A ClusterNetworkPolicy that is replicated to every member.');

export type ClusterNetworkPolicyPayload = Infer<typeof clusterNetworkPolicySchema>;

export const externalEntitySpecSchema = s
  .object({
    endpoints: s.array(s.object({ ip: s.string().optional(), name: s.string().optional() })).optional(),
    externalNode: s.string().optional(),
    ports: s
      .array(s.object({ name: s.string().optional(), port: s.int32().optional(), protocol: s.string().optional() }))
      .optional(),
  })
  .doc('Never used; part of the wire.');

export const rawSchema = s.object({ data: s.base64().optional() }).doc('Never used; part of the wire.');

export const wireGuardSchema = wireGuard;
