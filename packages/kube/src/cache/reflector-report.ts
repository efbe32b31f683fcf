import type { Clock } from '@isthmus/machinery';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { CacheState } from './cache.ts';
import type { ReflectorEvent, ReflectorState } from './reflector-state.ts';

/**
 * Shows what a reflector goes through: as the state of its cache, in the log and in the metrics.
 */
export interface ReflectorReport {
  /** The loop went to `next` because of `event`. */
  readonly moved: (event: ReflectorEvent, next: ReflectorState) => void;
  /** The watch is known to be open. */
  readonly opened: () => void;
}

export interface ReflectorReportOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly onState: (state: CacheState) => void;
  /**
   * That the server does not serve the kind is not a failure: it is neither counted nor a warning.
   */
  readonly mayBeUnserved: boolean;
}

/**
 * Guarantees: each failure is counted. The first failure of an outage and each new reason is a
 * warning, repetitions are debug lines, and the recovery is logged with the length of the outage.
 */
export function createReflectorReport(options: ReflectorReportOptions): ReflectorReport {
  const { name, clock, log, metrics, onState } = options;
  let shown: CacheState = { kind: 'listing' };
  const show = (state: CacheState) => {
    shown = state;
    onState(state);
  };
  const connected = () => {
    if (shown.kind === 'watching') return;
    if (shown.kind === 'failing')
      log.info('the cache is connected again', { cache: name, afterMs: clock.now() - shown.sinceMs });
    show({ kind: 'watching' });
  };
  const failed = (why: string, retryInMs: number, code: number | undefined, expected: boolean) => {
    const fields = { cache: name, why, retryInMs: Math.round(retryInMs) };
    if (shown.kind === 'failing' && shown.why === why) return log.debug('the cache is still disconnected', fields);
    if (expected) log.info('the API server does not serve the kind; it is asked again', fields);
    else log.warn('the cache is disconnected', fields);
    const before = shown.kind === 'failing' ? shown : undefined;
    const nowMs = clock.now();
    const codeSinceMs = before !== undefined && before.code === code ? before.codeSinceMs : nowMs;
    show({ kind: 'failing', why, code, sinceMs: before?.sinceMs ?? nowMs, codeSinceMs });
  };
  return {
    moved(event, next) {
      if (event.kind === 'saw' || event.kind === 'waited' || event.kind === 'renewed') return;
      if (event.kind === 'listed') return connected();
      const expected = options.mayBeUnserved && event.kind === 'failed' && event.code === 404;
      if (!expected) metrics.watchRestarts.inc({ cache: name, reason: event.kind });
      if (event.kind === 'expired') log.info('the watch has expired; listing again', { cache: name, why: event.why });
      if (next.kind === 'waiting')
        return failed(next.why, next.afterMs, event.kind === 'failed' ? event.code : undefined, expected);
      if (event.kind === 'expired' && shown.kind !== 'failing') show({ kind: 'listing' });
    },
    opened: connected,
  };
}
