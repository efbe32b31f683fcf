// The one module that knows the Prometheus library.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from '@prometheus-io/client';
import type { Instruments, MetricDefinition, MetricTable } from './metrics.ts';

export interface MetricsRegistry {
  /** Instruments for a table. Errors: throws where a name has been declared before. */
  declare<const T extends MetricTable>(table: T): Instruments<T>;
  /** Everything that was counted, in the text format 0.0.4 of Prometheus. */
  render(): Promise<string>;
  readonly contentType: string;
}

/**
 * A registry of its own; `process` adds memory, processor time, event loop delay and garbage
 * collection of this process.
 */
export function createMetricsRegistry(options: { readonly process?: boolean | undefined } = {}): MetricsRegistry {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  return {
    declare<const T extends MetricTable>(table: T) {
      const instruments = Object.entries(table).map(
        ([key, definition]) => [key, instrumentOf(definition, registry)] as const,
      );
      return Object.fromEntries(instruments) as unknown as Instruments<T>;
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function instrumentOf(definition: MetricDefinition, registry: Registry): object {
  const { name, help, labels, kind } = definition;
  const configuration = { name, help, labelNames: [...labels], registers: [registry] };
  switch (kind) {
    case 'counter': {
      const counter = new Counter(configuration);
      return { inc: (values: Labels, by = 1) => counter.inc(values, by) };
    }
    case 'gauge': {
      const gauge = new Gauge(configuration);
      return {
        set: (values: Labels, value: number) => gauge.set(values, value),
        replace(all: readonly (readonly [Labels, number])[]) {
          gauge.reset();
          for (const [values, value] of all) gauge.set(values, value);
        },
      };
    }
    case 'histogram': {
      const histogram = new Histogram({ ...configuration, buckets: [...(definition.buckets ?? [])] });
      return { observe: (values: Labels, value: number) => histogram.observe(values, value) };
    }
  }
}

type Labels = Readonly<Record<string, string>>;
