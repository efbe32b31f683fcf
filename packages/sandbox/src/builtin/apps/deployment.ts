import { deploymentColumns } from './workload-columns.ts';
import { defineBuiltIn, scaleSubresource, statusSubresource } from '../define.ts';
import type { Errors, IntOrPercent } from '../field-checks.ts';
import { amountOf, nonNegative, nonNegativeIntOrPercent, notMoreThanAll, when } from '../field-checks.ts';
import { forbidden, immutable, invalid, notSupported } from '../field-rules.ts';
import type { WorkloadSpec } from '../pods/pod-template.ts';
import { templateDefaults } from '../pods/pod-template.ts';
import { replicatedErrors } from './replicated.ts';
import { workloadStrategy } from './workload-strategy.ts';

interface DeploymentSpec extends WorkloadSpec {
  readonly strategy?: Strategy | undefined;
  readonly progressDeadlineSeconds?: number | undefined;
  readonly paused?: boolean | undefined;
}

interface Strategy {
  readonly type?: string | undefined;
  readonly rollingUpdate?:
    | { readonly maxUnavailable?: IntOrPercent | undefined; readonly maxSurge?: IntOrPercent | undefined }
    | undefined;
}

const deploymentStrategy = workloadStrategy<DeploymentSpec>({
  kind: 'Deployment',
  warnsOfName: true,
  // Annotations are copied to ReplicaSets: they count.
  generation: 'spec-and-annotations',
  newStatus: {},
  defaults: (spec) => ({
    ...spec,
    replicas: spec.replicas ?? 1,
    template: templateDefaults(spec.template),
    strategy: strategyDefaults(spec.strategy ?? {}),
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
    progressDeadlineSeconds: spec.progressDeadlineSeconds ?? 600,
  }),
  errors: (spec, before) => [
    ...nonNegative('spec.replicas', spec.replicas),
    ...replicatedErrors(spec),
    ...strategyErrors('spec.strategy', spec.strategy ?? {}),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...deadlineErrors(spec),
    ...(before === undefined ? [] : immutable('spec.selector', spec.selector, before.selector)),
  ],
  status: {
    counts: [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ],
    notMoreThan: [
      ['updatedReplicas', 'replicas', 'status.replicas'],
      ['readyReplicas', 'replicas', 'status.replicas'],
      ['availableReplicas', 'replicas', 'status.replicas'],
      ['availableReplicas', 'readyReplicas', 'readyReplicas'],
    ],
  },
});

export const deployment = defineBuiltIn({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  subresources: [scaleSubresource, statusSubresource],
  columns: deploymentColumns,
  strategy: deploymentStrategy,
});

function strategyDefaults(strategy: Strategy): Strategy {
  const type = strategy.type || 'RollingUpdate';
  if (type !== 'RollingUpdate') return strategy;
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate ?? {};
  return {
    type,
    rollingUpdate: { ...strategy.rollingUpdate, maxUnavailable: maxUnavailable ?? '25%', maxSurge: maxSurge ?? '25%' },
  };
}

function strategyErrors(path: string, strategy: Strategy): Errors {
  const { type, rollingUpdate } = strategy;
  switch (type) {
    case 'Recreate':
      return when(
        rollingUpdate !== undefined,
        forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'"),
      );
    case 'RollingUpdate': {
      const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
      const at = `${path}.rollingUpdate`;
      return [
        ...nonNegativeIntOrPercent(`${at}.maxUnavailable`, maxUnavailable),
        ...nonNegativeIntOrPercent(`${at}.maxSurge`, maxSurge),
        ...when(
          amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0,
          invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'),
        ),
        ...notMoreThanAll(`${at}.maxUnavailable`, maxUnavailable),
      ];
    }
    default: {
      const rolling = rollingUpdate && {
        MaxUnavailable: rollingUpdate.maxUnavailable ?? 0,
        MaxSurge: rollingUpdate.maxSurge ?? 0,
      };
      const shown = JSON.stringify({ Type: type, RollingUpdate: rolling ?? null });
      return [{ ...notSupported(path, strategy, ['Recreate', 'RollingUpdate']), shown }];
    }
  }
}

function deadlineErrors({ progressDeadlineSeconds: deadline, minReadySeconds = 0 }: DeploymentSpec): Errors {
  const path = 'spec.progressDeadlineSeconds';
  return [
    ...nonNegative(path, deadline),
    ...when(
      deadline !== undefined && deadline <= minReadySeconds,
      invalid(path, deadline, 'must be greater than minReadySeconds'),
    ),
  ];
}
