/**
 * One metric, declared once: instruments, documentation and dashboards are made from it. Label
 * values come from closed sets.
 */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** `isthmus_<subsystem>_<thing>_<unit>`; counters end in `_total`. */
  readonly name: string;
  /** `stable`: name, labels and meaning stay; `alpha`: they may change with any release. */
  readonly stability: 'stable' | 'alpha';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, for histograms. */
  readonly buckets?: readonly number[] | undefined;
}

export type MetricTable = Readonly<Record<string, MetricDefinition>>;

/** A value for each label of a metric. */
export type LabelsOf<D extends MetricDefinition> = Readonly<Record<D['labels'][number], string>>;

export interface Counter<L> {
  /** Adds `by`, default 1. */
  inc(labels: L, by?: number): void;
}

export interface Gauge<L> {
  set(labels: L, value: number): void;
  /** These values, and no others: for labels that come and go. */
  replace(values: readonly (readonly [labels: L, value: number])[]): void;
}

export interface Histogram<L> {
  observe(labels: L, value: number): void;
}

/** The interface by which code uses one definition. */
export type InstrumentOf<D extends MetricDefinition> = D['kind'] extends 'counter'
  ? Counter<LabelsOf<D>>
  : D['kind'] extends 'gauge'
    ? Gauge<LabelsOf<D>>
    : Histogram<LabelsOf<D>>;

export type Instruments<T extends MetricTable> = { readonly [K in keyof T]: InstrumentOf<T[K]> };

/** Keeps the literal types of a table, so that its instruments know their labels. */
export function defineMetrics<const T extends MetricTable>(table: T): T {
  return table;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of the client and the controller runtime. */
export const runtimeMetrics = defineMetrics({
  reconciles: {
    kind: 'counter',
    name: 'isthmus_controller_reconcile_total',
    stability: 'stable',
    help: 'Reconciles by outcome: done, again, blocked, or error.',
    labels: ['controller', 'outcome'],
  },
  reconcileSeconds: {
    kind: 'histogram',
    name: 'isthmus_controller_reconcile_duration_seconds',
    stability: 'stable',
    help: 'Duration of reconciles.',
    labels: ['controller'],
    buckets: seconds,
  },
  running: {
    kind: 'gauge',
    name: 'isthmus_controller_running_keys',
    stability: 'alpha',
    help: 'Keys that are being reconciled.',
    labels: ['controller'],
  },
  blockedKeys: {
    kind: 'gauge',
    name: 'isthmus_controller_blocked_keys',
    stability: 'stable',
    help: 'Keys that wait for an administrator, by the reason that the object reports.',
    labels: ['controller', 'reason'],
  },
  queueDepth: {
    kind: 'gauge',
    name: 'isthmus_controller_queue_depth_keys',
    stability: 'alpha',
    help: 'Keys that are due and wait for a free worker.',
    labels: ['controller'],
  },
  queueSeconds: {
    kind: 'histogram',
    name: 'isthmus_controller_queue_latency_seconds',
    stability: 'stable',
    help: 'Time that a due key waited for a free worker.',
    labels: ['controller'],
    buckets: seconds,
  },
  cacheObjects: {
    kind: 'gauge',
    name: 'isthmus_cache_size_objects',
    stability: 'alpha',
    help: 'Objects in a cache.',
    labels: ['cache'],
  },
  cacheEvents: {
    kind: 'counter',
    name: 'isthmus_cache_event_total',
    stability: 'alpha',
    help: 'Watch events processed by a cache, by type.',
    labels: ['cache', 'type'],
  },
  cacheSkipped: {
    kind: 'counter',
    name: 'isthmus_cache_skipped_object_total',
    stability: 'alpha',
    help: 'Objects from the server that a cache ignored because they are malformed or of another kind.',
    labels: ['cache'],
  },
  watchRestarts: {
    kind: 'counter',
    name: 'isthmus_cache_watch_restart_total',
    stability: 'alpha',
    help: 'Ends of a list or watch by reason: ended (timeout of the server), expired (listed again), failed.',
    labels: ['cache', 'reason'],
  },
  requests: {
    kind: 'counter',
    name: 'isthmus_client_request_total',
    stability: 'stable',
    help: 'Requests to an API server by verb and HTTP status code, or by the reason for a missing answer.',
    labels: ['server', 'verb', 'code'],
  },
  requestSeconds: {
    kind: 'histogram',
    name: 'isthmus_client_request_duration_seconds',
    stability: 'stable',
    help: 'Time until the response headers arrived.',
    labels: ['server', 'verb'],
    buckets: seconds,
  },
  leading: {
    kind: 'gauge',
    name: 'isthmus_lease_leading',
    stability: 'stable',
    help: '1 while this process holds the Lease.',
    labels: ['lease'],
  },
  databaseFull: {
    kind: 'gauge',
    name: 'isthmus_api_server_database_full',
    stability: 'alpha',
    help: '1 while the API server rejects writes of the Lease because its database is full.',
    labels: [],
  },
  eventsDropped: {
    kind: 'counter',
    name: 'isthmus_event_dropped_total',
    stability: 'alpha',
    help: 'Events that were not written, by reason: rate, full, failed.',
    labels: ['reason'],
  },
});

/** The metrics of a webhook server. A process without webhooks does not show them. */
export const webhookMetrics = defineMetrics({
  webhookRequests: {
    kind: 'counter',
    name: 'isthmus_webhook_request_total',
    stability: 'stable',
    help: 'Reviews by webhook: operation (CONVERT of a conversion, unknown of a malformed review), allowed (error for a failure), and HTTP code of the verdict.',
    labels: ['webhook', 'operation', 'allowed', 'code'],
  },
  webhookSeconds: {
    kind: 'histogram',
    name: 'isthmus_webhook_request_duration_seconds',
    stability: 'stable',
    help: 'Duration of reviews.',
    labels: ['webhook', 'operation'],
    buckets: seconds,
  },
  certificateExpiry: {
    kind: 'gauge',
    name: 'isthmus_serving_certificate_expiry_timestamp_seconds',
    stability: 'stable',
    help: 'Expiry of the serving certificate, in seconds since 1970.',
    labels: ['server'],
  },
});

/** The metrics of every part of the runtime. */
export type Metrics = Instruments<typeof runtimeMetrics>;
export type WebhookMetrics = Instruments<typeof webhookMetrics>;

/** Instruments that count nothing. */
export function silentInstruments<T extends MetricTable>(table: T): Instruments<T> {
  const silent = { inc() {}, set() {}, replace() {}, observe() {} };
  return Object.fromEntries(Object.keys(table).map((key) => [key, silent])) as unknown as Instruments<T>;
}

/** For tests and for callers without a registry. */
export const noMetrics: Metrics = silentInstruments(runtimeMetrics);
export const noWebhookMetrics: WebhookMetrics = silentInstruments(webhookMetrics);
