import { daemonSetColumns } from './workload-columns.ts';
import type { WorkloadSpec } from '../pods/pod-template.ts';
import type { Stored } from '../../store/stored.ts';
import { defineBuiltIn, statusSubresource } from '../define.ts';
import { equal } from '@isthmus/machinery';
import type { Errors, IntOrPercent } from '../field-checks.ts';
import {
  amountOf,
  labelSelector,
  nonNegative,
  nonNegativeIntOrPercent,
  notMoreThanAll,
  when,
} from '../field-checks.ts';
import { immutable, invalid, notSupported, required } from '../field-rules.ts';
import {
  emptySelectorErrors,
  endlessErrors,
  mismatchErrors,
  readSelector,
  templateDefaults,
  templateErrors,
} from '../pods/pod-template.ts';
import { workloadStrategy } from './workload-strategy.ts';

interface DaemonSetSpec extends WorkloadSpec {
  readonly updateStrategy?: UpdateStrategy | undefined;
}

interface UpdateStrategy {
  readonly type?: string | undefined;
  readonly rollingUpdate?:
    | { readonly maxUnavailable?: IntOrPercent | undefined; readonly maxSurge?: IntOrPercent | undefined }
    | undefined;
}

const daemonSetStrategy = workloadStrategy<DaemonSetSpec>({
  kind: 'DaemonSet',
  warnsOfName: false,
  newStatus: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  defaults: (spec) => ({
    ...spec,
    template: templateDefaults(spec.template),
    updateStrategy: strategyDefaults(spec.updateStrategy ?? {}),
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
  }),
  errors: (spec, before) => [
    ...(before === undefined ? [] : immutable('spec.selector', spec.selector, before.selector)),
    ...specErrors(spec),
  ],
  status: {
    counts: [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ],
    notMoreThan: [],
  },
});

const generationAnnotation = 'deprecated.daemonset.template.generation';

export const daemonSet = defineBuiltIn({
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  subresources: [statusSubresource],
  columns: daemonSetColumns,
  strategy: {
    ...daemonSetStrategy,
    defaults: (object) => withGenerationAnnotation(daemonSetStrategy.defaults?.(object) ?? object),
    prepareForCreate: (object, context) => numbered(daemonSetStrategy.prepareForCreate?.(object, context) ?? object),
    prepareForUpdate: (object, before, context) =>
      numbered(daemonSetStrategy.prepareForUpdate?.(object, before, context) ?? object, before),
  },
});

/** Decoding reads the generation from its annotation, and writes it there again. */
function withGenerationAnnotation(object: Stored): Stored {
  const annotations = { [generationAnnotation]: '0', ...object.metadata.annotations };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function numbered(object: Stored, before?: Stored): Stored {
  const earlier = before && { spec: before['spec'] as WorkloadSpec, annotations: before.metadata.annotations };
  const annotations = withTemplateGeneration(object.metadata.annotations, object['spec'] as WorkloadSpec, earlier);
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/**
 * The generation of the template alone, which is kept in an annotation that a client cannot change.
 */
function withTemplateGeneration(
  annotations: Readonly<Record<string, string>> | undefined,
  next: WorkloadSpec,
  before:
    | { readonly spec: WorkloadSpec; readonly annotations: Readonly<Record<string, string>> | undefined }
    | undefined,
): Readonly<Record<string, string>> {
  const had = Number(before?.annotations?.[generationAnnotation] ?? 0);
  const given = Number(annotations?.[generationAnnotation] ?? 0);
  const generation =
    before === undefined ? Math.max(given, 1) : equal(next.template, before.spec.template) ? had : had + 1;
  return { ...annotations, [generationAnnotation]: String(generation) };
}

function specErrors({ selector, template, ...spec }: DaemonSetSpec): Errors {
  const read = readSelector(selector);
  return [
    ...labelSelector('spec.selector', selector),
    ...(read === undefined ? [] : mismatchErrors('spec.template', read, template)),
    ...(selector === undefined ? [] : emptySelectorErrors('spec.selector', selector, 'daemonset')),
    ...templateErrors('spec.template', template),
    ...endlessErrors('spec.template', template, 'DaemonSet'),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...strategyErrors('spec.updateStrategy', spec.updateStrategy ?? {}),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
  ];
}

function strategyDefaults(strategy: UpdateStrategy): UpdateStrategy {
  const type = strategy.type || 'RollingUpdate';
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate ?? {};
  if (type !== 'RollingUpdate') {
    if (strategy.rollingUpdate === undefined) return strategy;
    return { type, rollingUpdate: { maxUnavailable: maxUnavailable ?? 0, maxSurge: maxSurge ?? 0 } };
  }
  return {
    type,
    rollingUpdate: { ...strategy.rollingUpdate, maxUnavailable: maxUnavailable ?? 1, maxSurge: maxSurge ?? 0 },
  };
}

function strategyErrors(path: string, strategy: UpdateStrategy): Errors {
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    const rolling = rollingUpdate && {
      MaxUnavailable: rollingUpdate.maxUnavailable ?? 0,
      MaxSurge: rollingUpdate.maxSurge ?? 0,
    };
    const shown = JSON.stringify({ Type: type, RollingUpdate: rolling ?? null });
    return [{ ...notSupported(path, strategy, ['RollingUpdate', 'OnDelete']), shown }];
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const at = `${path}.rollingUpdate`;
  const [down, up] = [amountOf(maxUnavailable) !== 0, amountOf(maxSurge) !== 0];
  return [
    ...nonNegativeIntOrPercent(`${at}.maxUnavailable`, maxUnavailable),
    ...nonNegativeIntOrPercent(`${at}.maxSurge`, maxSurge),
    ...notMoreThanAll(`${at}.maxUnavailable`, maxUnavailable),
    ...notMoreThanAll(`${at}.maxSurge`, maxSurge),
    ...when(down && up, invalid(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')),
    ...when(!down && !up, required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')),
  ];
}
