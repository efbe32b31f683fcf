import { defineStatus } from './define-status.ts';

/** What a member reports on its Gateways. */
export const gatewayStatus = defineStatus({
  kind: 'Gateway',
  title: 'Gateway',
  writer: 'member',
  conditions: {},
  reasons: {
    NotExported: {
      on: ['Event'],
      severity: 'error',
      meaning: 'The network of this cluster is not published to the others: the leader does not take it.',
      cure: 'Read the message: it names what is in the way on the leader, or what the leader reports about the export.',
    },
  },
});
