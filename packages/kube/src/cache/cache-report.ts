import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** Logs and counts what a cache cannot use: code that throws, and objects that are malformed. */
export interface CacheReport {
  readonly listenerFailed: (error: unknown) => void;
  readonly stateListenerFailed: (error: unknown) => void;
  readonly limitListenerFailed: (error: unknown) => void;
  /** Logs the first error of each index. */
  readonly indexFailed: (index: string, error: unknown) => void;
  /** Counts each object that is left out, and logs the first. */
  readonly leftOut: (why: string) => void;
}

export interface CacheReportOptions {
  readonly name: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

export function createCacheReport({ name, log, metrics }: CacheReportOptions): CacheReport {
  const failingIndexes = new Set<string>();
  let hasLeftOut = false;
  return {
    listenerFailed: (error) => log.error('a cache listener failed', error, { cache: name }),
    stateListenerFailed: (error) => log.error('a cache state listener failed', error, { cache: name }),
    limitListenerFailed: (error) => log.error('a listener for cache limits failed', error, { cache: name }),
    indexFailed(index, error) {
      if (failingIndexes.has(index)) return;
      failingIndexes.add(index);
      log.error('an index function failed; objects are missing in this index', error, { cache: name, index });
    },
    leftOut(why) {
      metrics.cacheSkipped.inc({ cache: name });
      if (!hasLeftOut)
        log.warn('the server sent an invalid object; it and similar objects are ignored', { cache: name, why });
      hasLeftOut = true;
    },
  };
}
