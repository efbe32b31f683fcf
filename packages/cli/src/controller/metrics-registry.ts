// Loaded where metrics are served: the library for them takes longer to load than all controllers.
export { createMetricsRegistry } from '@isthmus/kube';
