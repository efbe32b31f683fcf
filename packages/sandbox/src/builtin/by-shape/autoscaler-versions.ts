import type { Stored } from '../../store/stored.ts';
import { asType } from '../types/as-type.ts';
import type { VersionConversion } from '../../registry/served-resource.ts';

interface Metric {
  readonly type?: string;
  readonly resource?: {
    readonly name?: string;
    readonly target?: { readonly type?: string; readonly averageUtilization?: number };
    readonly current?: { readonly averageUtilization?: number };
  };
}

interface NewAutoscaler extends Stored {
  readonly spec: { readonly metrics?: readonly Metric[]; readonly behavior?: object };
  readonly status?: { readonly currentMetrics?: readonly Metric[] | null; readonly conditions?: readonly object[] };
}

interface OldAutoscaler extends Stored {
  readonly spec: { readonly targetCPUUtilizationPercentage?: number };
  readonly status?: { readonly currentCPUUtilizationPercentage?: number };
}

const prefix = 'autoscaling.alpha.kubernetes.io';

/**
 * `autoscaling/v1` has a field only for CPU usage. Annotations hold the rest, so that a client of
 * the old version loses nothing. Here they have the form of v2; the real server writes that of an
 * older beta.
 */
export const oldAutoscalers: VersionConversion = {
  toServed(stored) {
    const { spec, status, metadata } = stored as NewAutoscaler;
    const { metrics = [], behavior, ...rest } = spec;
    const { currentMetrics, conditions, ...counts } = status ?? {};
    const target = metrics.find(isCpu)?.resource?.target?.averageUtilization;
    const current = currentMetrics?.find(isCpu)?.resource?.current?.averageUtilization;
    const annotations = withoutOwn({
      ...metadata.annotations,
      ...annotated('metrics', restOf(metrics)),
      ...annotated('behavior', behavior),
      ...annotated('conditions', conditions),
      ...annotated('current-metrics', restOf(currentMetrics ?? [])),
    });
    return asType('autoscaling/v1', {
      ...stored,
      metadata: { ...metadata, ...annotations },
      spec: { ...rest, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) },
      status: { ...counts, ...(current !== undefined && { currentCPUUtilizationPercentage: current }) },
    });
  },
  toStored(object) {
    const { spec, status, metadata } = object as OldAutoscaler;
    const { targetCPUUtilizationPercentage: target, ...rest } = spec;
    const { currentCPUUtilizationPercentage: current, ...counts } = status ?? {};
    const kept = <T>(name: string) => readAnnotation<T>(metadata.annotations?.[`${prefix}/${name}`]);
    const others = kept<readonly Metric[]>('metrics') ?? [];
    const metrics = [...(target === undefined ? [] : [cpuMetric(target)]), ...others];
    const currentMetrics = [
      ...(current === undefined
        ? []
        : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }]),
      ...(kept<readonly Metric[]>('current-metrics') ?? []),
    ];
    const behavior = kept<object>('behavior');
    const conditions = kept<readonly object[]>('conditions');
    const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => !name.startsWith(`${prefix}/`));
    const { annotations: _, ...bare } = metadata;
    return asType('autoscaling/v2', {
      ...object,
      metadata: { ...bare, ...(own.length > 0 && { annotations: Object.fromEntries(own) }) },
      spec: {
        ...rest,
        metrics: metrics.length > 0 ? metrics : [cpuMetric(80)],
        ...(behavior !== undefined && { behavior }),
      },
      status: {
        ...counts,
        currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
        ...(conditions !== undefined && { conditions }),
      },
    });
  },
};

function isCpu({ type, resource }: Metric): boolean {
  const { target, current, name } = resource ?? {};
  const value = target?.averageUtilization ?? current?.averageUtilization;
  return type === 'Resource' && name === 'cpu' && value !== undefined;
}

function cpuMetric(averageUtilization: number): Metric {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

/** All but the first that has a field of its own. */
function restOf(metrics: readonly Metric[]): readonly Metric[] | undefined {
  const first = metrics.findIndex(isCpu);
  const rest = metrics.filter((_, index) => index !== first);
  return rest.length === 0 ? undefined : rest;
}

function annotated(name: string, value: unknown): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [`${prefix}/${name}`]: JSON.stringify(value) };
}

function withoutOwn(annotations: Readonly<Record<string, string>>): object {
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/**
 * The value of an annotation; undefined if it is absent or not JSON, for example after an edit by a
 * user.
 */
function readAnnotation<T>(text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}
