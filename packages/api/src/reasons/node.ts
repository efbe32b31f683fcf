import { defineStatus } from './define-status.ts';

/** What a member reports on Nodes that are marked as gateways. */
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
        'The Node has the annotation `multicluster.antrea.io/gateway=true`, but lacks a valid address. A Gateway that exists for it is kept unchanged.',
      cure: 'Read the message: it names the missing type of address or the invalid annotation. Annotation `multicluster.antrea.io/gateway-ip` sets the address for other clusters.',
    },
    GatewayMarkIgnored: {
      on: ['Event'],
      severity: 'warning',
      meaning:
        'Annotation `multicluster.antrea.io/gateway` of the Node has a value other than `true` or `false`, and has no effect.',
      cure: 'Run: `kubectl annotate node <name> multicluster.antrea.io/gateway=true --overwrite`, or remove the annotation.',
    },
  },
});
