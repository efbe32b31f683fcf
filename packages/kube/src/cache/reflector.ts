import { hasCause, jittered, sleep } from '@isthmus/machinery';
import type { Clock, KubernetesObject, Random, ResourceType } from '@isthmus/machinery';
import type { Client, ListSink } from '../client/client.ts';
import { ApiError, isExpired, isNotServed } from '../client/errors.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { CacheState } from './cache.ts';
import { errorText } from '../log/error-text.ts';
import { createReflectorReport } from './reflector-report.ts';
import { linkedAbort } from '../waiting/abort.ts';
import type { ReflectorEvent, ReflectorState, Watching } from './reflector-state.ts';
import { initialReflectorState, step } from './reflector-state.ts';

/** The objects that are listed and watched. */
export interface Selection<T extends KubernetesObject> {
  readonly type: ResourceType<T>;
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** The objects of a list that is being read. */
export interface ListedObjects<T> extends ListSink<T> {
  all(): readonly T[];
}

/** The receiver of the objects. They are as the server sent them: not checked. */
export interface ReflectorSink<T> {
  /**
   * A list begins: later writes may be missing in it, earlier ones are not. Returns the receiver of
   * its pages, with the objects as the server sent them: not checked.
   */
  listing(): ListedObjects<T>;
  /** The list is complete. */
  replace(items: readonly T[], resourceVersion: string): void;
  /** The server does not serve the kind. */
  unserved(): void;
  /** False when the object was not taken because it is malformed. */
  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): boolean;
  bookmark(resourceVersion: string): void;
  state(state: CacheState): void;
}

/**
 * Waits until the API server may serve a kind that it did not serve, for at least `afterMs`.
 * Whether it was defined meanwhile: then it is asked at once. Rejects only when `signal` aborts.
 */
export type UntilServed = (afterMs: number, signal: AbortSignal) => Promise<boolean>;

export interface ReflectorOptions<T extends KubernetesObject> extends Selection<T> {
  readonly client: Client;
  /** The name in metrics. */
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly sink: ReflectorSink<T>;
  /** That the server does not serve the kind is not a failure. */
  readonly mayBeUnserved: boolean;
  /** See {@link CacheOptions.untilServed}. Default: the usual pauses. */
  readonly untilServed?: UntilServed | undefined;
  /** How long a watch lasts, and up to a ninth longer. Default: less than five minutes. */
  readonly watchSeconds?: number | undefined;
  /** Passes out the reflector's `renew` ({@link RunnableCache}). */
  readonly onRenewable: (renew: () => void) => void;
}

const PAGE_SIZE = 500;
/**
 * Ends, with the jitter, before the five minutes after which middleboxes commonly cut connections;
 * spread, so that watches do not all end at once.
 */
const WATCH_SECONDS = 260;
const WATCH_JITTER = 30 / 260;
const IDLE_SLACK_MS = 5_000;

/**
 * Lists and watches until `signal` aborts, then resolves; never rejects. The loop continues after
 * every answer of the server, as {@link step} decides. Each failure is shown in the state, counted
 * and logged.
 */
export async function runReflector<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const report = createReflectorReport({ ...options, onState: (state) => options.sink.state(state) });
  let state: ReflectorState = initialReflectorState;
  const take = (event: ReflectorEvent): void => {
    if (signal.aborted) return;
    const next = step(state, event, options.random);
    report.moved(event, next);
    state = next;
  };
  const pause = async (afterMs: number, signal: AbortSignal) => {
    await sleep(options.clock, afterMs, signal);
    return false;
  };
  let isUnserved = false;
  let renew = (): void => {};
  options.onRenewable(() => renew());
  while (!signal.aborted) {
    using turn = linkedAbort(signal);
    renew = () => turn.abort(new Error('renewed'));
    switch (state.kind) {
      case 'listing': {
        // A list has its own timeout.
        const event = await list(options, signal);
        isUnserved = options.mayBeUnserved && event.kind === 'failed' && event.code === 404;
        take(event);
        break;
      }
      case 'watching': {
        const saw = (resourceVersion: string) => take({ kind: 'saw', resourceVersion });
        const ended = await watch(options, state, { saw, opened: report.opened }, turn.signal);
        take(turn.signal.aborted ? { kind: 'renewed' } : ended);
        break;
      }
      case 'waiting': {
        const wait = (isUnserved && options.untilServed) || pause;
        const isDefined = await wait(state.afterMs, turn.signal).catch(() => false);
        take({ kind: turn.signal.aborted || isDefined ? 'renewed' : 'waited' });
      }
    }
  }
}

async function list<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<ReflectorEvent> {
  const { client, type, sink } = options;
  const into = sink.listing();
  try {
    const listOptions = { ...selectionOf(options), limit: PAGE_SIZE, into, signal };
    const { resourceVersion } = await client.list(type, listOptions);
    if (!resourceVersion) throw new Error(`list ${type.plural}: the server sent a list without a resourceVersion`);
    if (!signal.aborted) sink.replace(into.all(), resourceVersion);
    return { kind: 'listed', resourceVersion };
  } catch (error) {
    if (isNotServed(error) && !signal.aborted) sink.unserved();
    return failure(error, 0);
  }
}

interface WatchProgress {
  saw(resourceVersion: string): void;
  opened(): void;
}

/** Follows one watch to its end, and returns how it ended. */
async function watch<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  from: Watching,
  progress: WatchProgress,
  signal: AbortSignal,
): Promise<ReflectorEvent> {
  const { client, clock, sink, type } = options;
  const timeoutSeconds = Math.round(jittered(options.random, options.watchSeconds ?? WATCH_SECONDS, WATCH_JITTER));
  const startedAt = clock.monotonic();
  let openedAt: number | undefined;
  const opened = (): void => {
    if (signal.aborted) return;
    openedAt = clock.monotonic();
    progress.opened();
  };
  try {
    const { resourceVersion } = from;
    const lines = client.watch(type, {
      ...selectionOf(options),
      resourceVersion,
      timeoutSeconds,
      idleMs: timeoutSeconds * 1_000 + IDLE_SLACK_MS,
      signal,
      onOpen: opened,
    });
    for await (const line of lines) {
      if (signal.aborted) break;
      if (line.type === 'BOOKMARK') {
        sink.bookmark(line.resourceVersion);
        progress.saw(line.resourceVersion);
      } else if (sink.event(line.type, line.object)) {
        progress.saw(line.object.metadata.resourceVersion ?? resourceVersion);
      }
    }
    return { kind: 'ended', livedMs: clock.monotonic() - startedAt };
  } catch (error) {
    return failure(error, openedAt === undefined ? 0 : clock.monotonic() - openedAt);
  }
}

function selectionOf<T extends KubernetesObject>(options: ReflectorOptions<T>): Omit<Selection<T>, 'type'> {
  const { namespace, labelSelector, fieldSelector } = options;
  return { namespace, labelSelector, fieldSelector };
}

function failure(error: unknown, livedMs: number): ReflectorEvent {
  const why = errorText(error);
  if (isExpired(error) || isAheadOfServer(error)) return { kind: 'expired', livedMs, why };
  if (!(error instanceof ApiError)) return { kind: 'failed', livedMs, why };
  return { kind: 'failed', livedMs, why, code: error.code, retryAfterMs: error.retryAfterMs };
}

/**
 * A server that was restored from a backup knows only older resourceVersions than we do. It answers
 * with this cause.
 */
function isAheadOfServer(error: unknown): boolean {
  return error instanceof ApiError && hasCause(error.status, 'ResourceVersionTooLarge');
}
