// Transport and client
export type { ApiRequest, ApiResponse, Transport } from './transport/transport.ts';
export type * from './client/client.ts';
// Controller runtime
export type * from './cache/cache.ts';
export type { Access, Verb } from './controller/access.ts';
export { awaitedKindsAccess } from './controller/awaited-kinds.ts';
export type * from './controller/reconciler.ts';
export { defineReconciler } from './controller/reconciler.ts';
export type { Source } from './controller/source.ts';
export { atStart, from, onChange, onChangeOf } from './controller/source.ts';
export type { Blocked, Outcome } from './controller/outcome.ts';
export { again, blocked, done } from './controller/outcome.ts';
export type { Log } from './log/log.ts';
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
  orNotFound,
  isNotServed,
  isServerTimeout,
  isTooManyRequests,
  isUnauthorized,
} from './client/errors.ts';
export { isDatabaseFull, isRejected } from './client/rejection.ts';
export type { ReviewKind } from './client/review.ts';
export { askReview } from './client/review.ts';
export type { TokenWish } from './client/token-request.ts';
export { requestToken } from './client/token-request.ts';
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
export type { ClientCertificate, Credentials, TokenFileOptions } from './transport/credentials.ts';
export { CredentialsError, changingToken, noCredentials, staticToken, tokenFile } from './transport/credentials.ts';
// The real world
export type { FileContent, ReadFile } from './world/read-file.ts';
export { isMissingFile } from './world/read-file.ts';
export { fileProblem, readFile, systemClock, systemRandom } from './world/node-world.ts';
export type { World } from './world/world.ts';
export type { Resource, ResourceOptions } from './cache/resource.ts';
export { resourceOf } from './cache/resource.ts';
export type { HttpsTransportOptions } from './transport/https-transport.ts';
export { TransportError, httpsTransport } from './transport/https-transport.ts';
// Caches, controllers, their world
export type { CacheOptions, RunnableCache } from './cache/create-cache.ts';
export { createCache } from './cache/create-cache.ts';
export { untilDefined } from './cache/until-defined.ts';
export { jsonLength } from './cache/json-length.ts';
export { isUnreadable } from './cache/unreadable.ts';
export type { CacheLimits } from './cache/limited-cache.ts';
export { exceededLimits, isReduced, reducedBy } from './cache/limited-cache.ts';
export type { OwnerLimits, OwnerUsage } from './cache/owner-limits.ts';
export type { ControllerOptions } from './controller/controller.ts';
export { runController } from './controller/controller.ts';
export { compareResourceVersions } from '@isthmus/machinery';
export type { LogEntry, MemoryLog } from './log/log.ts';
export { memoryLog, noLog } from './log/log.ts';
export type {
  Counter,
  Gauge,
  Histogram,
  Instruments,
  Metrics,
  WebhookMetrics,
  MetricDefinition,
  MetricTable,
} from './metrics/metrics.ts';
export { defineMetrics, noMetrics, runtimeMetrics, silentInstruments, webhookMetrics } from './metrics/metrics.ts';
export type { LogLevel, LogOptions } from './log/create-log.ts';
export { createLog, levelOfVerbosity } from './log/create-log.ts';
export type { MetricsRegistry } from './metrics/registry.ts';
export { createMetricsRegistry } from './metrics/registry.ts';
export { countExchanges } from './client/count-exchanges.ts';
// Finding and reaching an API server
export type { Program, ProgramEnd, Programs } from './kubeconfig/programs.ts';
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
export type { LeaseEnd, LeaseOptions } from './lease/lease.ts';
export { leaseAccess, runWithLease } from './lease/lease.ts';
export type { PodHolder } from './lease/pod-holder.ts';
export { podIdentity } from './lease/pod-holder.ts';
export type { LeaseTimes } from './lease/lease-decision.ts';
export type { ObservedLease } from './lease/lease-decision.ts';
export { defaultLeaseTimes, leaseLeftMs, observeLease } from './lease/lease-decision.ts';
export type { EventNote, EventRecorder, EventRecorderOptions } from './events/event-recorder.ts';
export { createEventRecorder, eventAccess } from './events/event-recorder.ts';
export type { HealthCheck, HealthOptions, HealthRequest, HealthResponse } from './serving/health.ts';
export { createHealthHandler } from './serving/health.ts';
export type { BindAddress } from './serving/bind-address.ts';
export { isLoopback, parseBindAddress } from './serving/bind-address.ts';
export type { HealthServer } from './serving/health-server.ts';
export { startHealthServer } from './serving/health-server.ts';
export type { SecureServerOptions } from './serving/metrics-server.ts';
export { startSecureServer } from './serving/metrics-server.ts';
export { textResponse } from './serving/http-handler.ts';
// Webhooks: what an API server asks, and the server that it asks
export type {
  CertificateFilesOptions,
  CertificateSource,
  SecretReader,
  ServingCertificate,
} from './serving/certificates.ts';
export { certificateFiles, certificateSecret } from './serving/certificates.ts';
export type { HttpHandler, HttpRequest, HttpRequestHead, HttpResponse } from './serving/http-handler.ts';
export type { HttpsServer, HttpsServerLimits, HttpsServerOptions } from './serving/https-server.ts';
export { startHttpsServer } from './serving/https-server.ts';
export { countConnections } from './serving/count-connections.ts';
export type { OpenConnection, OpenConnectionsLimits, OpenRequest } from './serving/open-connections.ts';
export { openConnections } from './serving/open-connections.ts';
export { unansweredRequests } from './serving/unanswered-requests.ts';
export type {
  AdmissionOperation,
  AdmissionRequest,
  AdmissionUser,
  AdmittedRequest,
  Allowed,
  Denied,
  GroupVersionKind,
  GroupVersionResource,
  Mutated,
  Mutation,
  Verdict,
  VerdictNotes,
} from './webhook/admission-review.ts';
export { admissionAnswer, allow, deny, mutate, readAdmissionReview } from './webhook/admission-review.ts';
export type { ConversionRequest, ConversionResult, ConvertibleObject } from './webhook/conversion-review.ts';
export { conversionAnswer, readConversionReview } from './webhook/conversion-review.ts';
export { MalformedReview } from './webhook/review-fields.ts';
export type {
  AdmissionWebhook,
  ConversionWebhook,
  MutatingWebhook,
  ValidatingWebhook,
  Webhook,
  WebhookContext,
  WebhookRule,
} from './webhook/webhook.ts';
export { defineWebhook } from './webhook/webhook.ts';
export type { WebhookConfigurationOptions, WebhookServerAddress } from './webhook/webhook-configurations.ts';
export { conversionOf, webhookConfigurations } from './webhook/webhook-configurations.ts';
export type { WebhookHandlerOptions } from './webhook/webhook-handler.ts';
export { createWebhookHandler } from './webhook/webhook-handler.ts';

// Waiting
export { limitedAbort, whenAborted } from './waiting/abort.ts';
// Streams
export type { OpenWebSocket, RefusedWebSocket, WebSocketOptions } from './streams/web-socket.ts';
export { openWebSocket } from './streams/web-socket.ts';
