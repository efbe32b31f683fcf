import { defineStatus } from './define-status.ts';

/** The reports of a member on Nodes that are marked as gateways. */
export const nodeStatus = defineStatus({
  kind: 'Node',
  title: 'Node',
  writer: 'member',
  conditions: {},
  reasons: {
    GatewayNotPossible: {
      on: ['Event'],
      severity: 'error',
      meaning:
        'The Node has the annotation `multicluster.antrea.io/gateway=true`, but lacks a valid address. An existing Gateway for this Node is kept unchanged.',
      cure: 'Read the message: it names the missing type of address or the invalid annotation. Annotation `multicluster.antrea.io/gateway-ip` sets the address for other clusters.',
    },
    GatewayNotAlive: {
      on: ['Event'],
      severity: 'warning',
      meaning:
        'The agent on the Node has a Lease and does not renew it. The Node is not used as a gateway, unless it is the Gateway already and no other Node can take over.',
      cure: 'Check the agent on the Node. If the Node no longer has an agent, delete the Lease that the message names.',
    },
    GatewayLeaseIgnored: {
      on: ['Event'],
      severity: 'warning',
      meaning: 'The Lease of the Node has an address or a WireGuard public key that is not valid, and is not used.',
      cure: 'Check the log of the agent on the Node: the agent writes the Lease.',
    },
    GatewayActive: {
      on: ['Event'],
      severity: 'ok',
      meaning: 'The controller has created the Gateway of this Node: other clusters reach this cluster through it.',
    },
    GatewayMarkIgnored: {
      on: ['Event'],
      severity: 'warning',
      meaning:
        'An annotation that should make the Node a gateway, or set its address, has no effect: `multicluster.antrea.io/gateway` has a value other than `true` or `false`, the name of the annotation is mistyped, or it was set as a label.',
      cure: 'Run the command in the message. The annotations are `multicluster.antrea.io/gateway` and `multicluster.antrea.io/gateway-ip`.',
    },
  },
});
