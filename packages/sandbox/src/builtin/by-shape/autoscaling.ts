import type { Stored } from '../../store/stored.ts';
import { none, unset } from '../columns/cell-texts.ts';
import { ageColumn, defineColumns, nameColumn } from '../columns/define-columns.ts';
import type { Errors } from '../field-checks.ts';
import { when } from '../field-checks.ts';
import { invalid } from '../field-rules.ts';
import { textAt } from '../selectable-fields.ts';
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

interface AutoscalerShape extends Stored {
  readonly spec: {
    readonly scaleTargetRef?: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string };
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
    readonly metrics?: readonly Metric[];
    readonly behavior?: { readonly scaleUp?: object; readonly scaleDown?: object };
  };
  readonly status?: { readonly currentMetrics?: readonly Metric[] | null };
}

const common = {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  errors: replicaErrors,
  columns: defineColumns<AutoscalerShape>({
    Name: nameColumn,
    Reference: ['string', ({ spec }) => `${spec.scaleTargetRef?.kind ?? ''}/${spec.scaleTargetRef?.name ?? ''}`],
    Targets: ['string', ({ spec, status }) => metricsText(spec.metrics ?? [], status?.currentMetrics ?? [])],
    MinPods: ['string', (object) => textAt(object, 'spec.minReplicas') || unset],
    MaxPods: ['string', 'spec.maxReplicas', 0],
    Replicas: ['string', 'status.currentReplicas', 0],
    Age: ageColumn,
  }),
} as const;

const cpuUtilization = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

/** The object is stored only: the sandbox has no metrics, so it scales nothing. */
export const horizontalPodAutoscaler = defineShaped({
  ...common,
  version: 'v2',
  strategy: { defaults: behaviorDefaults },
  defaults: { 'spec.minReplicas': 1, 'spec.metrics': [cpuUtilization] },
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
  defaults: { 'spec.minReplicas': 1 },
});

/** The object is stored only: the sandbox grants evictions whatever it contains. */
export const podDisruptionBudget = defineShaped({
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  generation: 'spec',
  errors(object) {
    const { minAvailable, maxUnavailable } = (object['spec'] ?? {}) as {
      readonly minAvailable?: unknown;
      readonly maxUnavailable?: unknown;
    };
    const both = minAvailable !== undefined && maxUnavailable !== undefined;
    return when(both, invalid('spec', object['spec'], 'minAvailable and maxUnavailable cannot be both set'));
  },
  strategy: { unconditionalUpdate: false },
  columns: defineColumns({
    Name: nameColumn,
    'Min Available': ['string', (object) => textAt(object, 'spec.minAvailable') || 'N/A'],
    'Max Unavailable': ['string', (object) => textAt(object, 'spec.maxUnavailable') || 'N/A'],
    'Allowed Disruptions': ['integer', 'status.disruptionsAllowed'],
    Age: ageColumn,
  }),
});

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const scaleDown = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

function behaviorDefaults(object: Stored): Stored {
  const { spec } = object as AutoscalerShape;
  const { behavior } = spec;
  if (behavior === undefined) return object;
  const filled = { scaleUp: { ...scaleUp, ...behavior.scaleUp }, scaleDown: { ...scaleDown, ...behavior.scaleDown } };
  return { ...object, spec: { ...spec, behavior: filled } };
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
