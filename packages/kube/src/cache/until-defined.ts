import { CustomResourceDefinition } from '@isthmus/api';
import type { Clock, Random, ResourceType } from '@isthmus/machinery';
import { resourceNameOf, sleep } from '@isthmus/machinery';
import type { Client } from '../client/client.ts';
import { metadataOf } from '../client/metadata-type.ts';
import type { Log } from '../log/log.ts';
import { noLog } from '../log/log.ts';
import { linkedAbort } from '../waiting/abort.ts';
import { createCache } from './create-cache.ts';
import type { UntilServed } from './reflector.ts';

export interface UntilDefinedOptions {
  readonly client: Client;
  /** The awaited kind. */
  readonly type: Pick<ResourceType, 'group' | 'plural'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Twice an hour. API servers send bookmarks once a minute, so the connection is not idle. */
const watchSeconds = 1_800;
/** How often to check if the definition may be watched, after the API server has denied it. */
const deniedAgainMs = 3_600_000;

/**
 * Waits for the definition of a kind with a watch of that definition by its name. A kind that a
 * cluster does not have then costs a few requests an hour.
 *
 * If the definition exists already, or may not be watched, it waits for `afterMs`. A definition
 * that exists may be one whose versions are not served yet.
 */
export function untilDefined(options: UntilDefinedOptions): UntilServed {
  const { clock, log, type } = options;
  const name = resourceNameOf(type);
  // A restart loses it, which costs one request.
  let deniedMs = Number.NEGATIVE_INFINITY;
  return async (afterMs, signal) => {
    const mayWatch = clock.monotonic() - deniedMs >= deniedAgainMs;
    const found = mayWatch ? await lookOut(options, signal) : 'denied';
    if (found === 'appeared') return true;
    if (found === 'denied' && mayWatch) {
      deniedMs = clock.monotonic();
      log.debug('the definition of a kind may not be watched; the API server is asked for the kind', { name });
    }
    await sleep(clock, afterMs, signal);
    return false;
  };
}

/** Resolves when the definition is there, or cannot be seen. Rejects when `signal` aborts. */
async function lookOut(
  { client, type: awaited, clock, random }: UntilDefinedOptions,
  signal: AbortSignal,
): Promise<'exists' | 'appeared' | 'denied'> {
  using end = linkedAbort(signal);
  const fieldSelector = `metadata.name=${resourceNameOf(awaited)}`;
  const selection = { type: metadataOf(CustomResourceDefinition), fieldSelector };
  const cache = createCache({ client, ...selection, watchSeconds, clock, random, log: noLog });
  const seen = Promise.withResolvers<'exists' | 'appeared' | 'denied'>();
  const abort = () => seen.reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  let wasAbsent = false;
  const look = () => {
    const { state } = cache;
    if (state.kind === 'failing' && state.code === 403) seen.resolve('denied');
    else if (cache.size > 0) seen.resolve(wasAbsent ? 'appeared' : 'exists');
    else if (cache.synced) wasAbsent = true;
  };
  cache.subscribe(look);
  cache.onState(look);
  void cache.run(end.signal);
  try {
    return await seen.promise;
  } finally {
    signal.removeEventListener('abort', abort);
    end.abort(new Error('the definition is not awaited any more'));
  }
}
