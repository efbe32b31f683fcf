import type { Indexes } from '@isthmus/kube';
import type { Exchange } from './define-exchange.ts';

/**
 * The indexes of a cache of exports or imports: one for each exchange that has keys for them, with
 * the name of the exchange.
 */
export function indexesOf<T>(
  exchanges: readonly Exchange[],
  keysOf: (exchange: Exchange) => ((object: T) => readonly string[]) | undefined,
): Indexes<T> {
  return Object.fromEntries(
    exchanges.flatMap((exchange) => {
      const keys = keysOf(exchange);
      return keys === undefined ? [] : [[exchange.name, keys]];
    }),
  );
}
