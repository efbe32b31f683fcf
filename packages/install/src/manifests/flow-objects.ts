import { FlowSchema, Label, PriorityLevelConfiguration } from '@isthmus/api';
import type { FlowRule, FlowSubject } from '@isthmus/api';
import { apiVersionOf } from '@isthmus/machinery';
import { controllerLabels, controllerNames } from '../roles/controller-names.ts';

/** Before `service-accounts` of every API server (9000), and behind those for single components. */
const precedence = { controller: 8_940, members: 8_950 } as const;
/** Every API server has it, and serves ServiceAccounts in it. */
const usual = 'workload-low';

/**
 * Serves the requests of members in a priority level of their own, one flow for each account: a
 * member that sends as many requests as it can delays neither other clients of the leader's API
 * server nor, for long, other members. The leader's controller, which has an account in the same
 * Namespace, stays in the level of other ServiceAccounts.
 *
 * With the levels of every API server, members have a thirteenth of its requests, and twice that
 * while other levels are idle.
 */
export function memberFlowObjects(namespace: string): readonly (FlowSchema | PriorityLevelConfiguration)[] {
  const labels = { ...controllerLabels, [Label.servedIn]: namespace };
  const members = `${namespace}-isthmus-members`;
  const account = { name: controllerNames.serviceAccount, namespace };
  const schema = (name: string, matchingPrecedence: number, level: string, subject: FlowSubject): FlowSchema => ({
    apiVersion: apiVersionOf(FlowSchema),
    kind: FlowSchema.kind,
    metadata: { name, labels },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      distinguisherMethod: { type: 'ByUser' },
      rules: [all(subject)],
    },
  });
  return [
    {
      apiVersion: apiVersionOf(PriorityLevelConfiguration),
      kind: PriorityLevelConfiguration.kind,
      metadata: { name: members, labels },
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 20,
          lendablePercent: 50,
          borrowingLimitPercent: 100,
          limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 6, queueLengthLimit: 50 } },
        },
      },
    },
    schema(`${namespace}-isthmus-controller`, precedence.controller, usual, {
      kind: 'ServiceAccount',
      serviceAccount: account,
    }),
    schema(members, precedence.members, members, {
      kind: 'Group',
      group: { name: `system:serviceaccounts:${namespace}` },
    }),
  ];
}

/** Every request of the subject. */
function all(subject: FlowSubject): FlowRule {
  return {
    subjects: [subject],
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  };
}
