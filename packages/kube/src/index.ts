// Transport and client
export type { ApiRequest, ApiResponse, Transport } from './transport.ts';
export type * from './client/client.ts';
// Controller runtime
export type * from './runtime/cache.ts';
export type { Access, Verb } from './runtime/access.ts';
export type * from './runtime/reconciler.ts';
export { defineReconciler } from './runtime/reconciler.ts';
export type { Source, Wakeups } from './runtime/source.ts';
export { atStart, createWakeups, from, onChange } from './runtime/source.ts';
export type { Blocked, Outcome } from './outcome.ts';
export { again, blocked, done } from './outcome.ts';
export type { Log } from './log.ts';
export type { Call } from './client/call.ts';
export type { ClientLimits, ClientOptions } from './client/create-client.ts';
export { createClient } from './client/create-client.ts';
export type { Exchanged } from './client/exchange.ts';
export type { ConnectionFailure } from './client/errors.ts';
export {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isConnectionError,
  isExpired,
  isForbidden,
  isGone,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isNotServed,
  isServerTimeout,
  isTooManyRequests,
  isUnauthorized,
} from './client/errors.ts';
export type { MetadataType, PartialObjectMetadata } from './client/metadata-type.ts';
export { isMetadataType, metadataOf } from './client/metadata-type.ts';
export type { PathParts } from './client/requests.ts';
export {
  createRequest,
  deleteRequest,
  getRequest,
  listRequest,
  patchRequest,
  pathOf,
  updateRequest,
  watchRequest,
} from './client/requests.ts';
export type { Credentials, TokenFileOptions } from './transport-credentials.ts';
export { CredentialsError, noCredentials, staticToken, tokenFile } from './transport-credentials.ts';
// The real world
export type { FileContent, ReadFile } from './kubeconfig/read-file.ts';
export { isMissingFile } from './kubeconfig/read-file.ts';
export { fileProblem, readFile, systemClock, systemRandom } from './node-world.ts';
export type { World } from './world.ts';
export type { Resource } from './runtime/resource.ts';
export { resourceOf } from './runtime/resource.ts';
export type { ClientCertificate, HttpsTransportOptions } from './transport-https.ts';
export { TransportError, httpsTransport } from './transport-https.ts';
// Caches, controllers, their world
export type { CacheOptions, RunnableCache } from './runtime/create-cache.ts';
export { createCache } from './runtime/create-cache.ts';
export type { ControllerOptions } from './runtime/controller.ts';
export { runController } from './runtime/controller.ts';
export { compareResourceVersions } from './runtime/resource-version.ts';
export type { LogEntry, MemoryLog } from './log.ts';
export { memoryLog, noLog } from './log.ts';
export type { Counter, Gauge, Histogram, Instruments, Metrics, MetricDefinition, MetricTable } from './metrics.ts';
export { defineMetrics, noMetrics, runtimeMetrics, silentInstruments } from './metrics.ts';
export type { LogLevel, LogOptions } from './log-pino.ts';
export { createLog, levelOfVerbosity } from './log-pino.ts';
export type { MetricsRegistry } from './metrics-prometheus.ts';
export { createMetricsRegistry } from './metrics-prometheus.ts';
export { countExchanges } from './metrics-requests.ts';
// Finding and reaching an API server
export type { ConnectOptions } from './kubeconfig/connect.ts';
export { connect } from './kubeconfig/connect.ts';
export type { ConnectionSettings } from './kubeconfig/connection-settings.ts';
export type { ConnectionPlaces } from './kubeconfig/find-connection.ts';
export { findConnection } from './kubeconfig/find-connection.ts';
export type { PodPlaces } from './kubeconfig/in-cluster.ts';
export { inClusterSettings, isInCluster } from './kubeconfig/in-cluster.ts';
export type { Kubeconfig, PemSource, TokenSource } from './kubeconfig/kubeconfig.ts';
export type { KubeconfigPlaces } from './kubeconfig/load-kubeconfig.ts';
export { loadKubeconfig } from './kubeconfig/load-kubeconfig.ts';
export { resolveContext } from './kubeconfig/resolve-context.ts';
export type { LeaseEnd, LeaseOptions } from './runtime/lease.ts';
export { leaseAccess, runWithLease } from './runtime/lease.ts';
export type { LeaseTimes } from './runtime/lease-decision.ts';
export { defaultLeaseTimes } from './runtime/lease-decision.ts';
export type { EventNote, EventRecorder, EventRecorderOptions } from './events.ts';
export { createEventRecorder, eventAccess } from './events.ts';
export type { HealthCheck, HealthOptions, HealthRequest, HealthResponse } from './health.ts';
export { createHealthHandler } from './health.ts';
export type { BindAddress } from './health-bind.ts';
export { parseBindAddress } from './health-bind.ts';
export type { HealthServer } from './health-server.ts';
export { startHealthServer } from './health-server.ts';
