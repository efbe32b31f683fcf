import type { Indexes } from '@isthmus/kube';
import type { Exchange } from './exchange.ts';

/** The indexes of a cache of exports or imports: one for each exchange, under its name. */
export function indexesOf<T>(
  exchanges: readonly Exchange[],
  keysOf: (exchange: Exchange) => (object: T) => readonly string[],
): Indexes<T> {
  return Object.fromEntries(exchanges.map((exchange) => [exchange.name, keysOf(exchange)]));
}
