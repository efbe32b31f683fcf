import { defineStatus } from './define-status.ts';

/** The reports of a member on its Gateways. */
export const gatewayStatus = defineStatus({
  kind: 'Gateway',
  title: 'Gateway',
  writer: 'member',
  conditions: {},
  reasons: {
    InvalidGatewayIP: {
      on: ['Event'],
      severity: 'error',
      meaning:
        'The `gatewayIP` of the Gateway is not an IP address, or is one that other clusters cannot reach (loopback, link-local, multicast, unspecified, broadcast). Other clusters do not use the Gateway.',
      cure: 'Correct `gatewayIP`. If the controller created the Gateway, correct the annotation `multicluster.antrea.io/gateway-ip` or the address of the Node.',
    },
    ServiceCIDRUnknown: {
      on: ['Event'],
      severity: 'warning',
      meaning:
        'The Gateway does not have a `serviceCIDR`: the configuration does not set it and the API server did not report it, or a user created the Gateway without it. Agents of Antrea in other clusters do not use a network without a Service CIDR.',
      cure: 'Set `serviceCIDR` in the configuration of the controller.',
    },
    NotExported: {
      on: ['Event'],
      severity: 'error',
      meaning:
        'The network of this cluster is not published to the other clusters: the leader or its API server does not accept it, or an Antrea leader has not published it for a minute.',
      cure: 'Read the message: it names the conflicting object on the leader, the problem that the leader or its API server reports, or the command that restarts its controller.',
    },
  },
});
