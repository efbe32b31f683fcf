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
      meaning: 'The network of this cluster is not published to the other clusters: the leader does not accept it.',
      cure: 'Read the message: it names the conflicting object on the leader, or the problem that the leader reports.',
    },
  },
});
