import type { Exchanged } from './exchange.ts';
import type { Metrics } from '../metrics/metrics.ts';

/**
 * Counts the exchanges of a client, for its `onExchange`. `server` is the label: a short name such
 * as `local` or `leader`. Requests outside of the API's verbs count by their HTTP method, and paths
 * are not a label, so that the number of series is bounded.
 */
export function countExchanges(metrics: Metrics, server: string): (exchanged: Exchanged) => void {
  return ({ verb, result, ms }) => {
    metrics.requests.inc({ server, verb, code: typeof result === 'number' ? String(result) : result });
    metrics.requestSeconds.observe({ server, verb }, ms / 1_000);
  };
}
