import type { BindAddress, Metrics, MetricsRegistry } from '@isthmus/kube';
import { noMetrics, runtimeMetrics } from '@isthmus/kube';

/** What a process counts, and the registry that shows it. */
export interface ProcessMetrics {
  /** Undefined where nothing can be read. */
  readonly registry: MetricsRegistry | undefined;
  readonly metrics: Metrics;
}

/**
 * The metrics of a process that serves them at an address; the library is loaded, and anything
 * counted, only where there is one.
 */
export async function openMetrics(at: BindAddress | undefined): Promise<ProcessMetrics> {
  if (at === undefined) return { registry: undefined, metrics: noMetrics };
  const { createMetricsRegistry } = await import('./metrics-registry.ts');
  const registry = createMetricsRegistry({ process: true });
  return { registry, metrics: registry.declare(runtimeMetrics) };
}
