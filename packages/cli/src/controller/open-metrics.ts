import type { BindAddress, Metrics, MetricsRegistry } from '@isthmus/kube';
import { noMetrics, runtimeMetrics } from '@isthmus/kube';

/** The metrics of a process, and the registry that serves them. */
export interface ProcessMetrics {
  /** Undefined if no address serves metrics. */
  readonly registry: MetricsRegistry | undefined;
  readonly metrics: Metrics;
}

/**
 * The metrics of a process that serves them at an address. Without an address, the library is not
 * loaded and nothing is counted.
 */
export async function openMetrics(at: BindAddress | undefined): Promise<ProcessMetrics> {
  if (at === undefined) return { registry: undefined, metrics: noMetrics };
  const { createMetricsRegistry } = await import('./metrics-registry.ts');
  const registry = createMetricsRegistry({ process: true });
  return { registry, metrics: registry.declare(runtimeMetrics) };
}
