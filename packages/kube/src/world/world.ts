import type { Clock, Random } from '@isthmus/machinery';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';

/**
 * The services that a process gives to everything that runs in it: time, randomness, a log and
 * metrics. Real in `main`, virtual in tests.
 */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}
