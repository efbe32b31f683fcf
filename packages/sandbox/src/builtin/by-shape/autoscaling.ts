import type { LabelSelectorObject } from '@isthmus/machinery';
import type { Stored } from '../../store/stored.ts';
import { defineColumns } from '../columns/define-columns.ts';
import { none } from '../columns/cell-texts.ts';
import type { Errors } from '../field-checks.ts';
import { when } from '../field-checks.ts';
import { invalid } from '../field-rules.ts';
import { ageOf } from '../name-and-age.ts';
import { defineShaped } from './define-shaped.ts';
import { oldAutoscalers } from './autoscaler-versions.ts';

interface MetricValue {
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
}

/** A metric as it is wanted (`target`) or as it is (`current`), under the name of its type. */
type Metric = { readonly type: string } & Readonly<
  Record<string, { readonly name?: string; readonly target?: MetricValue; readonly current?: MetricValue } | string>
>;

interface ScalingRules {
  readonly stabilizationWindowSeconds?: number;
}

interface AutoscalerShape extends Stored {
  readonly spec: {
    readonly scaleTargetRef?: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string };
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
    readonly metrics?: readonly Metric[];
    readonly behavior?: { readonly scaleUp?: ScalingRules; readonly scaleDown?: ScalingRules };
  };
  readonly status?: { readonly currentReplicas?: number; readonly currentMetrics?: readonly Metric[] | null };
}

const common = {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  errors: replicaErrors,
  columns: defineColumns<AutoscalerShape>(
    {
      Name: 'name',
      Reference: 'string',
      Targets: 'string',
      MinPods: 'string',
      MaxPods: 'string',
      Replicas: 'string',
      Age: 'string',
    },
    (object, now) => {
      const { spec, status } = object;
      return [
        object.metadata.name,
        `${spec.scaleTargetRef?.kind ?? ''}/${spec.scaleTargetRef?.name ?? ''}`,
        metricsText(spec.metrics ?? [], status?.currentMetrics ?? []),
        spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
        spec.maxReplicas ?? 0,
        status?.currentReplicas ?? 0,
        ageOf(object, now),
      ];
    },
  ),
} as const;

/** The object is stored only: the sandbox has no metrics, so it scales nothing. */
export const horizontalPodAutoscaler = defineShaped({
  ...common,
  version: 'v2',
  strategy: { defaults: autoscalerDefaults },
});

/** The older version, of the same objects. */
export const horizontalPodAutoscalerV1 = defineShaped({
  ...common,
  version: 'v1',
  storage: {
    storageKey: horizontalPodAutoscaler.storageKey,
    storageVersion: 'autoscaling/v2',
    converts: oldAutoscalers,
  },
  strategy: {
    defaults: (object) => ({
      ...object,
      spec: { ...(object as AutoscalerShape).spec, minReplicas: (object as AutoscalerShape).spec.minReplicas ?? 1 },
    }),
  },
});

interface BudgetShape extends Stored {
  readonly spec?: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: LabelSelectorObject;
  };
  readonly status?: { readonly disruptionsAllowed?: number };
}

/** The object is stored only: the sandbox grants evictions whatever it contains. */
export const podDisruptionBudget = defineShaped({
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  generation: 'spec',
  errors(object) {
    const { minAvailable, maxUnavailable } = (object as BudgetShape).spec ?? {};
    const both = minAvailable !== undefined && maxUnavailable !== undefined;
    return when(both, invalid('spec', object['spec'], 'minAvailable and maxUnavailable cannot be both set'));
  },
  strategy: { unconditionalUpdate: false },
  columns: defineColumns<BudgetShape>(
    {
      Name: 'name',
      'Min Available': 'string',
      'Max Unavailable': 'string',
      'Allowed Disruptions': 'integer',
      Age: 'string',
    },
    (object, now) => [
      object.metadata.name,
      String(object.spec?.minAvailable ?? 'N/A'),
      String(object.spec?.maxUnavailable ?? 'N/A'),
      object.status?.disruptionsAllowed ?? 0,
      ageOf(object, now),
    ],
  ),
});

const cpuUtilization = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const scaleDown = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

function autoscalerDefaults(object: Stored): Stored {
  const { spec } = object as AutoscalerShape;
  const { metrics = [], behavior } = spec;
  return {
    ...object,
    spec: {
      ...spec,
      minReplicas: spec.minReplicas ?? 1,
      metrics: metrics.length > 0 ? metrics : [cpuUtilization],
      ...(behavior && {
        behavior: { scaleUp: { ...scaleUp, ...behavior.scaleUp }, scaleDown: { ...scaleDown, ...behavior.scaleDown } },
      }),
    },
  };
}

function replicaErrors(object: Stored): Errors {
  const { minReplicas, maxReplicas = 0, scaleTargetRef = {} } = (object as AutoscalerShape).spec;
  const { apiVersion = '', kind = '' } = scaleTargetRef;
  return [
    ...when(
      apiVersion === '' && kind !== 'ReplicationController' && kind !== '',
      invalid('spec.scaleTargetRef.apiVersion', apiVersion, 'must specify API group'),
    ),
    ...when(
      minReplicas !== undefined && minReplicas < 1,
      invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1'),
    ),
    ...when(maxReplicas < 1, invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0')),
    ...when(
      minReplicas !== undefined && maxReplicas < minReplicas,
      invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'),
    ),
  ];
}

function metricsText(metrics: readonly Metric[], statuses: readonly Metric[]): string {
  if (metrics.length === 0) return none;
  const shown = metrics.slice(0, 2).map((metric, index) => metricText(metric, statuses[index]));
  const more = metrics.length - 2;
  return more > 0 ? `${shown.join(', ')} + ${more} more...` : shown.join(', ');
}

function metricText(metric: Metric, status: Metric | undefined): string {
  const key = `${metric.type.charAt(0).toLowerCase()}${metric.type.slice(1)}`;
  const partOf = (one: Metric | undefined) => {
    const part = one?.[key];
    return typeof part === 'string' ? undefined : part;
  };
  const { name, target = {} } = partOf(metric) ?? {};
  const current = partOf(status)?.current;
  const unknown = '<unknown>';
  if (metric.type === 'Resource' || metric.type === 'ContainerResource') {
    if (target.averageValue !== undefined) return `${name}: ${current?.averageValue ?? unknown}/${target.averageValue}`;
    const percent = (value: number | undefined, otherwise: string) => (value === undefined ? otherwise : `${value}%`);
    return `${name}: ${percent(current?.averageUtilization, unknown)}/${percent(target.averageUtilization, '<auto>')}`;
  }
  if (metric.type === 'Pods') return `${current?.averageValue ?? unknown}/${target.averageValue ?? '0'}`;
  if (target.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target.value ?? '0'}`;
}
